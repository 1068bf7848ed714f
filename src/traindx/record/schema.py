"""The schema of a `.tdx` file. The observer's process needs it early, so only the standard library is imported."""

from __future__ import annotations

# "TDX1" as a number. SQLite's application_id distinguishes records from other SQLite databases.
APPLICATION_ID = 0x54445831
VERSION = 1

TABLES = """
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
-- A chunk packs up to a thousand points: steps as int64, values as float64, little-endian.
CREATE TABLE points (
    series INTEGER NOT NULL, chunk INTEGER NOT NULL, steps BLOB NOT NULL, "values" BLOB NOT NULL,
    PRIMARY KEY (series, chunk)
) WITHOUT ROWID;
-- The layers that the columns of `layers.values` (float32) stand for; a run may have several sets.
CREATE TABLE layer_sets (id INTEGER PRIMARY KEY, names TEXT NOT NULL);
CREATE TABLE layers (
    quantity TEXT NOT NULL, step INTEGER NOT NULL, set_id INTEGER NOT NULL, "values" BLOB NOT NULL,
    PRIMARY KEY (quantity, step, set_id)
);
CREATE TABLE events (id INTEGER PRIMARY KEY, step INTEGER, kind TEXT NOT NULL, time REAL, data TEXT NOT NULL);
"""
