from harness.conftest import lab  # noqa: F401
