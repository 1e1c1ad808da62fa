# SPDX-License-Identifier: Apache-2.0
"""Converts a session's options to values. The worker has checked them against compiler.json."""
from typing import Any, Dict, List, Mapping

_TYPES = {"bool": lambda text: text == "true", "int": int, "float": float}


def typed_options(described: List[Mapping[str, Any]], given: Mapping[str, str]) -> Dict[str, Any]:
    """Return a value for every described option: the given text, converted, or the default."""
    return {row["name"]: _TYPES.get(row["type"], str)(given.get(row["name"], row["default"])) for row in described}
