"""The parts of `ci/nightly` and `ci/preflight`: what a runner does unattended, and how it tells of it."""
