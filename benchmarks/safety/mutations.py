"""Damages run records, each in a way that its seed determines.

Byte mutations damage the file itself; the others keep a valid database and put odd values where a reader expects
ordinary ones.
"""

from __future__ import annotations

import json
import math
import random
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

ODD: list[Any] = [
    None, True, False, 0, -1, 1, 10**30, -(10**18), 2**31, 0.5, -0.0, 1e308, -1e308, 5e-324, math.nan, math.inf,
    -math.inf, "", "x", "nan", "<script>alert(1)</script>", "\x1b]0;title\x07\x1b[31m", "a" * 5000, "\u202e\ud7ff",
    "{}", [], {}, [[]], [None], [math.nan], {"": None}, {"a": {"b": []}}, [1, "2", None], list(range(300)), [{}],
    [[1, 2], 3],
]  # fmt: skip
STEPS = [-1, 0, 1, 5, 2**31, 2**52, 2**53, 2**63 - 1, -(2**63)]
VALUES = [math.nan, math.inf, -math.inf, 0.0, -1.0, 1e308, -1e308, 5e-324, 1e30]
COLUMNS = [
    ("facts", "key"), ("facts", "value"), ("series", "id"), ("series", "name"), ("points", "series"),
    ("points", "chunk"), ("points", "steps"), ("points", "values"), ("layer_sets", "id"), ("layer_sets", "names"),
    ("layers", "quantity"), ("layers", "step"), ("layers", "set_id"), ("layers", "values"), ("events", "step"),
    ("events", "kind"), ("events", "time"), ("events", "data"),
]  # fmt: skip
CELLS = ["0", "-1", "9223372036854775807", "1e308", "'word'", "''", "x''", "x'00ff'", "zeroblob(4096)", "'[1, 2]'"]
SCHEMA = [
    "DROP TABLE events",
    "DROP TABLE points",
    "ALTER TABLE facts RENAME TO other",
    "ALTER TABLE layers ADD COLUMN more TEXT",
    "CREATE TABLE more (x)",
    "CREATE INDEX more ON events (kind)",
    "CREATE VIEW more AS SELECT 1",
    "CREATE TRIGGER more AFTER INSERT ON facts BEGIN DELETE FROM facts; END",
    "CREATE VIRTUAL TABLE more USING fts4(x)",
]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n{}) SELECT {} FROM n"
BOMBS = {
    "facts": ("value, key", ENDLESS.format("", "i AS key, '1' AS value")),
    "events": ("", ENDLESS.format("", "i AS id, i AS step, 'x' AS kind, 0.0 AS time, '{}' AS data")),
    "points": ("", ENDLESS.format("", '0 AS series, i AS chunk, zeroblob(1 << 27) AS steps, zeroblob(8) AS "values"')),
    "layer_sets": ("", ENDLESS.format("", "i AS id, '[\"a\"]' AS names")),
    "layers": ("", ENDLESS.format("", "'grad_norm' AS quantity, i AS step, 0 AS set_id, zeroblob(4) AS \"values\"")),
    "series": ("", ENDLESS.format(" LIMIT 1000000", "i AS id, hex(zeroblob(1000000)) AS name")),
}


def mutate_bytes(path: Path, chance: random.Random) -> None:
    """Some bytes changed, taken out, doubled, or the end cut off."""
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 1, 4, 30, 400])):
        start = chance.randrange(100 if chance.random() < 0.8 else 0, max(101, len(content)))
        length = chance.choice([1, 1, 2, 8, 100, 4096])
        what = chance.randrange(4)
        if what == 0:
            content[start : start + length] = chance.randbytes(min(length, max(0, len(content) - start)))
        elif what == 1:
            content[start : start + length] = content[-length:]
        elif what == 2 and start < len(content):
            content[start] ^= 1 << chance.randrange(8)
        elif what == 3 and chance.random() < 0.05:
            del content[start:]
    path.write_bytes(bytes(content))


