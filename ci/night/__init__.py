"""The parts of `ci/nightly` and `ci/preflight`: what a runner does unattended, and how it tells of
it."""

import sys
from pathlib import Path

if sys.version_info < (3, 10):  # noqa: UP036  a runner has the python3 that it has; older ones were not tried
    found = f"{sys.executable} is {sys.version.split()[0]}"
    print(f"this needs python3 of version 3.10 or newer, and {found}", file=sys.stderr)
    sys.exit(69)

sys.path.append(str(Path(__file__).resolve().parents[2]))  # for what the house's programs share
