"""What `ci/studies/faults` does: real programs are killed at random moments, meet full disks and
lose power, and what they leave is judged. Needs nothing but Python and the programs."""
