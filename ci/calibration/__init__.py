"""The study behind docs/statistics.md's error rates; `ci/calibrate` runs it."""
