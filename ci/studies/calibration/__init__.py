"""The study behind docs/error-rates.md; `ci/studies/calibrate` runs it."""
