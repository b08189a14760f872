"""What `ci/release` makes of an installed build: docs/releasing.md."""
