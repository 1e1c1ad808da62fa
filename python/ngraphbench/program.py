# SPDX-License-Identifier: Apache-2.0
"""Writes the program of a measured cell: run.py, which gets the cell's number with the compiler's own library alone. The
frame is here, and that of C++ in program_cpp.py. What is a compiler's own, its session and its call, is said by the
functions `parts` and `cpp` of take_home.py in the compiler's folder."""
import dataclasses
import importlib
import json
import os
import string
import sys
import types
from typing import Any, Dict, List, Mapping

from ngraphbench.adaptor import CompilerError, Model, Settings, TensorSignature
from ngraphbench.options import typed_options

_PACKAGE = "ngraphbench_compiler"  # as in hosting.py
_NUMPY = {"f32": "float32", "f16": "float16", "f64": "float64", "i64": "int64", "i32": "int32", "i8": "int8",
          "u8": "uint8", "bool": "bool"}


@dataclasses.dataclass(frozen=True)
class Cell:
    """What a cell was measured with."""
    version: str
    precision: str
    threads: int
    options: Mapping[str, Any]   # every option of compiler.json
    settings: Mapping[str, Any]  # that the study hands on to the library
    facts: Mapping[str, str]     # that the compiler reported
    model: str                   # name of the ONNX file in the program's folder
    model_path: str              # of the same file, while the program is written
    recipe: Any                  # of a built-in model, {"module": {…}} of a PyTorch module, else None
    inputs: List[Dict[str, Any]]   # {"name", "type", "shape", "file"}
    outputs: List[Dict[str, Any]]  # likewise; empty if nothing is expected
    site: str                    # the toolchain's packages
    folder: str                  # of the program, for files that it needs
    cache: str                   # what tuning has found, as Settings.cache_dir

    def for_adaptor(self, artifact: str):
        """Return the settings and the model as an adaptor receives them. `artifact` is the name of the file that it
        compiles, in the program's folder."""
        inputs = [TensorSignature(row["name"], row["type"], tuple(row["shape"])) for row in self.inputs]
        settings = Settings(self.site, "cpu", self.precision, self.threads, self.options, "", self.settings)
        return settings, Model(self.model_path, self.recipe, inputs, os.path.join(self.folder, artifact))

    def require_f32(self) -> None:
        """Raise CompilerError if the cell computes in another precision, which the program would not ask the library for."""
        if self.precision != "f32":
            raise CompilerError("invalid_option", f"programs of this compiler are written for f32, not for {self.precision} yet",
                                "choose a cell in f32")

    def compile_natively(self, folder: str, artifact: str, **request) -> Dict[str, Any]:
        """Have python/compile.py of a native compiler write `artifact` into the program's folder. `folder` is the
        compiler's, and `request` what it asks for beside the model. Returns the signature that it writes."""
        sys.modules.pop(_PACKAGE, None)  # it may open the identity as another of that name
        sys.path.insert(0, os.path.join(folder, "python"))
        compiling = importlib.import_module("compile")
        compiling.import_packages()
        signature = os.path.join(self.folder, "signature.json")
        inputs = [{"name": row["name"], "dtype": numpy_type(row["type"]), "shape": row["shape"]} for row in self.inputs]
        compiling.compile_model({"model": self.model_path, "recipe": json.dumps(self.recipe) if self.recipe else "",
                                 "inputs": inputs, "output": os.path.join(self.folder, artifact), "signature": signature,
                                 "threads": self.threads, "precision": self.precision, **request}, lambda text: None)
        with open(signature, encoding="utf-8") as file:
            told = json.load(file)
        os.remove(signature)
        return told


@dataclasses.dataclass(frozen=True)
class Parts:
    """A compiler's own part of a program. The texts are lines of Python without a line break at the end."""
    imports: str
    is_version: str  # expression: the library is the measured one
    # Defines `run()`, the call that is timed, and `infer(*arrays)`, which returns the outputs as NumPy arrays. It may use
    # `arrays`, the measured inputs, aligned as they were; aligned(array); FOLDER; np.
    session: str
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    file: str = ""               # that the compiler has made, and the program reads in place of the ONNX file
    needs_pytorch: bool = False  # of the identity's toolchain, beside the compiler's own
    needs_gxx: bool = False      # compiles when it starts


def infer_into_buffers(outputs: str) -> List[str]:
    """Return the lines of `infer` for a library that was given `arrays` as its buffers. `outputs` is an expression."""
    return ["", "def infer(*given):  # returns the outputs, which the next call overwrites",
            "    for buffer, array in zip(arrays, given):", "        buffer[...] = array", "    run()",
            f"    return {outputs}"]


def infer_with(inputs: str, outputs: str) -> List[str]:
    """Return the lines of `infer` for a library with values of its own: `inputs`, a variable that `run` reads, is what
    the session's function `<inputs>_of(arrays)` returns. `outputs` is an expression."""
    return ["", "def infer(*given):", f"    global {inputs}", f"    {inputs} = {inputs}_of(given)", "    run()",
            f"    return {outputs}"]


