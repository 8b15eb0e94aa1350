-- What schema version 2 adds to version 1.

-- Amendments of the plan, oldest first. The plan itself is never changed.
CREATE TABLE changes (
    n          INTEGER PRIMARY KEY,
    who        TEXT NOT NULL,
    reason     TEXT NOT NULL,
    change     TEXT NOT NULL,    -- what it sets, JSON
    done       INTEGER NOT NULL, -- trials that counted before it
    changed_at TEXT NOT NULL
) STRICT;

-- What nobody shall read by accident before the study is closed, in base64.
CREATE TABLE sealed (
    what    TEXT PRIMARY KEY,
    content TEXT NOT NULL
) STRICT;

CREATE TRIGGER changes_stay BEFORE UPDATE ON changes BEGIN SELECT RAISE(ABORT, 'changes of the plan are never changed'); END;
CREATE TRIGGER sealed_stays BEFORE UPDATE ON sealed  BEGIN SELECT RAISE(ABORT, 'what is sealed is never changed'); END;
