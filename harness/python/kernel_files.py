"""Kernels as files of a user, for tests: a frame that scales and one that multiplies matrices."""

HEAD = """
import threading, time
import numpy as np
import ridgeline as rl

N = 1 << 13
"""

SCALE = """
@rl.case(shapes={"n": [N]}, dtypes=["f32"], bytes=lambda n, **_: 8 * n, devices="cpu", cache="hot")
def scale(n, dtype, device):
    x = rl.uniform(n, dtype, device)
{body}
    return launch, rl.expect(lambda: x.numpy() * 2)
"""

PRODUCT = """
@rl.case(shapes={"n": [64]}, dtypes=["f32"], devices="cpu", cache="hot")
def product(n, dtype, device):
    a, b = rl.uniform((n, n), dtype, device), rl.uniform((n, n), dtype, device)
{body}
    return launch, rl.expect(lambda: a.numpy() @ b.numpy())
"""


def _file(frame: str, body: str) -> str:
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return HEAD + frame.replace("{body}", lines)


def scale(body: str) -> str:
    return _file(SCALE, body)


def product(body: str) -> str:
    return _file(PRODUCT, body)


def wide(body: str) -> str:
    """As `scale`, of so many elements that one execution takes some 10 us."""
    return scale(body).replace("[N]", "[8 * N]")
