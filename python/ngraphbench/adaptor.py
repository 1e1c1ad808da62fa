# SPDX-License-Identifier: Apache-2.0
"""The contract between the worker and a compiler that is driven from Python.

It mirrors the C table of include/ngraphbench/compiler.h, one session per process, always on one thread:

    describe        compiler.json, beside the adaptor's module
    open            Adaptor(settings)
    compile, load   compile(model), load(model)
    bind            bind(inputs), then runner()
    run             the callable that runner() returned: the timed region, nothing of ours around it
    read, inspect   read(), inspect()
    begin_profile   begin_profile(), then runner()
    end_profile     end_profile(inferences), then runner()
    feed_back       feed_back(pairs, row), then runner()
    close           close()

compiler.json names the class: {"host": "python", "adaptor": "module:Class"}. The module is beside compiler.json, and
may import its neighbours relatively (`from . import families`).
"""
import abc
from dataclasses import dataclass, field
from typing import Any, Callable, Collection, List, Mapping, Optional, Sequence, Tuple


class CompilerError(Exception):
    """An expected failure. kind: a word of NGB_STATUSES in include/ngraphbench/compiler.h, such as
    "unsupported_operator"; any other counts as "internal". message: what failed and where; advice: what the user can
    do."""

    def __init__(self, kind: str, message: str, advice: str = ""):
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.advice = advice


@dataclass(frozen=True)
class Settings:
    toolchain_dir: str           # site-packages folder with the compiler's packages; "" for none
    device: str                  # "cpu", "cuda": the option `device`, else the first of compiler.json's devices
    precision: str               # "f32": arithmetic in which inference must run
    threads: int                 # >= 1: threads that inference may use, the calling one included
    options: Mapping[str, Any]   # every option of compiler.json, checked, as bool, int, float or str
    cache_dir: str = ""          # may hold what took long to find, for later processes; "" for none
    # Properties of the compiler's own library by its names: str, bool, int or float. Empty unless compiler.json has
    # "settings". What the library does not know is CompilerError("invalid_option", the library's own words).
    settings: Mapping[str, Any] = field(default_factory=dict)
    # This session will be asked for the times of its kernels. What it is asked for is then never a speed.
    is_profiled: bool = False
    has_many_shapes: bool = False  # the model is run in several shapes by turns, in one session or in one for each


@dataclass(frozen=True)
class TensorSignature:
    name: str
    dtype: str                   # a word of NGB_DTYPES in include/ngraphbench/compiler.h
    shape: Tuple[int, ...]       # row-major, batch first


@dataclass(frozen=True)
class Tensor(TensorSignature):
    data: memoryview             # the host's bytes, dense, read-only, valid and unchanged until close()


@dataclass(frozen=True)
class Model:
    path: str                            # ONNX file
    recipe: Optional[Mapping[str, Any]]  # {"family", "parameters", …} when the file comes from a built-in recipe
    inputs: Sequence[TensorSignature]    # static shapes of this cell
    artifact_path: str                   # file that a compiler with "produces_file" writes; "" otherwise

    @property
    def is_compiled(self) -> bool:
        """Whether `path` is a file in the compiler's own form, which is opened as it is."""
        return self.artifact_path == self.path != ""


@dataclass(frozen=True)
class Feedback:
    """An output that a later run reads as an input (ngb_feedback)."""
    input: int                   # place among the bound inputs
    # In graph order; None: no output replaces the input, which is one longer along `axis` in each run of a pass, with
    # elements that are all equal.
    output: Optional[int]
    axis: int                    # along which the output has rows for the input; -1: it takes the input's place


@dataclass(frozen=True)
class Kernel:
    """One kernel call of an inference; a kernel that is called twice in an inference is two of them."""
    name: str                    # the compiler's own name of it
    ns: float                    # mean over the profiled inferences, >= 0
    kind: str = ""               # what it computes, in the compiler's words; "" if it does not say
    # Names of ONNX nodes (`node_names` of onnx_file), or of a user's PyTorch modules, that it is known to stand for.
    nodes: Sequence[str] = ()
    outputs: Sequence[str] = ()  # names of the ONNX tensors that it is known to write
    # How nodes and outputs were found: "tensor name", "node name", "location", "module path", "weights", "order"; "" without any.
    found_by: str = ""


Output = Tuple[str, str, Tuple[int, ...], Any]  # (name, dtype, shape, bytes-like of exactly that size)


class Adaptor(abc.ABC):
    """One session with one compiler. Any method may raise CompilerError. MemoryError counts as `out_of_memory`,
    ImportError as `import_error`, and every other exception as `compiler_failed`, or as `internal` if it is a mistake in
    the adaptor's own code."""

    # Why `begin_profile` fails, for an adaptor that does not define it.
    no_profile_because = "its adaptor does not ask for them"

    @classmethod
    def preload(cls) -> None:
        """Import all that a session may need for any model, without running any of it. The fork server calls this once before it
        forks, after which only one thread may exist. A worker calls it again before `__init__`, so that a fresh
        process imports in its open phase and a forked one in none."""

    @classmethod
    def preload_models(cls, kinds: Optional[Collection[str]]) -> None:
        """Import what only some models need. Called after `preload`, under the same rules. `kinds` are those of all models
        of the study: families of recipes, "file" for a user's ONNX file, "module" for a user's PyTorch module. None: they
        are not known, and any may come."""

    @abc.abstractmethod
    def __init__(self, settings: Settings):
        """Open the compiler and apply the settings. There is no model yet."""

    @abc.abstractmethod
    def compile(self, model: Model) -> None:
        """Compile the model cold, without a cache. With "produces_file": true, write model.artifact_path."""

    def load(self, model: Model) -> None:
        """Open what `compile` wrote, in this process or an earlier one. Only needed with "produces_file": true."""
        raise NotImplementedError

    @abc.abstractmethod
    def bind(self, inputs: Sequence[Tensor]) -> None:
        """Set the inputs, in the model's order, and allocate whatever can be allocated before the first run."""

    @abc.abstractmethod
    def runner(self) -> Callable[[], Any]:
        """Return a callable without arguments that runs one inference, which is complete when it returns. The caller
        drops what it returns; the adaptor keeps the outputs for `read`. Called after every `bind`."""

    @abc.abstractmethod
    def read(self) -> Sequence[Output]:
        """Return the outputs of the last run, in graph order."""

    @abc.abstractmethod
    def inspect(self) -> Mapping[str, str]:
        """Return facts about the open session ("version", "device", "precision", "threads", …) as the compiler itself
        reports them, never as they were requested."""

    def begin_profile(self) -> None:
        """From now on, an inference also notes its kernels. `runner` is called again afterwards, so that it can return
        another callable. Not timed. Raise CompilerError("no_profile") with the reason if the kernels' times are not
        to be had."""
        raise CompilerError("no_profile", f"this compiler does not tell its kernels' times: {self.no_profile_because}",
                            "leave it out of the profile")

    def end_profile(self, inferences: int) -> Sequence[Kernel]:
        """Return the kernel calls of one inference in their order, with means over the `inferences` (>= 1) since
        `begin_profile`. `runner` is called again afterwards, and what it returns costs what it did before."""
        raise NotImplementedError

    def feed_back(self, pairs: Sequence[Feedback], row: int) -> Optional[int]:
        """Begin a pass of runs that feed their outputs back, as feed_back of the C table says: the host has written all
        bound inputs anew, and from run to run writes those that no output replaces. `runner` is called again afterwards.
        Return how many bytes a run copies for this beside what the graph copies; None leaves the feeding to the host."""
        return None

    def close(self) -> None:
        """Free everything. Called once, also after a failure."""
