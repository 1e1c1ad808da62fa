# SPDX-License-Identifier: Apache-2.0
"""The contract between the worker and a compiler that is driven from Python.

It mirrors the C table of include/ngraphbench/compiler.h, one session per process, always on one thread:

    describe        compiler.json, beside the adaptor's module
    open            Adaptor(settings)
    compile, load   compile(model), load(model)
    bind            bind(inputs), then runner()
    run             the callable that runner() returned: the timed region, nothing of ours around it
    read, inspect   read(), inspect()
    close           close()

compiler.json names the class: {"host": "python", "adaptor": "module:Class"}. The module lies beside compiler.json, and
may import its neighbours relatively (`from . import families`).
"""
import abc
from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

FAILURE_KINDS = (
    "invalid_option",        # an option, thread count, device or precision that this compiler does not take
    "invalid_model",         # the model file is not readable, not ONNX, or not consistent
    "unsupported_operator",  # a valid model that this compiler cannot compile; the message names the operator
    "toolchain_missing",     # the compiler's package is not where the settings say
    "import_error",          # the package is there and does not load, or is too old or too new
    "out_of_memory",
    "fallback",              # work landed on another device, provider or precision than asked for
    "device_lost",           # the device was there, and failed
    "internal",              # any other failure of the compiler
    "no_device",             # there is no device of the kind that was asked for, such as a GPU
)


class CompilerError(Exception):
    """An expected failure. kind: one of FAILURE_KINDS; message: what failed and where; advice: what the user can do."""

    def __init__(self, kind: str, message: str, advice: str = ""):
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.advice = advice


@dataclass(frozen=True)
class Settings:
    toolchain_dir: str           # the site-packages folder that pip laid out; "" for none
    device: str                  # "cpu", "cuda": the option `device`, else the first of compiler.json's devices
    precision: str               # "f32": arithmetic in which inference is to run
    threads: int                 # >= 1: threads that inference may use, the calling one included
    options: Mapping[str, Any]   # every option of compiler.json, checked, as bool, int, float or str
    cache_dir: str = ""          # where what was long in finding may be kept for later processes; "" for nowhere


@dataclass(frozen=True)
class TensorSignature:
    name: str
    dtype: str                   # "f32" "f16" "bf16" "f64" "i64" "i32" "i8" "u8" "bool"
    shape: Tuple[int, ...]       # row-major, batch first


@dataclass(frozen=True)
class Tensor(TensorSignature):
    data: memoryview             # the host's bytes, dense, read-only, valid and unchanged until close()


@dataclass(frozen=True)
class Model:
    path: str                            # ONNX file
    recipe: Optional[Mapping[str, Any]]  # {"family", "parameters", …} when the file comes from a built-in recipe
    inputs: Sequence[TensorSignature]    # static shapes of this cell
    artifact_path: str                   # where a compiler that produces a file writes it; "" otherwise


Output = Tuple[str, str, Tuple[int, ...], Any]  # (name, dtype, shape, bytes-like of exactly that size)


class Adaptor(abc.ABC):
    """One session with one compiler. Any method may raise CompilerError; every other exception counts as `internal`,
    but MemoryError as `out_of_memory` and ImportError as `import_error`."""

    @classmethod
    def preload(cls) -> None:
        """Imports whatever a session may need, and executes nothing. The fork server calls it once, before it forks,
        and one thread must be left afterwards; a worker calls it again before `__init__`, so that imports belong to the
        open phase in a fresh process, and of none in a forked one."""

    @abc.abstractmethod
    def __init__(self, settings: Settings):
        """Opens the compiler and applies the settings; no model yet."""

    @abc.abstractmethod
    def compile(self, model: Model) -> None:
        """Model -> executable, cold, without a cache. With "produces_file": true, writes model.artifact_path."""

    def load(self, model: Model) -> None:
        """Opens what `compile` wrote, in this process or an earlier one. Only for "produces_file": true."""
        raise NotImplementedError

    @abc.abstractmethod
    def bind(self, inputs: Sequence[Tensor]) -> None:
        """Takes the inputs, in the model's order, and allocates whatever can be allocated ahead of the first run."""

    @abc.abstractmethod
    def runner(self) -> Callable[[], Any]:
        """A callable without arguments: one inference, complete when it returns. What it returns is dropped; the
        outputs that `read` needs are the adaptor's to keep. Asked for after every `bind`."""

    @abc.abstractmethod
    def read(self) -> Sequence[Output]:
        """The outputs of the last run, in graph order."""

    @abc.abstractmethod
    def inspect(self) -> Mapping[str, str]:
        """Facts about the open session: "version", "device", "precision", "threads", … as the compiler itself tells
        them, not as they were asked for."""

    def close(self) -> None:
        """Frees everything. Called once, also after a failure."""
