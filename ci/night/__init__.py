"""The parts of `ci/nightly` and `ci/preflight`: what a runner does unattended, and how it tells of it."""

import sys

if sys.version_info < (3, 10):  # the oldest that these files are tried with
    print(f"this needs python3 of version 3.10 or newer, and {sys.executable} is {sys.version.split()[0]}", file=sys.stderr)
    sys.exit(69)
