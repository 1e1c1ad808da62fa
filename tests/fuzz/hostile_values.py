# SPDX-License-Identifier: Apache-2.0
"""Puts values that no ngb writes into the columns of a results file: nested, huge, of another type, not UTF-8."""

import json
import random
import sqlite3

_DEEP = 200_000
_LONG = 3_000_000


def _deep(opening, closing):
    return (opening * _DEEP + closing * _DEEP).encode()


# By kind: texts as bytes, because a text may be no UTF-8.
TEXTS = {
    "empty": b"",
    "nested lists": _deep("[", "]"),
    "nested objects": b'{"a":' * _DEEP + b"0" + b"}" * _DEEP,
    "unclosed lists": b"[" * _DEEP,
    "nested in an object": b'{"name":"s","devices":' + _deep("[", "]") + b"}",
    "long": b"x" * _LONG,
    "long JSON text": b'{"a":"' + b"x" * _LONG + b'"}',
    "many elements": b"[" + b"{}," * 500_000 + b"{}]",
    "many keys": b"{" + b",".join(b'"%d":0' % i for i in range(200_000)) + b"}",
    "long number": b"[1" + b"0" * 400 + b"]",
    "not UTF-8": b"\xff\xfe\x80",
    "not UTF-8 in JSON": b'{"a":"\xc3\x28\xff"}',
    "lone surrogate": b'"\\ud800"',
    "zero byte": b"a\0b",
    "terminal and direction": "\x1b[2J\u202e\u2066=HYPERLINK(\"x\")\r\n".encode(),
    "path": b"../../../../../../etc/passwd",
    "absolute path": b"/dev/zero",
    "SQL": b"'); DROP TABLE cell; --",
    "list": b"[1,null,\"a\",{}]",
    "object": b'{"a":[{}],"b":null}',
    "number as text": b"18446744073709551616",
    "not a number": b"nan",
    "format": b"{0}{:>99999999}%n%s{{x}}",
}
NUMBERS = {
    "largest": 2**63 - 1,
    "smallest": -(2**63),
    "minus one": -1,
    "zero": 0,
    "2^31": 2**31,
    "2^31 - 1": 2**31 - 1,
    "2^53 + 1": 2**53 + 1,
    "NaN": float("nan"),  # NULL in a column, NaN in JSON
    "infinite": float("inf"),
    "negative infinite": float("-inf"),
    **{repr(each): each for each in (1e77, 1e154, 1e200, 1e308, 1e-81, 1e-160, 1e-308, 5e-324)},
    "a half": 0.5,
}
OTHERS = {"none": None, "blob": b"\x00\xff" * 100, "long blob": bytes(_LONG)}
# Longer values go into one row only: in every row they would make a file larger than any results.
_ONE_ROW_BYTES = 1000


def columns_of(database):
    """Returns (table, column, declared type) of every column that holds values."""
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    columns = [(table, column[1], column[2]) for table in tables if not table.startswith("sqlite_")
               for column in database.execute(f"PRAGMA table_xinfo({table})") if column[6] == 0]
    return [each for each in columns
            if database.execute(f"SELECT count(*) FROM {each[0]}").fetchone()[0] > 0]


def _value(draw, declared):
    """Returns (kind, SQL expression, parameter); mostly of the column's own type, because others are seen at once."""
    is_text = declared == "TEXT"
    if draw.random() < 0.15:
        is_text = not is_text
    if draw.random() < 0.08:
        kind = draw.choice(sorted(OTHERS))
        return kind, "?", OTHERS[kind]
    if is_text:
        kind = draw.choice(sorted(TEXTS))
        return kind, "CAST(? AS TEXT)", TEXTS[kind]
    kind = draw.choice(sorted(NUMBERS))
    return kind, "?", NUMBERS[kind]


def _within(draw, database, table, column):
    """Returns JSON of the column in which one part is another value; None if the column has no JSON, or by chance."""
    if not column.endswith("_json") or draw.random() < 0.4:
        return None
    text = database.execute(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL").fetchone()
    whole = json.loads(text[0]) if text else None
    places = []

    def visit(part):
        for key in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            places.append((part, key))
            visit(part[key])

    visit(whole)
    if not places:
        return None
    part, key = draw.choice(places)
    kind = draw.choice(sorted([*TEXTS, *NUMBERS]))
    mark = "@hostile@"
    if kind in TEXTS and draw.random() < 0.3 and isinstance(part, dict):  # in place of a key
        part[mark] = part.pop(key)
    else:
        part[key] = mark
    other = TEXTS.get(kind, b"") if kind in TEXTS else json.dumps(NUMBERS[kind]).encode()
    if kind in TEXTS and not kind.startswith(("nested", "unclosed", "many", "list", "object", "not a")):
        other = b'"' + other.replace(b'"', b'\\"') + b'"'
    return (f"{kind} at {key}", "CAST(? AS TEXT)", json.dumps(whole).encode().replace(f'"{mark}"'.encode(), other))


def _set(database, schema, table, column, sql, value, row):
    """Sets a column of one row, or of all; of another type than its table allows, too."""
    where, having = ("", ()) if row is None else (f" WHERE ({row[0]}) = ({row[1]})", row[2])
    statement = f"UPDATE OR IGNORE {table} SET {column} = {sql}{where}"
    try:
        database.execute(statement, (value, *having))
        return
    except (sqlite3.IntegrityError, sqlite3.OperationalError):
        pass
    version = database.execute("PRAGMA schema_version").fetchone()[0]
    database.execute("PRAGMA writable_schema = ON")
    loose = schema[table].replace(" STRICT", "").replace(", WITHOUT ROWID", " WITHOUT ROWID").replace("NOT NULL", "")
    loose = loose.rstrip().removesuffix(",").replace(")WITHOUT", ") WITHOUT")
    for text in (loose, schema[table]):
        database.execute("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", (text, table))
        version += 1
        database.execute(f"PRAGMA schema_version = {version}")
        if text is loose:
            try:
                database.execute(statement, (value, *having))
            except sqlite3.Error:
                pass  # a key that must differ, or what else its table cannot hold
    database.execute("PRAGMA writable_schema = OFF")


def mutate(path, seed):
    """Changes a copy of a results file. Returns what was changed, as text."""
    draw = random.Random(seed)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA journal_mode = MEMORY")
    database.execute("PRAGMA ignore_check_constraints = ON")
    for name, kind in database.execute("SELECT name, type FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP {kind} {name}")
    schema = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
    columns = columns_of(database)
    changed = []
    for table, column, declared in draw.sample(columns, draw.choice((1, 1, 1, 1, 2, 3, 8))):
        kind, sql, value = _within(draw, database, table, column) or _value(draw, declared)
        keys = [each[1] for each in database.execute(f"PRAGMA table_info({table})") if each[5] > 0]
        is_large = isinstance(value, bytes) and len(value) > _ONE_ROW_BYTES
        row = None
        if keys and (is_large or draw.random() < 0.5):
            names = ", ".join(keys)
            try:
                found = database.execute(f"SELECT {names} FROM {table}").fetchall()
            except sqlite3.OperationalError:  # a key is no UTF-8 any more
                found = []
            if found:
                row = (names, ", ".join("?" * len(keys)), draw.choice(found))
        _set(database, schema, table, column, sql, value, row)
        changed.append(f"{table}.{column} = {kind}{'' if row is None else ' in one row'}")
    database.close()
    return "; ".join(changed)