def numpy_type(word: str) -> str:
    """Return NumPy's name of an element type: "float32"."""
    return _NUMPY[word]


def answer(tell) -> None:
    """Read a question (exports/program.cpp), write the files of its form (program, snippet, cpp), and tell {"snippet":
    text}, {"reads_model": whether the program reads the ONNX file, "needs_pytorch"}, or {"error", "next"}."""
    question = json.loads(sys.stdin.read())
    try:
        tell(json.dumps(_answer(question)))
    except CompilerError as error:
        tell(json.dumps({"error": error.message, "next": error.advice}))


def describe(tell) -> None:
    """Read {"folder" of the identity, "recipe" of a module, "batch"}, and tell {"inputs": [{"name", "type", "shape"}]} of
    the module, or {"error", "next"}."""
    from ngraphbench.hosting import Host

    question = json.loads(sys.stdin.read())
    try:
        export = Host(question["folder"]).module("export")
        told = export.write(question["recipe"], question["batch"], False, 1, "", needs_file=False)
        tell(json.dumps({"inputs": told["inputs"]}))
    except CompilerError as error:
        tell(json.dumps({"error": error.message, "next": error.advice}))


def _answer(question) -> Dict[str, Any]:
    package = types.ModuleType(_PACKAGE)
    package.__path__ = question["folders"]
    sys.modules[_PACKAGE] = package
    with open(os.path.join(question["folders"][0], "compiler.json"), encoding="utf-8") as file:
        described = json.load(file).get("options", [])
    known = {field.name for field in dataclasses.fields(Cell)}
    cell = Cell(**{**{name: value for name, value in question.items() if name in known},
                   "options": typed_options(described, question["options"])})
    os.environ["NGB_MODULE_SITE"] = question["module_site"]  # for compilers that convert the identity's module
    take_home = importlib.import_module(f"{_PACKAGE}.take_home")
    if question["form"] == "cpp":
        from ngraphbench import program_cpp  # which uses this module

        return program_cpp.write(question, cell, take_home)
    parts = take_home.parts(cell)
    words = _words(question, cell, parts)
    if question["form"] == "snippet":
        return {"snippet": _SNIPPET.substitute(words)}
    files = {"run.py": _RUN, "README.md": _README, **({"Dockerfile": _DOCKERFILE} if question["has_dockerfile"] else {})}
    write_files(cell, files, words)
    return {"reads_model": not parts.file, "needs_pytorch": parts.needs_pytorch}


def write_files(cell: Cell, files: Mapping[str, string.Template], words: Mapping[str, str]) -> None:
    """Write the templates, filled in, into the program's folder."""
    for name, template in files.items():
        with open(os.path.join(cell.folder, name), "w", encoding="utf-8") as file:
            file.write(template.substitute(words))


def environment_of(question, cell: Cell, own: Mapping[str, str]) -> Dict[str, str]:
    """Return the variables that a program sets: those of the worker, and a compiler's own."""
    return {**dict.fromkeys(question["thread_variables"], str(cell.threads)), **question["environment"], **own}


def _words(question, cell: Cell, parts: Parts) -> Dict[str, str]:
    absolute = repr(question["expected"].get("absolute", 0))
    if question["expected"].get("is_of_largest"):
        absolute += " * np.abs(want[np.isfinite(want)]).max(initial=0)"
    checked = [i for i, output in enumerate(cell.outputs) if not output["is_sensitive"]]
    processors = processors_of(cell.facts.get("affinity", ""))
    shapes = ", ".join(f'np.zeros({tuple(row["shape"])}, np.{numpy_type(row["type"])})' for row in cell.inputs)
    return {"title": question["title"], "number": question["number"], "version": cell.version,
            "environment": _wrapped(environment_of(question, cell, parts.environment)),
            "processors": repr(set(processors)) if processors else f"set(range({cell.threads}))",
            "threads": str(cell.threads), "imports": parts.imports, "is_version": parts.is_version,
            "compiler": question["compiler"], "session": parts.session, "batch": str(question["batch"]),
            "inputs": repr([row["file"] for row in cell.inputs]), "zeros": shapes, "checked": repr(checked),
            "made_by": question["expected"].get("made_by", "nothing"), "absolute": absolute,
            "relative": repr(question["expected"].get("relative", 0)),
            "rare": "far.size // 10_000" if question["expected"].get("allows_rare") else "0",
            "model": parts.file or cell.model, "python": f"{sys.version_info[0]}.{sys.version_info[1]}",
            "system": _INSTALL_GXX if parts.needs_gxx else ""}


def _wrapped(environment: Mapping[str, str]) -> str:
    """Return a dictionary's text, three entries on a line."""
    entries = [f'"{name}": "{value}"' for name, value in environment.items()]
    rows = [", ".join(entries[first:first + 3]) for first in range(0, len(entries), 3)]
    return "{" + ",\n               ".join(rows) + "}"


