-- Gates: what was compared with what (gate), what was measured next to each other (pair), and what was concluded
-- (verdict). Each side of a gate is a run, so that its samples are ordinary measurements. A gate's device is that of its
-- candidate's run. A verdict is replaced while its gate goes on; a gate and its runs are updated when it ends and when it
-- is resumed.

-- Which gate measured this run as one of its sides; '' for a run of its own. The run is stored first, so that a gate that
-- was killed as it began may be missing.
ALTER TABLE run ADD COLUMN gate TEXT NOT NULL DEFAULT '' CONSTRAINT run_gate_is_plain CHECK (gate NOT GLOB '*[^0-9A-Za-z_-]*');

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

CREATE TRIGGER gate_measures_two_runs_on_one_device BEFORE INSERT ON gate
WHEN NEW.mode <> 'runs' AND NOT EXISTS (
  SELECT 1 FROM run b JOIN device bd ON bd.id = b.device_id, run c JOIN device cd ON cd.id = c.device_id
  WHERE b.id = NEW.baseline_run AND c.id = NEW.candidate_run AND b.id <> c.id
    AND b.gate = NEW.id AND c.gate = NEW.id AND bd.uuid = cd.uuid)
BEGIN
  SELECT RAISE(ABORT, 'gate_measures_two_runs_on_one_device');
END;

-- The times are the medians of the two measurements.
CREATE TABLE pair (
  id                    INTEGER PRIMARY KEY,
  gate_id               TEXT NOT NULL REFERENCES gate (id),
  case_name             TEXT NOT NULL, -- the candidate's
  round                 INTEGER NOT NULL CONSTRAINT round_is_counted CHECK (round >= 0),
  baseline_first        INTEGER NOT NULL CHECK (baseline_first IN (0, 1)),
  baseline_measurement  INTEGER NOT NULL UNIQUE REFERENCES measurement (id),
  candidate_measurement INTEGER NOT NULL UNIQUE REFERENCES measurement (id),
  dropped               TEXT NOT NULL, -- why it does not count; '' when it does
  CONSTRAINT one_pair_a_round UNIQUE (gate_id, case_name, round)
) STRICT;

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

CREATE TABLE verdict (
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
  ratio           REAL CONSTRAINT ratio_is_positive CHECK (ratio > 0 AND ratio < 9e999),
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
       OR (ratio IS NOT NULL AND baseline_ns IS NOT NULL AND candidate_ns IS NOT NULL AND p_value IS NOT NULL
           AND level IS NOT NULL AND pairs > 0)),
  CONSTRAINT only_compared_cases_have_a_ratio
    CHECK (ratio IS NULL OR verdict IN ('regression', 'improvement', 'pass', 'undecided', 'invalid_environment')),
  CONSTRAINT verdict_reason_is_given CHECK (verdict NOT IN ('invalid_environment', 'no_baseline', 'skipped') OR reason <> ''),
  CONSTRAINT expected_is_explained CHECK (expected = 0 OR expectation <> '')
) STRICT, WITHOUT ROWID;
