"""The study behind docs/against-vendor.md; `ci/studies/against_vendor` runs it."""