def mutate_facts(path: Path, chance: random.Random) -> None:
    """Odd values deep inside facts; whole facts replaced, taken out or called by another name."""
    with closing(sqlite3.connect(path)) as db, db:
        facts = {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM facts")}
        for _ in range(chance.choice([1, 2, 5, 20])):
            key = chance.choice(sorted(facts))
            if chance.random() < 0.15:
                facts[key] = chance.choice(ODD)
            elif chance.random() < 0.05:
                facts[chance.choice(sorted(facts))] = facts[key]
            else:
                facts[key] = _with_odd_part(facts[key], chance)
        db.executemany("UPDATE facts SET value = ? WHERE key = ?", [(json.dumps(v), k) for k, v in facts.items()])


def _with_odd_part(value: Any, chance: random.Random) -> Any:
    """The value with one part, at any depth, replaced or taken out."""
    if isinstance(value, dict) and value and chance.random() < 0.92:
        key = chance.choice(sorted(value))
        if chance.random() < 0.1:
            return {name: part for name, part in value.items() if name != key}
        return {**value, key: _with_odd_part(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.92:
        at = chance.randrange(len(value))
        if chance.random() < 0.1:
            return [*value[:at], *value[at + 1 :]]
        return [*value[:at], _with_odd_part(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


def mutate_columns(path: Path, chance: random.Random) -> None:
    """Values of another type in a column, in one row or in all."""
    with closing(sqlite3.connect(path)) as db, db:
        for _ in range(chance.choice([1, 1, 3])):
            table, column = chance.choice(COLUMNS)
            where = "" if chance.random() < 0.2 else " ORDER BY random() LIMIT 1"
            rows = f'SELECT "{column}" FROM {table}{where}'
            try:
                db.execute(f'UPDATE {table} SET "{column}" = {chance.choice(CELLS)} WHERE "{column}" IN ({rows})')
            except sqlite3.IntegrityError:
                pass  # a second row of the same key: SQLite itself refuses


def mutate_numbers(path: Path, chance: random.Random) -> None:
    """Odd numbers in series and tables: not finite, enormous, out of order, of no step that exists."""
    with closing(sqlite3.connect(path)) as db, db:
        points = db.execute('SELECT series, chunk, steps, "values" FROM points').fetchall()
        for series, chunk, steps, values in chance.sample(points, min(len(points), chance.choice([1, 3, 100]))):
            count = len(steps) // 8
            at = list(struct.unpack(f"<{count}q", steps))
            told = list(struct.unpack(f"<{count}d", values))
            share = chance.choice([0.02, 0.3, 1.0])
            if chance.random() < 0.7:
                told = [chance.choice(VALUES) if chance.random() < share else value for value in told]
            if chance.random() < 0.3:
                at = [chance.choice(STEPS[1:6]) if chance.random() < share else step for step in at]
            if chance.random() < 0.05:
                at = [chance.choice(STEPS) for _ in at]
            if chance.random() < 0.2:
                chance.shuffle(at)
            keep = chance.randrange(count + 1) if chance.random() < 0.2 else count
            db.execute(
                'UPDATE points SET steps = ?, "values" = ? WHERE series = ? AND chunk = ?',
                (struct.pack(f"<{keep}q", *at[:keep]), struct.pack(f"<{keep}d", *told[:keep]), series, chunk),
            )
        rows = db.execute('SELECT quantity, step, set_id, "values" FROM layers').fetchall()
        for quantity, step, number, values in chance.sample(rows, min(len(rows), chance.choice([0, 3, 1000]))):
            odd = b"".join(
                struct.pack("<f", chance.choice([math.nan, math.inf, 0.0, -1.0, 3e38, 1e-40]))
                if chance.random() < 0.3
                else values[i : i + 4]
                for i in range(0, len(values), 4)
            )
            db.execute(
                'UPDATE layers SET "values" = ? WHERE quantity = ? AND step = ? AND set_id = ?',
                (odd, quantity, step, number),
            )
        if chance.random() < 0.2:
            names = {row[0]: json.loads(row[1]) for row in db.execute("SELECT id, names FROM layer_sets")}
            number = chance.choice(sorted(names))
            names[number] = [chance.choice(["", "a", "<b>", name]) for name in names[number]]
            db.execute("UPDATE layer_sets SET names = ? WHERE id = ?", (json.dumps(names[number]), number))


def mutate_events(path: Path, chance: random.Random) -> None:
    """Events of every kind that exists, at odd steps and with odd data."""
    kinds = [
        "nonfinite-loss", "nonfinite-gradient", "nonfinite-origin", "nonfinite-batch", "loss-jump", "step-skipped",
        "clip-before-unscale", "grads-kept", "mode-changed", "lr-changed", "observer-off", "model-loaded",
        "backward-without-step", "\x1b[2J",
    ]  # fmt: skip
    fields = [
        "value", "param", "where", "module", "op", "site", "input_range", "detail", "input", "target", "from", "to",
        "scale", "threshold", "optimizer", "training", "group", "observer", "reason", "tensors", "backwards", "loss",
        "weights_finite", "grad_norm_before", "input_max", "grad_norm",
    ]  # fmt: skip
    with closing(sqlite3.connect(path)) as db, db:
        for _ in range(chance.choice([1, 3, 40])):
            data: Any = {name: chance.choice(ODD) for name in chance.sample(fields, chance.randrange(len(fields)))}
            if chance.random() < 0.3:
                data["where"] = chance.choice(["input", "target", "forward", "loss", "backward", "weights"])
            step = None if chance.random() < 0.2 else chance.choice(STEPS if chance.random() < 0.1 else STEPS[1:6])
            db.execute(
                "INSERT INTO events (step, kind, time, data) VALUES (?, ?, ?, ?)",
                (step, chance.choice(kinds), chance.choice([None, 0.0, 1e300]), json.dumps(data)),
            )


def mutate_schema(path: Path, chance: random.Random) -> None:
    """Objects that a record does not have, tables that are missing, views that never end in a table's place."""
    with closing(sqlite3.connect(path)) as db, db:
        if chance.random() < 0.5:
            db.execute(chance.choice(SCHEMA))
            return
        table = chance.choice(sorted(BOMBS))
        db.execute(f"DROP TABLE {table}")
        db.execute(f"CREATE VIEW {table} AS {BOMBS[table][1]}")


FAMILIES: dict[str, Callable[[Path, random.Random], None]] = {
    "records with damaged bytes": mutate_bytes,
    "records with odd facts": mutate_facts,
    "records with columns of another type": mutate_columns,
    "records with odd numbers": mutate_numbers,
    "records with odd events": mutate_events,
    "records with views, triggers or missing tables": mutate_schema,
}
