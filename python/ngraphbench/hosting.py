# SPDX-License-Identifier: Apache-2.0
"""The object that the extension `_loop` calls: converts the C table's plain values for the adaptor, and back."""
import argparse
import gc
import importlib
import json
import os
import sys
import traceback
import types
from typing import Any, Collection, List, Mapping, Optional, Sequence, Tuple, Type

from ngraphbench import gpu_errors
from ngraphbench.adaptor import Adaptor, CompilerError, Feedback, Model, Settings, Tensor, TensorSignature
from ngraphbench.options import typed_options
from ngraphbench.process import without_collections
from ngraphbench.reasons import first_line, users_line

# The adaptor's folder is imported as this package, so that its module names clash with nothing. If it shares a
# toolchain, the package also contains the folder of that compiler.
_PACKAGE = "ngraphbench_compiler"
_LENGTHENED = 2 ** 32 - 1  # NGB_LENGTHENED


def add_model_kinds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model-kind", action="append", dest="model_kinds", metavar="KIND",
                        help="of a model that will be measured (Adaptor.preload_models), once for each kind; without, any "
                             "may come")


class Host:
    """One compiler folder: its description and, once it is needed, its adaptor."""

    def __init__(self, compiler_dir: str, model_kinds: Optional[Collection[str]] = None):
        """`model_kinds` are those of Adaptor.preload_models. Raises OSError or ValueError if compiler.json is missing or does not
        name an adaptor."""
        self.folder = os.path.abspath(compiler_dir)
        self._model_kinds = model_kinds
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
        """Return one of the compiler's modules, by its name in the folder."""
        if _PACKAGE not in sys.modules:
            package = types.ModuleType(_PACKAGE)
            package.__path__ = self._modules
            sys.modules[_PACKAGE] = package
        return importlib.import_module(f"{_PACKAGE}.{name}")

    def adaptor_class(self) -> Type[Adaptor]:
        """Return the adaptor's class; the first call imports its module."""
        found = getattr(self.module(self._module), self._class, None)
        if not isinstance(found, type):
            raise CompilerError("internal", f'{self.folder}: module "{self._module}" has no class "{self._class}"')
        return found

    def preload(self) -> None:
        """Import all that the adaptor needs, on the first call. Raises whatever the imports raise."""
        with without_collections():
            self.adaptor_class().preload()
            self.adaptor_class().preload_models(self._model_kinds)

    def open(self, toolchain_dir: str, device: str, precision: str, threads: int, options: Mapping[str, str],
             cache_dir: str = "", settings: Mapping[str, str] = types.MappingProxyType({}), is_profiled: bool = False,
             has_many_shapes: bool = False):
        typed = typed_options(self._options, options)
        handed_on = {name: json.loads(value) for name, value in settings.items()}
        if toolchain_dir:
            if not os.path.isdir(toolchain_dir):
                raise CompilerError("toolchain_missing", f"{toolchain_dir} is not a folder")
            if toolchain_dir not in sys.path:
                sys.path.append(toolchain_dir)
        self.preload()  # unless the fork server did it: imports do not belong to compiling
        return Session(self.adaptor_class()(Settings(toolchain_dir, device, precision, threads, typed, cache_dir,
                                                     handed_on, bool(is_profiled), bool(has_many_shapes))))

    def failure(self, exception: BaseException) -> Tuple[str, str, str]:
        """Return (kind, message, advice). Exceptions other than CompilerError leave their traceback in the log."""
        if isinstance(exception, CompilerError):
            return _clean(exception.kind), _clean(exception.message), _clean(exception.advice)
        traceback.print_exception(type(exception), exception, exception.__traceback__)
        sys.stderr.flush()
        message = _clean("".join(traceback.format_exception_only(type(exception), exception)).strip())
        message = first_line(message or type(exception).__name__) + users_line(exception)
        kind = "out_of_memory" if isinstance(exception, MemoryError) else gpu_errors.kind_of(exception)
        if kind is not None:
            return kind, message, ""
        if isinstance(exception, (ImportError, SyntaxError)):  # a package that lacks a file, or half of one
            return "import_error", message, ""  # the agent names the toolchain
        kind = "internal" if _is_ours(exception) else "compiler_failed"
        return kind, message, "the traceback is in the log of this attempt"


_FAULTS_OF_OURS = (AttributeError, NameError, TypeError, AssertionError, KeyError)
_OUR_FOLDERS = tuple(os.path.abspath(os.path.join(os.path.dirname(__file__), *up)) + os.sep
                     for up in ((), ("..", "..", "compilers")))


def _is_ours(exception: BaseException) -> bool:
    """Return whether our own code is at fault: the loop, whose exceptions have no frame, or what a mistake in code raises
    in a frame of ours. A library in C has no frame of its own, so other exceptions of our frames are the library's."""
    frames = traceback.extract_tb(exception.__traceback__)
    if not frames:
        return True
    return isinstance(exception, _FAULTS_OF_OURS) and frames[-1].filename.startswith(_OUR_FOLDERS)


def _clean(text: Any) -> str:
    """Return text that has a UTF-8 form and no zero character, whatever it was."""
    return str(text).encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _clean_all(texts: Sequence[Any]) -> List[str]:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"a kernel's nodes and outputs are sequences of names, not {type(texts).__name__}")
    return [_clean(text) for text in texts]


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
        # Thousands of imported modules would be scanned by a full garbage collection during the repetitions. Freezing
        # excludes them; what inference itself allocates is still collected, as for any user.
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

    def begin_profile(self) -> None:
        self._adaptor.begin_profile()

    def end_profile(self, inferences: int) -> List[tuple]:
        return [(_clean(kernel.name), _clean(kernel.kind), float(kernel.ns), _clean_all(kernel.nodes),
                 _clean_all(kernel.outputs), _clean(kernel.found_by)) for kernel in self._adaptor.end_profile(inferences)]

    def feed_back(self, pairs: Sequence[tuple], row: int) -> Optional[int]:
        return self._adaptor.feed_back([Feedback(place, None if output == _LENGTHENED else output, axis)
                                        for place, output, axis in pairs], row)

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
