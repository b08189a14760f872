-- Counts: cases that were verified and counted by a device that has no times (outcome 'counted'), where in the source they
-- were counted (site), the sources as they were (source), and verdicts on counts.
-- SQLite cannot change a constraint, so the tables measurement and verdict are made anew. What refers to measurement does
-- so by its name, which the new table takes; the triggers on pair read it, and are made again, as the index is.

DROP TRIGGER pair_is_of_the_two_runs_of_its_gate;
DROP TRIGGER pair_has_two_times_and_counts_when_undisturbed;

CREATE TABLE measurement_3 (
  id                    INTEGER PRIMARY KEY,
  process_id            INTEGER NOT NULL REFERENCES process (id),
  case_id               INTEGER NOT NULL REFERENCES "case" (id),
  attempt               INTEGER NOT NULL CHECK (attempt >= 1),
  outcome               TEXT NOT NULL CONSTRAINT outcome_is_known CHECK (outcome IN
                          ('ok', 'counted', 'unstable', 'invalid_environment', 'wrong_result', 'unsupported', 'unavailable',
                           'crashed', 'timeout')),
  reason                TEXT NOT NULL,
  n                     INTEGER NOT NULL,
  executions_per_sample INTEGER NOT NULL CHECK (executions_per_sample >= 1),
  median_ns             REAL CONSTRAINT median_is_positive CHECK (median_ns > 0 AND median_ns < 9e999),
  relative_spread       REAL CHECK (relative_spread >= 0),
  error                 REAL CHECK (error >= 0), -- NULL beside a tolerance: the error was not a number
  tolerance             REAL CHECK (tolerance >= 0), -- NULL: the output was not compared with an oracle
  flops                 REAL CHECK (flops >= 0),
  bytes                 REAL CHECK (bytes >= 0),
  launch                TEXT NOT NULL,
  cache                 TEXT NOT NULL,
  buffer_sets           INTEGER NOT NULL CHECK (buffer_sets >= 0),
  seed                  INTEGER NOT NULL,
  prepare_ns            REAL NOT NULL CHECK (prepare_ns >= 0),
  verify_ns             REAL NOT NULL CHECK (verify_ns >= 0),
  warmup_ns             REAL NOT NULL CHECK (warmup_ns >= 0),
  timed_ns              REAL NOT NULL CHECK (timed_ns >= 0),
  total_ns              REAL NOT NULL CHECK (total_ns >= 0),
  sm_clock_mhz          REAL,
  memory_clock_mhz      REAL,
  power_w               REAL,
  temperature_c         REAL,
  throttle              TEXT NOT NULL,
  throttled_by_hardware INTEGER NOT NULL CHECK (throttled_by_hardware IN (0, 1)),
  other_processes       INTEGER CHECK (other_processes >= 0),
  samples               BLOB, -- n little-endian binary64 numbers: ns of one execution, in the order taken
  CONSTRAINT measured_once UNIQUE (process_id, case_id, attempt),
  CONSTRAINT samples_go_with_the_outcomes_that_have_them
    CHECK ((outcome IN ('ok', 'unstable', 'invalid_environment')) = (samples IS NOT NULL)),
  CONSTRAINT samples_are_n_numbers CHECK (CASE WHEN samples IS NULL THEN n = 0 ELSE n > 0 AND length(samples) = 8 * n END),
  CONSTRAINT median_goes_with_samples CHECK ((median_ns IS NULL) = (samples IS NULL)),
  CONSTRAINT spread_goes_with_samples CHECK (relative_spread IS NULL OR samples IS NOT NULL),
  CONSTRAINT only_right_results_have_samples
    CHECK (samples IS NULL OR tolerance IS NULL OR (error IS NOT NULL AND error <= tolerance)),
  CONSTRAINT error_goes_with_tolerance CHECK (error IS NULL OR tolerance IS NOT NULL),
  CONSTRAINT only_right_results_are_counted
    CHECK (outcome <> 'counted' OR (tolerance IS NOT NULL AND error IS NOT NULL AND error <= tolerance)),
  CONSTRAINT counted_cases_are_not_timed CHECK (outcome <> 'counted' OR (warmup_ns = 0 AND timed_ns = 0)),
  CONSTRAINT ok_needs_no_reason CHECK (outcome NOT IN ('ok', 'counted') OR reason = ''),
  CONSTRAINT reason_is_given CHECK (outcome NOT IN ('invalid_environment', 'unsupported', 'unavailable') OR reason <> '')
) STRICT;
INSERT INTO measurement_3 SELECT * FROM measurement; -- both have the same columns
DROP TABLE measurement;
ALTER TABLE measurement_3 RENAME TO measurement;
CREATE INDEX outcome_of_process ON measurement (process_id, outcome); -- counts without reading samples

CREATE TRIGGER emulated_devices_have_no_times BEFORE INSERT ON measurement
WHEN NEW.samples IS NOT NULL AND EXISTS (
  SELECT 1 FROM process JOIN run ON run.id = run_id JOIN device ON device.id = device_id
  WHERE process.id = NEW.process_id AND device.kind = 'emulated')
BEGIN
  SELECT RAISE(ABORT, 'emulated_devices_have_no_times');
END;

