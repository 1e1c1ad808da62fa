# SPDX-License-Identifier: Apache-2.0
"""Imports a module of a compiler's folder in a process that only asks a question of it."""
import importlib
import sys
import types

_PACKAGE = "ngraphbench_asked"  # not that of adaptors, which a module may load itself


def load(folders, name):
    """Return the module `name` of the first of the folders that has it; the others have modules that it may import."""
    package = types.ModuleType(_PACKAGE)
    package.__path__ = folders
    sys.modules[_PACKAGE] = package
    return importlib.import_module(f"{_PACKAGE}.{name}")
