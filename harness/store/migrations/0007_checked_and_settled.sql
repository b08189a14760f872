-- How much of an output was compared with the oracle's, whether a warm-up ended because times had settled, and the limit
-- of the spread above which a run's cases are unstable. NULL: nothing is known, as of all that older programs stored.

ALTER TABLE measurement ADD COLUMN checked TEXT CONSTRAINT checked_goes_with_tolerance
  CHECK (checked IS NULL OR (checked IN ('sample', 'by_variant', 'whole') AND tolerance IS NOT NULL));
ALTER TABLE measurement ADD COLUMN settled INTEGER CONSTRAINT counted_cases_do_not_settle
  CHECK (settled IS NULL OR (settled IN (0, 1) AND outcome <> 'counted'));
ALTER TABLE run ADD COLUMN unstable REAL CONSTRAINT unstable_is_a_limit CHECK (unstable > 0 AND unstable < 9e999);
