-- Schema 11, as harness/store/migrations/*.sql make it. Generated: RIDGELINE_UPDATE_GOLDEN=1 store_test

CREATE TABLE baseline (
  name   TEXT PRIMARY KEY NOT NULL CONSTRAINT baseline_name_is_plain
         CHECK (length(name) BETWEEN 1 AND 100 AND name NOT GLOB '*[^0-9A-Za-z._-]*'),
  run_id TEXT NOT NULL REFERENCES run (id),
  set_at TEXT NOT NULL CONSTRAINT baseline_set_at_is_utc CHECK (set_at GLOB '????-??-??T??:??:??Z')
) STRICT, WITHOUT ROWID;

CREATE TABLE build (
  id          INTEGER PRIMARY KEY,
  worker      TEXT NOT NULL CONSTRAINT build_has_worker CHECK (worker <> ''),
  commit_hash TEXT NOT NULL,
  dirty       INTEGER NOT NULL CHECK (dirty IN (0, 1)),
  compiler    TEXT NOT NULL,
  flags       TEXT NOT NULL,
  cuda        TEXT NOT NULL,
  code_hash   TEXT NOT NULL,
  UNIQUE (worker, commit_hash, dirty, compiler, flags, cuda, code_hash)
) STRICT;

CREATE TABLE "case" (
  id          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  suite       TEXT NOT NULL CHECK (suite <> ''),
  variant     TEXT NOT NULL CHECK (variant <> ''),
  dtype       TEXT NOT NULL CHECK (dtype <> ''),
  problem     TEXT NOT NULL CHECK (json_valid(problem)),
  options     TEXT NOT NULL CHECK (json_valid(options)),
  device_kind TEXT NOT NULL,
  idea        TEXT NOT NULL,
  ranks       INTEGER NOT NULL CHECK (ranks >= 1),
  flops       REAL CHECK (flops >= 0),
  bytes       REAL CHECK (bytes >= 0),
  roof        TEXT NOT NULL,
  CONSTRAINT case_name_starts_with_its_parts
    CHECK (substr(name, 1, length(suite || variant || dtype) + 2) = suite || '/' || variant || '/' || dtype)
) STRICT;

CREATE TABLE device (
  id         INTEGER PRIMARY KEY,
  uuid       TEXT NOT NULL CONSTRAINT device_has_uuid CHECK (uuid <> ''),
  local_id   TEXT NOT NULL, -- what the command line called it: "cuda:0"
  kind       TEXT NOT NULL CONSTRAINT device_has_kind CHECK (kind <> ''),
  model      TEXT NOT NULL CONSTRAINT device_has_model CHECK (model <> ''),
  name       TEXT NOT NULL,
  pci_id     TEXT NOT NULL,
  properties TEXT NOT NULL CHECK (json_valid(properties)),
  comparable TEXT NOT NULL CHECK (json_valid(comparable)),
  recorded   TEXT NOT NULL CHECK (json_valid(recorded)),
  UNIQUE (uuid, local_id, kind, model, name, pci_id, properties, comparable, recorded)
) STRICT;

CREATE TABLE environment (
  id         INTEGER PRIMARY KEY,
  hash       TEXT NOT NULL CONSTRAINT environment_has_hash CHECK (hash <> ''), -- of `comparable` alone
  comparable TEXT NOT NULL CHECK (json_valid(comparable)),
  recorded   TEXT NOT NULL CHECK (json_valid(recorded)),
  UNIQUE (hash, comparable, recorded)
) STRICT;

CREATE TABLE gate (
  id            TEXT PRIMARY KEY NOT NULL CONSTRAINT gate_id_is_plain CHECK (id <> '' AND id NOT GLOB '*[^0-9A-Za-z_-]*'),
  mode          TEXT NOT NULL CONSTRAINT gate_mode_is_known CHECK (mode IN ('workers', 'refs', 'variants', 'runs')),
  baseline      TEXT NOT NULL, -- as the user named it
  candidate     TEXT NOT NULL,
  baseline_run  TEXT NOT NULL REFERENCES run (id),
  candidate_run TEXT NOT NULL REFERENCES run (id),
  command_line  TEXT NOT NULL,
  options       TEXT NOT NULL CONSTRAINT gate_options_are_json CHECK (options = '' OR json_valid(options)),
  rules_text    TEXT NOT NULL,
  seed          INTEGER NOT NULL,
  alpha         REAL NOT NULL CONSTRAINT alpha_is_a_probability CHECK (alpha > 0 AND alpha < 1),
  cases         INTEGER NOT NULL CONSTRAINT gate_cases_are_counted CHECK (cases >= 0),
  aa            INTEGER NOT NULL CHECK (aa IN (0, 1)),
  started       TEXT NOT NULL CONSTRAINT gate_started_is_utc CHECK (started GLOB '????-??-??T??:??:??Z'),
  finished      TEXT CONSTRAINT gate_finished_is_utc CHECK (finished GLOB '????-??-??T??:??:??Z'),
  status        TEXT NOT NULL CONSTRAINT gate_status_is_known
                CHECK (status IN ('running', 'finished', 'interrupted', 'failed')),
  CONSTRAINT gate_finishes_once_it_is_not_running CHECK ((status = 'running') = (finished IS NULL))
) STRICT;

CREATE TABLE "measurement" (
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

CREATE TABLE measurement_source (
  measurement_id INTEGER NOT NULL REFERENCES measurement (id),
  source_id      INTEGER NOT NULL REFERENCES source (id),
  PRIMARY KEY (measurement_id, source_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
  measurement_id INTEGER NOT NULL REFERENCES measurement (id),
  name           TEXT NOT NULL CHECK (name <> ''),
  value          REAL NOT NULL CONSTRAINT metric_is_finite CHECK (abs(value) < 9e999),
  unit           TEXT NOT NULL,
  direction      TEXT NOT NULL CHECK (direction IN ('lower', 'higher', 'none')),
  PRIMARY KEY (measurement_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE pair (
  id                    INTEGER PRIMARY KEY,
  gate_id               TEXT NOT NULL REFERENCES gate (id),
  case_name             TEXT NOT NULL, -- the candidate's
  round                 INTEGER NOT NULL CONSTRAINT round_is_counted CHECK (round >= 0),
  baseline_first        INTEGER NOT NULL CHECK (baseline_first IN (0, 1)),
  baseline_measurement  INTEGER NOT NULL UNIQUE REFERENCES measurement (id),
  candidate_measurement INTEGER NOT NULL UNIQUE REFERENCES measurement (id),
  baseline_disturbed TEXT NOT NULL DEFAULT '', candidate_disturbed TEXT NOT NULL DEFAULT '', -- why it does not count; '' when it does
  CONSTRAINT one_pair_a_round UNIQUE (gate_id, case_name, round)
) STRICT;

CREATE TABLE process (
  id        INTEGER PRIMARY KEY,
  run_id    TEXT NOT NULL REFERENCES run (id),
  build_id  INTEGER NOT NULL REFERENCES build (id),
  replicate INTEGER NOT NULL CHECK (replicate >= 0),
  seed      INTEGER NOT NULL,
  started   TEXT NOT NULL CONSTRAINT process_started_is_utc CHECK (started GLOB '????-??-??T??:??:??Z')
, imported TEXT NOT NULL DEFAULT '{}' CONSTRAINT imported_is_json CHECK (json_valid(imported)), hosts TEXT NOT NULL DEFAULT '{}' CONSTRAINT hosts_are_json CHECK (json_valid(hosts))) STRICT;

CREATE TABLE roof (
  run_id TEXT NOT NULL REFERENCES run (id),
  kind   TEXT NOT NULL CHECK (kind <> ''),
  value  REAL NOT NULL CONSTRAINT roof_is_positive CHECK (value > 0 AND value < 9e999),
  unit   TEXT NOT NULL CHECK (unit <> ''),
  source TEXT NOT NULL CHECK (source <> ''), -- 'measured', or where a datasheet's figure comes from
  PRIMARY KEY (run_id, kind, source)
) STRICT;

CREATE TABLE run (
  id             TEXT PRIMARY KEY NOT NULL CONSTRAINT run_id_is_plain CHECK (id <> '' AND id NOT GLOB '*[^0-9A-Za-z_-]*'),
  device_id      INTEGER NOT NULL REFERENCES device (id),
  environment_id INTEGER NOT NULL REFERENCES environment (id),
  label          TEXT NOT NULL,
  command_line   TEXT NOT NULL,
  profile        TEXT NOT NULL,
  profile_text   TEXT NOT NULL,
  seed           INTEGER NOT NULL,
  started        TEXT NOT NULL CONSTRAINT run_started_is_utc CHECK (started GLOB '????-??-??T??:??:??Z'),
  finished       TEXT CONSTRAINT run_finished_is_utc CHECK (finished GLOB '????-??-??T??:??:??Z'),
  status         TEXT NOT NULL CONSTRAINT run_status_is_known
                 CHECK (status IN ('running', 'finished', 'interrupted', 'failed')), gate TEXT NOT NULL DEFAULT '' CONSTRAINT run_gate_is_plain CHECK (gate NOT GLOB '*[^0-9A-Za-z_-]*'), unfit TEXT NOT NULL DEFAULT '', unstable REAL CONSTRAINT unstable_is_a_limit CHECK (unstable > 0 AND unstable < 9e999), imported TEXT NOT NULL DEFAULT '',
  CONSTRAINT run_finishes_once_it_is_not_running CHECK ((status = 'running') = (finished IS NULL))
) STRICT;

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

CREATE TABLE source (
  id   INTEGER PRIMARY KEY,
  file TEXT NOT NULL CONSTRAINT source_has_file CHECK (file <> ''),
  text TEXT NOT NULL CONSTRAINT source_is_of_bounded_size CHECK (length(CAST(text AS BLOB)) <= 1048576)
) STRICT;

CREATE TABLE telling (
  device  TEXT NOT NULL CONSTRAINT telling_has_device CHECK (device <> ''),
  profile TEXT NOT NULL,
  job     TEXT NOT NULL, -- the cases and the step that it asks for; '': all, and the usual one
  night   TEXT NOT NULL CONSTRAINT telling_night_is_a_day CHECK (night GLOB '????-??-??'), -- the newest then
  told_at TEXT NOT NULL CONSTRAINT telling_at_is_utc CHECK (told_at GLOB '????-??-??T??:??:??Z'),
  PRIMARY KEY (device, profile, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE told (
  label      TEXT PRIMARY KEY NOT NULL CONSTRAINT told_label_is_plain
             CHECK (length(label) BETWEEN 1 AND 100 AND label NOT GLOB '*[^0-9A-Za-z._-]*'),
  event      TEXT NOT NULL CONSTRAINT told_event_is_plain CHECK (event NOT GLOB '*[^0-9A-Za-z._-]*'), -- '': alone
  device     TEXT NOT NULL CONSTRAINT told_has_device CHECK (device <> ''), -- whose nights: 'device GPU-0', 'model cuda', 'pool:x cuda'
  profile    TEXT NOT NULL,
  case_name  TEXT NOT NULL CONSTRAINT told_has_case CHECK (case_name <> ''),
  what       TEXT NOT NULL CONSTRAINT told_what_is_known CHECK (what IN ('step', 'count', 'drift', 'stop')),
  kind       TEXT NOT NULL CONSTRAINT told_kind_is_known
             CHECK (kind IN ('regression', 'improvement', 'environment', 'drift', 'stopped')),
  metric     TEXT NOT NULL, -- of a count
  earliest   TEXT NOT NULL CONSTRAINT told_earliest_is_a_day CHECK (earliest GLOB '????-??-??'),
  night      TEXT NOT NULL CONSTRAINT told_night_is_a_day CHECK (night GLOB '????-??-??'),
  latest     TEXT NOT NULL CONSTRAINT told_latest_is_a_day CHECK (latest GLOB '????-??-??'),
  ratio      REAL CONSTRAINT told_ratio_is_positive CHECK (ratio > 0 AND ratio < 9e999),
  failed     INTEGER NOT NULL CHECK (failed IN (0, 1)),
  told_night TEXT NOT NULL CONSTRAINT told_as_of_a_day -- '': was never new
             CHECK (told_night = '' OR told_night GLOB '????-??-??'),
  told_at    TEXT NOT NULL CONSTRAINT told_at_is_utc CHECK (told_at GLOB '????-??-??T??:??:??Z'),
  state      TEXT NOT NULL CONSTRAINT told_state_is_known
             CHECK (state IN ('told', 'acknowledged', 'expected', 'resolved')),
  state_at   TEXT NOT NULL CONSTRAINT told_state_at_is_utc CHECK (state_at GLOB '????-??-??T??:??:??Z'),
  why        TEXT NOT NULL,
  said_by    TEXT NOT NULL, -- '': nobody said who; 'trend': the program itself
  CONSTRAINT told_lies_within_its_nights CHECK (earliest <= night AND night <= latest),
  CONSTRAINT told_state_is_explained CHECK (state = 'told' OR why <> '')
) STRICT, WITHOUT ROWID;

CREATE TABLE "verdict" (
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

CREATE UNIQUE INDEX case_said_once
  ON "case" (name, problem, options, device_kind, idea, ranks, ifnull(flops, -1), ifnull(bytes, -1), roof);

CREATE INDEX outcome_of_process ON measurement (process_id, outcome);

CREATE INDEX process_of_run ON process (run_id);

CREATE INDEX source_of_file ON source (file);

CREATE TRIGGER device_of_one_model BEFORE INSERT ON device
WHEN EXISTS (SELECT 1 FROM device WHERE model <> NEW.model)
BEGIN
  SELECT RAISE(ABORT, 'a results file holds one device model');
END;

CREATE TRIGGER emulated_devices_have_no_times BEFORE INSERT ON measurement
WHEN NEW.n > 0 AND EXISTS (
  SELECT 1 FROM process JOIN run ON run.id = run_id JOIN device ON device.id = device_id
  WHERE process.id = NEW.process_id AND device.kind = 'emulated')
BEGIN
  SELECT RAISE(ABORT, 'emulated_devices_have_no_times');
END;

CREATE TRIGGER gate_measures_two_runs_on_one_device BEFORE INSERT ON gate
WHEN NEW.mode <> 'runs' AND NOT EXISTS (
  SELECT 1 FROM run b JOIN device bd ON bd.id = b.device_id, run c JOIN device cd ON cd.id = c.device_id
  WHERE b.id = NEW.baseline_run AND c.id = NEW.candidate_run AND b.id <> c.id
    AND b.gate = NEW.id AND c.gate = NEW.id AND bd.uuid = cd.uuid)
BEGIN
  SELECT RAISE(ABORT, 'gate_measures_two_runs_on_one_device');
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

