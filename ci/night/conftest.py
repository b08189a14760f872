from harness.conftest import lab, shared_folder  # noqa: F401