CREATE TRIGGER pair_is_of_the_two_runs_of_its_gate BEFORE INSERT ON pair
WHEN NOT EXISTS (
  SELECT 1 FROM gate
    JOIN measurement b ON b.id = NEW.baseline_measurement JOIN process bp ON bp.id = b.process_id
    JOIN measurement c ON c.id = NEW.candidate_measurement JOIN process cp ON cp.id = c.process_id
    JOIN "case" ON "case".id = c.case_id
  WHERE gate.id = NEW.gate_id AND gate.mode <> 'runs' AND "case".name = NEW.case_name
    AND bp.run_id = gate.baseline_run AND cp.run_id = gate.candidate_run)
BEGIN
  SELECT RAISE(ABORT, 'pair_is_of_the_two_runs_of_its_gate');
END;

CREATE TRIGGER pair_has_two_times_and_counts_when_undisturbed BEFORE INSERT ON pair
WHEN EXISTS (
  SELECT 1 FROM measurement WHERE id IN (NEW.baseline_measurement, NEW.candidate_measurement)
    AND (median_ns IS NULL OR (outcome = 'invalid_environment' AND NEW.dropped = '')))
BEGIN
  SELECT RAISE(ABORT, 'pair_has_two_times_and_counts_when_undisturbed');
END;

-- Accesses in the source of a counted case's kernels, and what all warps did there. By file, line and access.
CREATE TABLE site (
  measurement_id INTEGER NOT NULL REFERENCES measurement (id),
  position       INTEGER NOT NULL CONSTRAINT sites_are_few CHECK (position BETWEEN 0 AND 9999),
  kernel         TEXT NOT NULL,
  file           TEXT NOT NULL,
  line           INTEGER NOT NULL CONSTRAINT line_is_counted CHECK (line >= 0), -- 0: unknown
  access         TEXT NOT NULL CONSTRAINT site_has_access CHECK (access <> ''),
  lane_bytes     INTEGER NOT NULL CONSTRAINT lane_bytes_are_counted CHECK (lane_bytes >= 0),
  requests       INTEGER NOT NULL CONSTRAINT requests_are_counted CHECK (requests >= 0),
  lanes          INTEGER NOT NULL CONSTRAINT lanes_are_counted CHECK (lanes >= 0),
  sectors        INTEGER NOT NULL CONSTRAINT sectors_are_counted CHECK (sectors >= 0),
  wavefronts     INTEGER NOT NULL CONSTRAINT wavefronts_are_counted CHECK (wavefronts >= 0),
  PRIMARY KEY (measurement_id, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sites_are_of_counted_cases BEFORE INSERT ON site
WHEN NOT EXISTS (SELECT 1 FROM measurement WHERE id = NEW.measurement_id AND outcome = 'counted')
BEGIN
  SELECT RAISE(ABORT, 'sites_are_of_counted_cases');
END;

-- Each text of a file once, for all measurements whose sites lie in it.
CREATE TABLE source (
  id   INTEGER PRIMARY KEY,
  file TEXT NOT NULL CONSTRAINT source_has_file CHECK (file <> ''),
  text TEXT NOT NULL CONSTRAINT source_is_of_bounded_size CHECK (length(CAST(text AS BLOB)) <= 1048576)
) STRICT;
CREATE INDEX source_of_file ON source (file);

CREATE TABLE measurement_source (
  measurement_id INTEGER NOT NULL REFERENCES measurement (id),
  source_id      INTEGER NOT NULL REFERENCES source (id),
  PRIMARY KEY (measurement_id, source_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER sources_are_of_counted_cases BEFORE INSERT ON measurement_source
WHEN NOT EXISTS (SELECT 1 FROM measurement WHERE id = NEW.measurement_id AND outcome = 'counted')
BEGIN
  SELECT RAISE(ABORT, 'sources_are_of_counted_cases');
END;

CREATE TABLE verdict_3 (
  gate_id         TEXT NOT NULL REFERENCES gate (id),
  case_name       TEXT NOT NULL CONSTRAINT verdict_has_case CHECK (case_name <> ''),
  baseline_case   TEXT NOT NULL, -- '' when the baseline has none
  verdict         TEXT NOT NULL CONSTRAINT verdict_is_known CHECK (verdict IN
                    ('regression', 'wrong_result', 'crashed', 'timeout', 'missing', 'invalid_environment', 'undecided',
                     'no_baseline', 'improvement', 'new', 'pass', 'skipped')),
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
    CHECK (ratio IS NULL OR verdict IN ('regression', 'improvement', 'pass', 'undecided', 'invalid_environment')),
  CONSTRAINT verdict_reason_is_given CHECK (verdict NOT IN ('invalid_environment', 'no_baseline', 'skipped') OR reason <> ''),
  CONSTRAINT expected_is_explained CHECK (expected = 0 OR expectation <> '')
) STRICT, WITHOUT ROWID;
INSERT INTO verdict_3
  (gate_id, case_name, baseline_case, verdict, reason, delta, baseline_ns, candidate_ns, ratio, ratio_low,
   ratio_high, pairs, dropped, noise, smallest_effect, p_value, level, expected, expectation, metric)
  SELECT
   gate_id, case_name, baseline_case, verdict, reason, delta, baseline_ns, candidate_ns, ratio, ratio_low,
   ratio_high, pairs, dropped, noise, smallest_effect, p_value, level, expected, expectation, ''
  FROM verdict;
DROP TABLE verdict;
ALTER TABLE verdict_3 RENAME TO verdict;
