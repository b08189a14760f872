-- Results of one device model: who measured (device, environment, build), when (run, process), what (case) and what came
-- out (measurement, metric, roof). Rows are only added; a run alone is updated once, when it ends.
-- Facts are JSON objects of strings, fields of a case JSON arrays of [key, value]. 64-bit seeds are stored as the signed
-- integer with the same bits. Times of day are UTC. All durations are in ns.

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

CREATE TRIGGER device_of_one_model BEFORE INSERT ON device
WHEN EXISTS (SELECT 1 FROM device WHERE model <> NEW.model)
BEGIN
  SELECT RAISE(ABORT, 'a results file holds one device model');
END;

CREATE TABLE environment (
  id         INTEGER PRIMARY KEY,
  hash       TEXT NOT NULL CONSTRAINT environment_has_hash CHECK (hash <> ''), -- of `comparable` alone
  comparable TEXT NOT NULL CHECK (json_valid(comparable)),
  recorded   TEXT NOT NULL CHECK (json_valid(recorded)),
  UNIQUE (hash, comparable, recorded)
) STRICT;

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
                 CHECK (status IN ('running', 'finished', 'interrupted', 'failed')),
  CONSTRAINT run_finishes_once_it_is_not_running CHECK ((status = 'running') = (finished IS NULL))
) STRICT;

CREATE TABLE process (
  id        INTEGER PRIMARY KEY,
  run_id    TEXT NOT NULL REFERENCES run (id),
  build_id  INTEGER NOT NULL REFERENCES build (id),
  replicate INTEGER NOT NULL CHECK (replicate >= 0),
  seed      INTEGER NOT NULL,
  started   TEXT NOT NULL CONSTRAINT process_started_is_utc CHECK (started GLOB '????-??-??T??:??:??Z')
) STRICT;
CREATE INDEX process_of_run ON process (run_id);

-- What was said of a case when it was measured. A case whose idea or least work is stated anew gets another row, so that
-- older runs keep theirs; `name` is its identity across rows.
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
CREATE UNIQUE INDEX case_said_once
  ON "case" (name, problem, options, device_kind, idea, ranks, ifnull(flops, -1), ifnull(bytes, -1), roof);

CREATE TABLE measurement (
  id                    INTEGER PRIMARY KEY,
  process_id            INTEGER NOT NULL REFERENCES process (id),
  case_id               INTEGER NOT NULL REFERENCES "case" (id),
  attempt               INTEGER NOT NULL CHECK (attempt >= 1),
  outcome               TEXT NOT NULL CONSTRAINT outcome_is_known CHECK (outcome IN
                          ('ok', 'unstable', 'invalid_environment', 'wrong_result', 'unsupported', 'unavailable', 'crashed',
                           'timeout')),
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
  CONSTRAINT ok_needs_no_reason CHECK (outcome <> 'ok' OR reason = ''),
  CONSTRAINT reason_is_given CHECK (outcome NOT IN ('invalid_environment', 'unsupported', 'unavailable') OR reason <> '')
) STRICT;
CREATE INDEX outcome_of_process ON measurement (process_id, outcome); -- counts without reading samples

CREATE TABLE metric (
  measurement_id INTEGER NOT NULL REFERENCES measurement (id),
  name           TEXT NOT NULL CHECK (name <> ''),
  value          REAL NOT NULL CONSTRAINT metric_is_finite CHECK (abs(value) < 9e999),
  unit           TEXT NOT NULL,
  direction      TEXT NOT NULL CHECK (direction IN ('lower', 'higher', 'none')),
  PRIMARY KEY (measurement_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE roof (
  run_id TEXT NOT NULL REFERENCES run (id),
  kind   TEXT NOT NULL CHECK (kind <> ''),
  value  REAL NOT NULL CONSTRAINT roof_is_positive CHECK (value > 0 AND value < 9e999),
  unit   TEXT NOT NULL CHECK (unit <> ''),
  source TEXT NOT NULL CHECK (source <> ''), -- 'measured', or where a datasheet's figure comes from
  PRIMARY KEY (run_id, kind, source)
) STRICT;
