-- The ledger of one study, schema version 1. Times of trials are seconds:
-- start_s and end_s by the rig's monotonic clock, t_*_s after start_s. Columns
-- named *_at are wall-clock dates (RFC 3339). Nothing is ever updated: rows are
-- added, and the view "outcomes" shows what counts after all amendments.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- One row for each attempt, written when it begins.
CREATE TABLE trials (
    id           TEXT PRIMARY KEY,
    ord          INTEGER NOT NULL, -- place in the study's order
    attempt      INTEGER NOT NULL,
    scene        TEXT NOT NULL,
    placement_id INTEGER NOT NULL,
    policy       TEXT NOT NULL,
    seed         INTEGER NOT NULL,
    description  TEXT NOT NULL,    -- the whole trial, JSON
    begun_at     TEXT NOT NULL,
    UNIQUE (ord, attempt)
) STRICT;

-- One row for each attempt that ended. Begun without a row here: interrupted.
CREATE TABLE results (
    trial_id       TEXT PRIMARY KEY REFERENCES trials (id),
    termination    TEXT NOT NULL,
    note           TEXT NOT NULL,
    start_s        REAL NOT NULL,
    end_s          REAL NOT NULL,
    control_steps  INTEGER NOT NULL,
    t_grasp_s      REAL,
    t_lift_s       REAL,
    t_success_s    REAL,
    recovered      TEXT NOT NULL,  -- labels, JSON
    unstable       INTEGER NOT NULL,
    mirror_success INTEGER,
    mirror_partial INTEGER,
    gap            TEXT,           -- JSON
    loop           TEXT,           -- JSON
    ended_at       TEXT NOT NULL
) STRICT;

CREATE TABLE provenance (
    trial_id      TEXT PRIMARY KEY REFERENCES results (trial_id),
    config_sha256 TEXT NOT NULL,
    software      TEXT NOT NULL,
    mujoco        TEXT NOT NULL,
    seed          INTEGER NOT NULL
) STRICT;

CREATE TABLE verdicts (
    trial_id TEXT PRIMARY KEY REFERENCES results (trial_id),
    success  INTEGER NOT NULL,
    partial  INTEGER NOT NULL,
    labels   TEXT NOT NULL,        -- JSON
    source   TEXT NOT NULL,
    who      TEXT NOT NULL,
    given_at TEXT NOT NULL
) STRICT;

CREATE TABLE amendments (
    n           INTEGER PRIMARY KEY,
    trial_id    TEXT NOT NULL REFERENCES results (trial_id),
    who         TEXT NOT NULL,
    reason      TEXT NOT NULL,
    termination TEXT NOT NULL,     -- '' leaves it
    verdict     TEXT,              -- JSON; NULL leaves it
    amended_at  TEXT NOT NULL
) STRICT;

CREATE TABLE events (
    n        INTEGER PRIMARY KEY,
    trial_id TEXT NOT NULL,        -- '' outside a trial
    kind     TEXT NOT NULL,
    detail   TEXT NOT NULL,
    at       TEXT NOT NULL
) STRICT;

CREATE TRIGGER results_stay    BEFORE UPDATE ON results    BEGIN SELECT RAISE(ABORT, 'results are never changed'); END;
CREATE TRIGGER verdicts_stay   BEFORE UPDATE ON verdicts   BEGIN SELECT RAISE(ABORT, 'verdicts are amended, never changed'); END;
CREATE TRIGGER amendments_stay BEFORE UPDATE ON amendments BEGIN SELECT RAISE(ABORT, 'amendments are never changed'); END;

-- Every attempt as it counts now; termination is NULL while it runs, or if it
-- was interrupted. The verdict's columns are NULL until one is given.
CREATE VIEW outcomes AS
SELECT id, ord, attempt, scene, placement_id, policy, termination,
       termination IN ('success', 'timeout', 'operator_stop', 'estop') AS counted,
       verdict ->> 'success'         AS success,
       verdict ->> 'partial_success' AS partial,
       verdict -> 'labels'           AS labels,
       t_success_s
FROM (
    SELECT t.*, r.t_success_s,
           coalesce(
               (SELECT a.termination FROM amendments a
                WHERE a.trial_id = t.id AND a.termination <> '' ORDER BY a.n DESC LIMIT 1),
               r.termination) AS termination,
           coalesce(
               (SELECT a.verdict FROM amendments a
                WHERE a.trial_id = t.id AND a.verdict IS NOT NULL ORDER BY a.n DESC LIMIT 1),
               (SELECT json_object('success', json(iif(v.success, 'true', 'false')),
                                   'partial_success', json(iif(v.partial, 'true', 'false')),
                                   'labels', json(v.labels))
                FROM verdicts v WHERE v.trial_id = t.id)) AS verdict
    FROM trials t LEFT JOIN results r ON r.trial_id = t.id
)
ORDER BY ord, attempt;
