# SPDX-License-Identifier: Apache-2.0
"""The options that a study gives, checked against the table in compiler.json."""
import difflib
import json
import math
from typing import Any, Dict, List, Mapping

from ngraphbench.adaptor import CompilerError

_NUMBERS = {"int": int, "float": float}


def parse_options(described: List[Mapping[str, Any]], given: Mapping[str, str]) -> Dict[str, Any]:
    """Every described option, the given ones from their text, the others from their defaults.
    Raises CompilerError("invalid_option")."""
    rows = {row["name"]: row for row in described}
    for name in given:
        if name not in rows:
            raise CompilerError("invalid_option", f'unknown option "{name}"', _advice(name, list(rows)))
    return {name: _parse(row, given.get(name, row["default"])) for name, row in rows.items()}


def _advice(name: str, known: List[str]) -> str:
    if not known:
        return "this compiler takes no options"
    near = difflib.get_close_matches(name, known, 1)
    return f'did you mean "{near[0]}"?' if near else "known options: " + ", ".join(sorted(known))


def _parse(row: Mapping[str, Any], text: str) -> Any:
    kind = row["type"]
    if kind == "bool":
        if text in ("true", "false"):
            return text == "true"
        raise _refusal(row, text, "true or false")
    if kind in _NUMBERS:
        try:
            number = _NUMBERS[kind](text)
        except ValueError:
            raise _refusal(row, text, "a whole number" if kind == "int" else "a number") from None
        if not math.isfinite(number):
            raise _refusal(row, text, "a finite number")
        return number
    return _parse_word(row, text)


def _parse_word(row: Mapping[str, Any], text: str) -> str:
    word = _unquoted(text)
    words = [_unquoted(value) for value in row.get("values", [])]
    if words and word not in words:
        raise _refusal(row, word, "one of " + ", ".join(words))
    return word


def _unquoted(text: str) -> str:
    """A word may come as it is or as JSON text."""
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return text
    return text


def _refusal(row: Mapping[str, Any], text: str, expected: str) -> CompilerError:
    return CompilerError("invalid_option", f'option "{row["name"]}" cannot be "{text}"', f"give {expected}")
