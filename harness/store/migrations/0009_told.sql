-- What `ridgeline trend --fail-on-new` told of nights, so that it fails once for each change, and what people said of it.

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

-- Jobs that have told before. What a job finds on its first night is not new because it is found.
CREATE TABLE telling (
  device  TEXT NOT NULL CONSTRAINT telling_has_device CHECK (device <> ''),
  profile TEXT NOT NULL,
  job     TEXT NOT NULL, -- the cases and the step that it asks for; '': all, and the usual one
  night   TEXT NOT NULL CONSTRAINT telling_night_is_a_day CHECK (night GLOB '????-??-??'), -- the newest then
  told_at TEXT NOT NULL CONSTRAINT telling_at_is_utc CHECK (told_at GLOB '????-??-??T??:??:??Z'),
  PRIMARY KEY (device, profile, job)
) STRICT, WITHOUT ROWID;
