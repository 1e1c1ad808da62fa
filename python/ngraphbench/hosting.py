# SPDX-License-Identifier: Apache-2.0
"""What the extension `_loop` talks to: turns the plain values of the C table into what adaptors see, and back."""
import gc
import importlib
import json
import os
import sys
import traceback
import types
from typing import Any, List, Mapping, Sequence, Tuple, Type

from ngraphbench.adaptor import FAILURE_KINDS, Adaptor, CompilerError, Model, Settings, Tensor, TensorSignature
from ngraphbench.options import parse_options

# ngb_status of include/ngraphbench/compiler.h.
_STATUS = {
    "invalid_option": 1, "invalid_model": 2, "unsupported_operator": 3, "toolchain_missing": 4, "import_error": 5,
    "out_of_memory": 6, "fallback": 7, "device_lost": 8, "internal": 9,
    "no_device": 10,
}
assert set(_STATUS) == set(FAILURE_KINDS)

# The adaptor's folder as a package, so that its module names clash with nothing; behind it, the folder of the compiler
# whose toolchain it shares.
_PACKAGE = "ngraphbench_compiler"


class Host:
    """One compiler folder: its description, and its adaptor once somebody needs it."""

    def __init__(self, compiler_dir: str):
        """Raises OSError or ValueError when compiler.json is not there or does not name an adaptor."""
        self.folder = os.path.abspath(compiler_dir)
        path = os.path.join(self.folder, "compiler.json")
        with open(path, encoding="utf-8") as file:
            self.description = file.read()
        described = json.loads(self.description)
        if not isinstance(described, dict) or ":" not in str(described.get("adaptor", "")):
            raise ValueError(f'{path}: needs "adaptor": "module:Class"')
        self.produces_file = bool(described.get("produces_file", False))
        self._options = described.get("options", [])
        owner = str(described.get("toolchain", described.get("name", "")))
        self._modules = list(dict.fromkeys([self.folder, os.path.join(os.path.dirname(self.folder), owner)]))
        self._module, _, self._class = described["adaptor"].partition(":")

    def module(self, name: str) -> types.ModuleType:
        """One of the compiler's modules, by its name in the folder."""
        if _PACKAGE not in sys.modules:
            package = types.ModuleType(_PACKAGE)
            package.__path__ = self._modules
            sys.modules[_PACKAGE] = package
        return importlib.import_module(f"{_PACKAGE}.{name}")

    def adaptor_class(self) -> Type[Adaptor]:
        """Imports the adaptor's module, the first time."""
        found = getattr(self.module(self._module), self._class, None)
        if not isinstance(found, type):
            raise CompilerError("internal", f'{self.folder}: module "{self._module}" has no class "{self._class}"')
        return found

    def preload(self) -> None:
        """Pays for the imports, the first time. Raises whatever they raise."""
        self.adaptor_class().preload()

    def open(self, toolchain_dir: str, device: str, precision: str, threads: int, options: Mapping[str, str],
             cache_dir: str = ""):
        typed = parse_options(self._options, options)
        if toolchain_dir:
            if not os.path.isdir(toolchain_dir):
                raise CompilerError("toolchain_missing", f"{toolchain_dir} is not a folder",
                                    "install the toolchain again: ngb toolchain install")
            if toolchain_dir not in sys.path:
                sys.path.append(toolchain_dir)
        self.preload()  # where the fork server has not: imports are no part of compiling
        return Session(self.adaptor_class()(Settings(toolchain_dir, device, precision, threads, typed, cache_dir)))

    def failure(self, exception: BaseException) -> Tuple[int, str, str]:
        """(ngb_status, message, advice). All but CompilerError leave their traceback in the log."""
        if isinstance(exception, CompilerError):
            status = _STATUS.get(exception.kind, _STATUS["internal"])
            return status, _clean(exception.message), _clean(exception.advice)
        traceback.print_exception(type(exception), exception, exception.__traceback__)
        sys.stderr.flush()
        message = _clean("".join(traceback.format_exception_only(type(exception), exception)).strip())
        message = message.splitlines()[-1] if message else type(exception).__name__
        if isinstance(exception, MemoryError) or type(exception).__name__ == "OutOfMemoryError":  # torch's, of a GPU
            return _STATUS["out_of_memory"], message, ""
        if type(exception).__name__ == "AcceleratorError":  # torch's: the GPU's context is broken from here on
            return _STATUS["device_lost"], message, ""
        if isinstance(exception, ImportError):
            return _STATUS["import_error"], message, "install the toolchain again: ngb toolchain install"
        return _STATUS["internal"], message, "the traceback is in the log of this attempt"


def _clean(text: Any) -> str:
    """Text that has a UTF-8 form and no zero character, whatever it was."""
    return str(text).encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


class Session:
    """An open adaptor, called with the C table's values."""

    def __init__(self, adaptor: Adaptor):
        self._adaptor = adaptor

    def compile(self, path: str, recipe_json: str, inputs: Sequence[tuple], artifact_path: str) -> None:
        self._adaptor.compile(_model(path, recipe_json, inputs, artifact_path))

    def load(self, path: str, recipe_json: str, inputs: Sequence[tuple], artifact_path: str) -> None:
        self._adaptor.load(_model(path, recipe_json, inputs, artifact_path))

    def bind(self, inputs: Sequence[tuple]) -> None:
        self._adaptor.bind([Tensor(*tensor) for tensor in inputs])
        # Thousands of modules have been imported: a full collection amid the repetitions would walk all their objects.
        # Frozen, they are no longer walked; collection of what inference itself makes stays on, as users have it.
        gc.freeze()

    def runner(self):
        runner = self._adaptor.runner()
        if not callable(runner):
            raise TypeError(f"runner() must return a callable, not {type(runner).__name__}")
        return runner

    def read(self) -> List[Any]:
        return self._adaptor.read()

    def inspect(self) -> List[Tuple[str, str]]:
        return [(_clean(key), _clean(value)) for key, value in self._adaptor.inspect().items()]

    def close(self) -> None:
        adaptor, self._adaptor = self._adaptor, None
        adaptor.close()


def _model(path: str, recipe_json: str, inputs: Sequence[tuple], artifact_path: str) -> Model:
    recipe = None
    if recipe_json:
        try:
            recipe = json.loads(recipe_json)
        except ValueError as error:
            raise CompilerError("invalid_model", f"the recipe is not JSON: {error}") from None
        if not isinstance(recipe, dict):
            raise CompilerError("invalid_model", "the recipe is not a JSON object")
    return Model(path, recipe, tuple(TensorSignature(*tensor) for tensor in inputs), artifact_path)
