-- Results of other programs, which were imported: the run names their format, its processes the files, and their outcome is
-- unverified. SQLite cannot change a constraint, so the table measurement is made anew. Triggers that read it are made again.

ALTER TABLE run ADD COLUMN imported TEXT NOT NULL DEFAULT '';
ALTER TABLE process ADD COLUMN imported TEXT NOT NULL DEFAULT '{}' CONSTRAINT imported_is_json CHECK (json_valid(imported));

DROP TRIGGER pair_is_of_the_two_runs_of_its_gate;
DROP TRIGGER pair_has_two_times_and_counts_when_undisturbed;
DROP TRIGGER sites_are_of_counted_cases;
DROP TRIGGER sources_are_of_counted_cases;

CREATE TABLE measurement_10 (
  id                    INTEGER PRIMARY KEY,
  process_id            INTEGER NOT NULL REFERENCES process (id),
  case_id               INTEGER NOT NULL REFERENCES "case" (id),
  attempt               INTEGER NOT NULL CHECK (attempt >= 1),
  outcome               TEXT NOT NULL CONSTRAINT outcome_is_known CHECK (outcome IN
                          ('ok', 'counted', 'unstable', 'invalid_environment', 'wrong_result', 'unsupported', 'unavailable',
                           'not_measured', 'crashed', 'timeout', 'unverified')),
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
  pruned                TEXT CONSTRAINT pruned_is_utc CHECK (pruned GLOB '????-??-??T??:??:??Z'), -- when samples were dropped
  said                  TEXT NOT NULL DEFAULT '{}' CONSTRAINT said_is_json CHECK (json_valid(said)), -- by an imported result
  samples               BLOB, -- n little-endian binary64 numbers: ns of one execution, in the order taken
  checked               TEXT CONSTRAINT checked_goes_with_tolerance
                        CHECK (checked IS NULL OR (checked IN ('sample', 'by_variant', 'whole') AND tolerance IS NOT NULL)),
  settled               INTEGER CONSTRAINT counted_cases_do_not_settle
                        CHECK (settled IS NULL OR (settled IN (0, 1) AND outcome <> 'counted')),
  CONSTRAINT measured_once UNIQUE (process_id, case_id, attempt),
  CONSTRAINT samples_go_with_the_outcomes_that_have_them
    CHECK ((outcome IN ('ok', 'unstable', 'unverified', 'invalid_environment')) = (n > 0)),
  CONSTRAINT samples_are_counted CHECK (n >= 0),
  CONSTRAINT samples_are_n_numbers CHECK (samples IS NULL OR (n > 0 AND length(samples) = 8 * n)),
  CONSTRAINT samples_are_kept_until_they_are_pruned
    CHECK (CASE WHEN samples IS NULL THEN (n > 0) = (pruned IS NOT NULL) ELSE pruned IS NULL END),
  CONSTRAINT median_goes_with_samples CHECK ((median_ns IS NULL) = (n = 0)),
  CONSTRAINT spread_goes_with_samples CHECK (relative_spread IS NULL OR n > 0),
  CONSTRAINT only_right_results_have_samples
    CHECK (n = 0 OR tolerance IS NULL OR (error IS NOT NULL AND error <= tolerance)),
  CONSTRAINT unverified_results_met_no_oracle CHECK (outcome <> 'unverified' OR tolerance IS NULL),
  CONSTRAINT error_goes_with_tolerance CHECK (error IS NULL OR tolerance IS NOT NULL),
  CONSTRAINT only_right_results_are_counted
    CHECK (outcome <> 'counted' OR (tolerance IS NOT NULL AND error IS NOT NULL AND error <= tolerance)),
  CONSTRAINT counted_cases_are_not_timed CHECK (outcome <> 'counted' OR (warmup_ns = 0 AND timed_ns = 0)),
  CONSTRAINT ok_needs_no_reason CHECK (outcome NOT IN ('ok', 'counted') OR reason = ''),
  CONSTRAINT reason_is_given CHECK (outcome NOT IN ('unverified', 'invalid_environment', 'unsupported', 'unavailable', 'not_measured')
           OR reason <> '')
) STRICT;
INSERT INTO measurement_10
  (id, process_id, case_id, attempt, outcome, reason, n, executions_per_sample, median_ns, relative_spread, error, tolerance,
   flops, bytes, launch, cache, buffer_sets, seed, prepare_ns, verify_ns, warmup_ns, timed_ns, total_ns, sm_clock_mhz,
   memory_clock_mhz, power_w, temperature_c, throttle, throttled_by_hardware, other_processes, pruned, samples, checked, settled)
  SELECT
   id, process_id, case_id, attempt, outcome, reason, n, executions_per_sample, median_ns, relative_spread, error, tolerance,
   flops, bytes, launch, cache, buffer_sets, seed, prepare_ns, verify_ns, warmup_ns, timed_ns, total_ns, sm_clock_mhz,
   memory_clock_mhz, power_w, temperature_c, throttle, throttled_by_hardware, other_processes, pruned, samples, checked, settled
  FROM measurement;
DROP TABLE measurement;
ALTER TABLE measurement_10 RENAME TO measurement;
CREATE INDEX outcome_of_process ON measurement (process_id, outcome); -- counts without reading samples
CREATE TRIGGER emulated_devices_have_no_times BEFORE INSERT ON measurement
WHEN NEW.n > 0 AND EXISTS (
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

CREATE TRIGGER sites_are_of_counted_cases BEFORE INSERT ON site
WHEN NOT EXISTS (SELECT 1 FROM measurement WHERE id = NEW.measurement_id AND outcome = 'counted')
BEGIN
  SELECT RAISE(ABORT, 'sites_are_of_counted_cases');
END;

CREATE TRIGGER sources_are_of_counted_cases BEFORE INSERT ON measurement_source
WHEN NOT EXISTS (SELECT 1 FROM measurement WHERE id = NEW.measurement_id AND outcome = 'counted')
BEGIN
  SELECT RAISE(ABORT, 'sources_are_of_counted_cases');
END;

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
