-- What a gate sees beside medians: tails, doubts, drops of one side; and the verdicts tail, same_code and not_measured.
-- CHECKs cannot be altered, so the table is made anew.

CREATE TABLE verdict_8 (
  gate_id         TEXT NOT NULL REFERENCES gate (id),
  case_name       TEXT NOT NULL CONSTRAINT verdict_has_case CHECK (case_name <> ''),
  baseline_case   TEXT NOT NULL, -- '' when the baseline has none
  verdict         TEXT NOT NULL CONSTRAINT verdict_is_known CHECK (verdict IN
                    ('regression', 'wrong_result', 'crashed', 'timeout', 'missing', 'invalid_environment', 'undecided',
                     'no_baseline', 'improvement', 'new', 'pass', 'skipped', 'tail', 'same_code', 'not_measured')),
  reason          TEXT NOT NULL,
  delta           REAL NOT NULL CONSTRAINT delta_is_not_negative CHECK (delta >= 0 AND delta < 9e999),
  baseline_ns     REAL CONSTRAINT baseline_ns_is_positive CHECK (baseline_ns > 0 AND baseline_ns < 9e999),
  candidate_ns    REAL CONSTRAINT candidate_ns_is_positive CHECK (candidate_ns > 0 AND candidate_ns < 9e999),
  metric          TEXT NOT NULL, -- that decided where counts were compared; '' where times were
  baseline_value  REAL CONSTRAINT baseline_value_is_finite CHECK (abs(baseline_value) < 9e999),
  candidate_value REAL CONSTRAINT candidate_value_is_finite CHECK (abs(candidate_value) < 9e999),
  ratio           REAL CONSTRAINT ratio_is_positive CHECK ((ratio > 0 OR (ratio = 0 AND metric <> '')) AND ratio < 9e999),
  ratio_low       REAL CONSTRAINT ratio_low_is_positive CHECK (ratio_low > 0), -- NULL: the interval has no lower bound
  ratio_high      REAL CONSTRAINT ratio_high_is_finite CHECK (ratio_high < 9e999), -- NULL: no upper bound
  pairs           INTEGER NOT NULL CONSTRAINT pairs_are_counted CHECK (pairs >= 0),
  dropped         INTEGER NOT NULL CONSTRAINT dropped_pairs_are_counted CHECK (dropped >= 0),
  noise           REAL CONSTRAINT noise_is_not_negative CHECK (noise >= 0 AND noise < 9e999),
  smallest_effect REAL CONSTRAINT smallest_effect_is_not_negative CHECK (smallest_effect >= 0 AND smallest_effect < 9e999),
  p_value         REAL CONSTRAINT p_value_is_a_probability CHECK (p_value BETWEEN 0 AND 1),
  level           REAL CONSTRAINT level_is_a_probability CHECK (level BETWEEN 0 AND 1),
  expected        INTEGER NOT NULL CHECK (expected IN (0, 1)),
  expectation     TEXT NOT NULL,
  no_room         INTEGER NOT NULL CONSTRAINT no_room_is_skipped
                  CHECK (no_room = 0 OR (no_room = 1 AND verdict = 'skipped')),
  expectation_over INTEGER NOT NULL CONSTRAINT only_an_expectation_is_over
                  CHECK (expectation_over = 0 OR (expectation_over = 1 AND expectation <> '')),
  -- Of the samples beside their medians; NULL in what older programs stored, and where there were no times.
  mean_ratio      REAL CONSTRAINT mean_ratio_is_positive CHECK (mean_ratio > 0 AND mean_ratio < 9e999),
  ninetieth_ratio REAL CONSTRAINT ninetieth_ratio_is_positive CHECK (ninetieth_ratio > 0 AND ninetieth_ratio < 9e999),
  baseline_slow   REAL CONSTRAINT baseline_slow_is_a_share CHECK (baseline_slow BETWEEN 0 AND 1),
  candidate_slow  REAL CONSTRAINT candidate_slow_is_a_share CHECK (candidate_slow BETWEEN 0 AND 1),
  tail            TEXT CONSTRAINT tail_is_known
                  CHECK (tail IN ('launches', 'processes', 'means', 'nineties', 'throttles')),
  tail_suspected  INTEGER NOT NULL CHECK (tail_suspected IN (0, 1)),
  doubt           TEXT CONSTRAINT only_undecided_cases_are_doubted
                  CHECK (doubt IS NULL OR (doubt IN ('exact', 'large', 'cluster') AND verdict = 'undecided')),
  more_pairs      INTEGER CONSTRAINT only_undecided_cases_need_more_pairs
                  CHECK (more_pairs IS NULL OR (more_pairs > 0 AND verdict = 'undecided')),
  dropped_baseline  INTEGER NOT NULL CONSTRAINT drops_of_the_baseline_are_counted CHECK (dropped_baseline >= 0),
  dropped_candidate INTEGER NOT NULL CONSTRAINT drops_of_the_candidate_are_counted CHECK (dropped_candidate >= 0),
  PRIMARY KEY (gate_id, case_name),
  CONSTRAINT ratio_lies_in_its_interval
    CHECK ((ratio_low IS NULL OR (ratio IS NOT NULL AND ratio_low <= ratio))
       AND (ratio_high IS NULL OR (ratio IS NOT NULL AND ratio <= ratio_high))),
  CONSTRAINT decided_cases_have_numbers
    CHECK (verdict NOT IN ('regression', 'improvement', 'pass')
       OR (metric = '' AND ratio IS NOT NULL AND baseline_ns IS NOT NULL AND candidate_ns IS NOT NULL
           AND p_value IS NOT NULL AND level IS NOT NULL AND pairs > 0)
       OR (metric <> '' AND baseline_value IS NOT NULL AND candidate_value IS NOT NULL)),
  CONSTRAINT values_are_of_a_metric CHECK (metric <> '' OR (baseline_value IS NULL AND candidate_value IS NULL)),
  -- Counts are exact: there is nothing that a test could say of them.
  CONSTRAINT counts_have_no_times
    CHECK (metric = '' OR (baseline_ns IS NULL AND candidate_ns IS NULL AND ratio_low IS NULL AND ratio_high IS NULL
                           AND pairs = 0 AND dropped = 0 AND noise IS NULL AND smallest_effect IS NULL
                           AND p_value IS NULL AND level IS NULL)),
  CONSTRAINT only_compared_cases_have_a_metric
    CHECK (metric = '' OR verdict IN ('regression', 'improvement', 'pass', 'undecided', 'invalid_environment')),
  CONSTRAINT only_compared_cases_have_a_ratio
    CHECK (ratio IS NULL
       OR verdict IN ('regression', 'improvement', 'pass', 'tail', 'undecided', 'invalid_environment')),
  CONSTRAINT verdict_reason_is_given
    CHECK (verdict NOT IN ('invalid_environment', 'no_baseline', 'skipped', 'not_measured') OR reason <> ''),
  -- A candidate that throttles in every round has no ratio.
  CONSTRAINT a_tail_says_which
    CHECK (verdict <> 'tail' OR (tail IS NOT NULL AND p_value IS NOT NULL AND level IS NOT NULL)),
  CONSTRAINT drops_of_one_side_are_drops CHECK (dropped_baseline + dropped_candidate <= dropped),
  CONSTRAINT expected_is_explained CHECK (expected = 0 OR expectation <> '')
) STRICT, WITHOUT ROWID;
INSERT INTO verdict_8
  (gate_id, case_name, baseline_case, verdict, reason, delta, baseline_ns, candidate_ns, metric, baseline_value,
   candidate_value, ratio, ratio_low, ratio_high, pairs, dropped, noise, smallest_effect, p_value, level,
   expected, expectation, no_room, expectation_over,
   tail_suspected, dropped_baseline, dropped_candidate)
  SELECT
   gate_id, case_name, baseline_case, verdict, reason, delta, baseline_ns, candidate_ns, metric, baseline_value,
   candidate_value, ratio, ratio_low, ratio_high, pairs, dropped, noise, smallest_effect, p_value, level,
   expected, expectation, no_room, expectation_over,
   0, 0, 0
  FROM verdict;
DROP TABLE verdict;
ALTER TABLE verdict_8 RENAME TO verdict;
