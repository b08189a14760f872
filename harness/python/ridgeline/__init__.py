"""Ridgeline measures kernels of one's own: docs/own-kernels.md."""

import sys

try:
    import numpy  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"NumPy cannot be imported by {sys.executable}: install it there, or set "
        f"RIDGELINE_PYTHON to a Python that has it ({error})"
    ) from None

from ridgeline.cases import case
from ridgeline.comparison import expect
from ridgeline.inputs import empty, integers, made, normal, uniform

__version__ = "0.1.0"
__all__ = ["case", "empty", "expect", "integers", "made", "normal", "uniform"]
