# SPDX-License-Identifier: Apache-2.0
"""Converts a session's options to values. The worker has checked them against compiler.json."""
import json
from typing import Any, Dict, List, Mapping

_TYPES = {"bool": lambda text: text == "true", "int": int, "float": float}


def typed_options(described: List[Mapping[str, Any]], given: Mapping[str, str]) -> Dict[str, Any]:
    """Return a value for every described option: the given text, converted, or the default."""
    return {row["name"]: _TYPES.get(row["type"], _word)(given.get(row["name"], row["default"])) for row in described}


def _word(text: str) -> str:
    """Return a word without quotation marks: a default may be JSON text."""
    return json.loads(text) if text.startswith('"') else text
