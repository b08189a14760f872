-- What was read out of sentences stands in columns of its own: which side of a pair was disturbed, that both sides of a
-- gate did not fit into memory together, that a rule's expectation was over, and that a machine was not fit to measure.

DROP TRIGGER pair_has_two_times_and_counts_when_undisturbed;

-- Why the side was disturbed, so that the pair does not count; '' when nothing disturbed it.
ALTER TABLE pair ADD COLUMN baseline_disturbed TEXT NOT NULL DEFAULT '';
ALTER TABLE pair ADD COLUMN candidate_disturbed TEXT NOT NULL DEFAULT '';
UPDATE pair SET
  baseline_disturbed = COALESCE((SELECT reason FROM measurement
    WHERE id = baseline_measurement AND outcome = 'invalid_environment'), ''),
  candidate_disturbed = COALESCE((SELECT reason FROM measurement
    WHERE id = candidate_measurement AND outcome = 'invalid_environment'), '')
WHERE dropped <> '';
-- A cause that neither measurement names disturbed the pair as a whole.
UPDATE pair SET baseline_disturbed = dropped, candidate_disturbed = dropped
WHERE dropped <> '' AND baseline_disturbed = '' AND candidate_disturbed = '';
ALTER TABLE pair DROP COLUMN dropped;

CREATE TRIGGER pair_has_two_times_and_counts_when_undisturbed BEFORE INSERT ON pair
WHEN EXISTS (
  SELECT 1 FROM measurement
  WHERE (id = NEW.baseline_measurement
         AND (median_ns IS NULL OR (outcome = 'invalid_environment' AND NEW.baseline_disturbed = '')))
     OR (id = NEW.candidate_measurement
         AND (median_ns IS NULL OR (outcome = 'invalid_environment' AND NEW.candidate_disturbed = ''))))
BEGIN
  SELECT RAISE(ABORT, 'pair_has_two_times_and_counts_when_undisturbed');
END;

ALTER TABLE verdict ADD COLUMN no_room INTEGER NOT NULL DEFAULT 0 CONSTRAINT no_room_is_skipped
  CHECK (no_room = 0 OR (no_room = 1 AND verdict = 'skipped'));
UPDATE verdict SET no_room = 1
WHERE verdict = 'skipped' AND reason LIKE 'both sides do not fit into memory together: %';
ALTER TABLE verdict ADD COLUMN expectation_over INTEGER NOT NULL DEFAULT 0 CONSTRAINT only_an_expectation_is_over
  CHECK (expectation_over = 0 OR (expectation_over = 1 AND expectation <> ''));
UPDATE verdict SET expectation_over = 1 WHERE expectation LIKE '%, which is over)';

-- Why the machine was not fit when the run began; '' when nothing is known against it.
ALTER TABLE run ADD COLUMN unfit TEXT NOT NULL DEFAULT '';
UPDATE run SET unfit = 'labelled ' || label WHERE label = 'unfit' OR label LIKE '%-unfit';
