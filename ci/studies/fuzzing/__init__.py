"""What `ci/studies/fuzz_python` tries: readers of the Python programs on mutated documents."""
