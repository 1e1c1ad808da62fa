# SPDX-License-Identifier: Apache-2.0
"""The source of what a module in memory is made of: definitions of a notebook or script, and files of the user's own."""

import ast
import contextlib
import inspect
import linecache
import pathlib
import shutil
import symtable
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ngraphbench.errors import ModelError

_HERE = "__main__"  # the module of a notebook's cells, and of a script that is run


class Source:
    """Collects definitions of `__main__` and imports, each after those that it needs, and copies the user's own modules into
    `folder`. `by_value(name, value)` returns the Python expression of a value that has no definition, such as a constant."""

    def __init__(self, folder: pathlib.Path, by_value: Callable[[str, Any], str]) -> None:
        self._folder = folder
        self._by_value = by_value
        self._space = vars(sys.modules[_HERE])
        self._parts: dict[str, None] = {}  # in order, each once
        self._named: set[str] = set()

    @property
    def text(self) -> str:
        return "\n".join(self._parts)

    def add(self, made_of: Any) -> None:
        """Adds a class or function, with all that it needs."""
        if made_of.__module__ == _HERE:
            self._add_name(made_of.__qualname__.partition(".")[0])
        elif self._copy(str(made_of.__module__)):
            self._parts[f"import {made_of.__module__}"] = None

    def _add_name(self, name: str) -> None:
        if name in self._named or name not in self._space:
            return  # a builtin, or what is nowhere: Python says so when it gets there
        self._named.add(name)
        value = self._space[name]
        owner = str(getattr(value, "__module__", None))
        called = getattr(value, "__qualname__", getattr(value, "__name__", ""))
        renamed = "" if called == name else f" as {name}"
        if isinstance(value, types.ModuleType):
            self._copy(value.__name__)
            text = f"import {value.__name__}{renamed}"
        elif owner == _HERE and isinstance(value, (type, types.FunctionType)):
            text = f"\n{_definition(name, value)}"
            for used in sorted(_globals_of(text)):
                self._add_name(used)
        elif owner != _HERE and getattr(sys.modules.get(owner), called, None) is value:
            self._copy(owner)
            text = f"from {owner} import {called}{renamed}"
        else:
            text = f"{name} = {self._by_value(name, value)}"
        self._parts[text] = None

    def _copy(self, name: str) -> bool:
        """Copies a module, and those that it imports, if they are files of the user's own. Returns whether it is one."""
        top = name.partition(".")[0]
        module = sys.modules.get(top)
        paths = [pathlib.Path(path) for path in (*getattr(module, "__path__", ()), getattr(module, "__file__", None)) if path]
        is_installed = any(any(path.parent.glob("*.dist-info")) for path in paths)
        if top in (_HERE, *sys.stdlib_module_names) or not paths or is_installed:
            return False
        for path in paths[0].rglob("*.py") if paths[0].is_dir() else paths:
            copy = self._folder / path.relative_to(paths[0].parent)
            if copy.exists():
                return True  # all of it is there
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
            for imported in _imports_of(path):
                self._copy(imported)
        return True


def _definition(name: str, value: Any) -> str:
    """Returns the statement that defines a class or function of `__main__`."""
    for code in _codes_of(value):
        for first, last, text in _statements(code.co_filename, name):
            if first <= code.co_firstlineno <= last:
                return text
    # A dataclass may have no function of its own that tells in which cell it is; the newest cell counts.
    for file in (getattr(sys.modules[_HERE], "__file__", None), *reversed(list(linecache.cache))):
        found = [text for _, _, text in _statements(file, name)] if file else []
        if found:
            return found[-1]
    raise ModelError(
        f"the source of {name} is not kept by the prompt at which it was typed; define it in a file or in a cell of a notebook"
    )


def _codes_of(value: Any) -> Iterator[types.CodeType]:
    for member in vars(value).values() if isinstance(value, type) else [value]:
        function = inspect.unwrap(getattr(member, "__func__", getattr(member, "fget", member)))
        code = getattr(function, "__code__", None)
        if isinstance(code, types.CodeType):
            yield code


def _statements(file: str, name: str) -> Iterator[tuple[int, int, str]]:
    """Yields the first and the last line, and the text, of each statement at the top of a file that binds the name."""
    lines = linecache.getlines(file)
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.parse("".join(lines)).body:
            targets = getattr(node, "targets", [node])
            if name in [getattr(each, "name", getattr(each, "id", None)) for each in targets]:
                first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
                last = node.end_lineno or node.lineno
                yield first, last, "".join(lines[first - 1 : last]).rstrip() + "\n"


def _globals_of(text: str) -> set[str]:
    """Returns the names that statements read from their module, or from Python."""

    def used(table: symtable.SymbolTable, is_top: bool) -> Iterator[str]:
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (is_top or symbol.is_global()):
                yield symbol.get_name()
        for child in table.get_children():
            yield from used(child, is_top=False)

    return set(used(symtable.symtable(text, "<saved>", "exec"), is_top=True))


def _imports_of(path: pathlib.Path) -> Iterator[str]:
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                yield node.module
