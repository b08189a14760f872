"""The study behind docs/statistics.md's error rates; `ci/studies/calibrate` runs it."""
