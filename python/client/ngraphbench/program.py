# SPDX-License-Identifier: Apache-2.0
"""Finds and calls the program `ngb`."""

import importlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from typing import Any

from ngraphbench.errors import ProgramError, ProgramMissingError

VARIABLE = "NGB"
_STAND_IN = "ngraphbench_stand_in"  # a module that only the wheel without programs has


def find_program() -> pathlib.Path:
    """Returns the path of the program `ngb`.

    It is the one that the environment variable NGB names, else the one beside this package (in its folder `bin`, or in
    the scripts folder of this Python), else the first one in PATH. Raises ProgramMissingError if there is none, or if
    NGB names something else than a program. On a system for which ngb has no programs, its message says so.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if _is_program(pathlib.Path(named)):
            return pathlib.Path(named)
        raise ProgramMissingError(f"{VARIABLE}={named}: there is no such program; let {VARIABLE} name the file `ngb`")
    for candidate in _candidates():
        if _is_program(candidate):
            return candidate
    if importlib.util.find_spec(_STAND_IN):
        raise ProgramMissingError(importlib.import_module(_STAND_IN).message_here())
    raise ProgramMissingError(
        "the program `ngb` was not found beside this package or in PATH; build it (make quickstart) and let the "
        f"environment variable {VARIABLE} name it, for example {VARIABLE}=build/release/bin/ngb"
    )


def _candidates() -> Iterator[pathlib.Path]:
    yield pathlib.Path(__file__).resolve().parent / "bin" / "ngb"
    yield pathlib.Path(sysconfig.get_path("scripts")) / "ngb"
    in_path = shutil.which("ngb")
    if in_path:
        yield pathlib.Path(in_path)


def _is_program(path: pathlib.Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK) and not _is_stand_in(path)


def _is_stand_in(path: pathlib.Path) -> bool:
    """Whether it is the script that pip has made of the stand-in; a program that cannot be read is none."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return head.startswith(b"#!") and _STAND_IN.encode() in head


def command_of(*arguments: str | os.PathLike[str]) -> list[str]:
    """Returns the command line of `ngb` with these arguments, of which paths are never options. Raises ProgramMissingError."""
    return [str(find_program().absolute()), *(word(each) for each in arguments)]


def word(argument: str | os.PathLike[str]) -> str:
    """Returns the argument as `ngb` reads it: a path that begins as an option does gets "./" before it."""
    text = os.fspath(argument)
    return f"./{text}" if isinstance(argument, os.PathLike) and text.startswith("-") else text


def cannot_start(command: list[str], error: OSError) -> ProgramMissingError:
    """Returns the error for a program that the system refuses to start."""
    return ProgramMissingError(
        f"{command[0]} cannot be started: {error.strerror}; is it built for this machine and system?"
    )


def call(*arguments: str | os.PathLike[str]) -> str:
    """Returns what `ngb` prints on stdout. Raises ProgramError if it ends with another exit code than 0, and
    ProgramMissingError if it cannot be started."""
    command = command_of(*arguments)
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, encoding="utf-8", errors="replace"
        )
    except OSError as error:
        raise cannot_start(command, error) from error
    if done.returncode != 0:
        raise ProgramError(command, done.returncode, done.stderr)
    return done.stdout


def call_json(*arguments: str | os.PathLike[str]) -> Any:
    """Returns the JSON value that `ngb` prints. Raises as `call` does."""
    return json.loads(call(*arguments))