def processors_of(affinity: str) -> List[int]:
    """Return [0, 1, 3] for "0-1,3"; [] for what is no list."""
    numbers: List[int] = []
    try:
        for part in affinity.split(","):
            first, _, last = part.partition("-")
            numbers.extend(range(int(first), int(last or first) + 1))
    except ValueError:
        return []
    return numbers


_RUN = string.Template('''\
# $title: $number
# Written by ngb export. It needs the packages of requirements.txt, and nothing of ngb.
import json, os, resource, sys, time

ENVIRONMENT = $environment
if __name__ == "__main__" and any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
    os.execve(sys.executable, getattr(sys, "orig_argv", [sys.executable, *sys.argv]), {**os.environ, **ENVIRONMENT})
os.environ.update(ENVIRONMENT)  # the C library reads its part when a program starts, hence the second start above
os.sched_setaffinity(0, $processors & os.sched_getaffinity(0) or sorted(os.sched_getaffinity(0))[:$threads])
import numpy as np
$imports
assert $is_version, "measured with $compiler $version, and this is another version"
FOLDER = os.path.dirname(os.path.abspath(__file__))

def aligned(array):  # a copy that begins at a multiple of 64 bytes, as buffers did when this was measured
    memory = np.empty(array.nbytes + 64, np.uint8)
    copy = memory[-memory.ctypes.data % 64:][:array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy

arrays = [aligned(np.load(os.path.join(FOLDER, name))) for name in $inputs]
$session

def check():  # outputs agree with those of $made_by, within the tolerance of the measurement
    outputs = infer(*arrays)
    for i in $checked:
        want = np.load(os.path.join(FOLDER, f"expected_{i}.npy"))
        far = ~np.isclose(outputs[i], want, rtol=$relative, atol=$absolute) & ~np.isnan(want)
        assert far.sum() <= $rare, f"output {i} is not expected_{i}.npy in {far.sum()} of {far.size} elements"

def measure(seconds):
    for lasting in (seconds / 2, seconds):  # the warm-up, and what counts
        laps, faults, cpu = [], resource.getrusage(resource.RUSAGE_SELF).ru_minflt, time.process_time()
        begin = end = time.perf_counter()
        while len(laps) < 10 or end < begin + lasting:
            start = time.perf_counter()
            run()
            end = time.perf_counter()
            laps.append(end - start)
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    return {"p50_ms": np.percentile(laps, 50) * 1e3, "p90_ms": np.percentile(laps, 90) * 1e3,
            "samples_per_s": $batch * len(laps) / sum(laps), "page_faults": faults / len(laps),
            "processors": (time.process_time() - cpu) / (end - begin)}

if __name__ == "__main__":
    check()
    got = measure(2)
    print(json.dumps(got) if "--json" in sys.argv else
          "p50 {p50_ms:.4g} ms, p90 {p90_ms:.4g} ms, {samples_per_s:.4g} samples/s; {page_faults:.0f} page faults an "
          "inference, {processors:.2f} processors busy".format(**got))
    if "--again" in sys.argv:
        verified = json.load(open(os.path.join(FOLDER, "cell.json"), encoding="utf-8")).get("verified", {})
        print("ngb: $number\\nverified:", verified.get("words", "not yet: ngb export --verify"))
''')

_SNIPPET = string.Template('''\
# $title: $number
import os

os.environ.update($environment)  # before anything is imported
os.sched_setaffinity(0, $processors)

import numpy as np
$imports

FOLDER = "exported"  # ngb export … -o exported writes the model there
aligned = np.copy
arrays = [$zeros]
$session
''')

_INSTALL_GXX = "RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*\n"

_DOCKERFILE = string.Template('''\
# $title
# docker build -t program . && docker run --rm program
FROM python:$python-slim
${system}WORKDIR /program
COPY requirements.txt .
RUN pip install --no-cache-dir --no-deps -r requirements.txt
COPY . .
CMD ["python", "run.py", "--again"]
''')

_README = string.Template('''\
# $title

$number, measured by NGraphBench. `run.py` gets this number with the library alone:

    python -m venv venv && venv/bin/pip install --no-deps -r requirements.txt
    venv/bin/python run.py          # checks the outputs, measures, and prints p50, p90 and samples/s
    venv/bin/python run.py --again  # beside the number that was measured, and the verdict of ngb export --verify

`session` and `infer(*arrays)` of run.py are what your program needs. `$model` is the file that was measured,
`input_*.npy` are its inputs, and `expected_*.npy` the outputs of $made_by for them. `cell.json` has the number, the
machine and everything that the compiler reported.

What differs in a real program, and what to do about it:

- New inputs each time: `infer` copies them into the bound buffers, which costs a pass over their memory.
- Outputs are overwritten by the next call: copy what you keep.
- Other threads and programs beside it: this was measured on processors of its own. Pin it, or expect waits.
- The C library's allocator: ENVIRONMENT sets its thresholds. Without them it may return memory in every inference.
- Python around it: time that it takes is not in the number. Calls below 100 us are dominated by it.
- Another batch size, number of threads or precision is another cell: measure it.
''')
