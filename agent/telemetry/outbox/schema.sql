CREATE TABLE box (epoch TEXT NOT NULL);

-- seq counts for ever: a number is never given twice.
CREATE TABLE message (
	seq      INTEGER PRIMARY KEY AUTOINCREMENT,
	topic    TEXT NOT NULL,
	retained INTEGER NOT NULL,
	payload  BLOB NOT NULL
);

-- once are the keys of what may be put in once only, delivered or not.
CREATE TABLE once (key TEXT PRIMARY KEY) WITHOUT ROWID;
