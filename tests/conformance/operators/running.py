# SPDX-License-Identifier: Apache-2.0
"""Runs cases through a compiler as cells: one worker for each, as the agent starts it, which compiles, infers, and
compares its outputs with the case's."""
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "unit" / "python"))
from agent_side import ForkServer, WorkerFiles, request  # noqa: E402

_LIMIT_S = 120  # of one worker
_READY_PYTHON = pathlib.Path(__file__).resolve().parents[1] / "ready-python"


@dataclasses.dataclass(frozen=True)
class Compiler:
    """An installed compiler. `site` is its toolchain's packages, "" for none."""
    name: str
    version: str
    folder: pathlib.Path  # lib/ngraphbench/compilers/NAME
    site: str
    python: str
    is_native: bool
    produces_file: bool
    module_site: str = ""  # the identity's packages, for a compiler that converts its modules


def installed(lib: pathlib.Path, toolchains: pathlib.Path, versions: dict) -> list:
    """Return the compilers of a build whose toolchain of the default version is installed."""
    found = []
    for folder in sorted((lib / "compilers").iterdir()):
        description = json.loads((folder / "compiler.json").read_text())
        if not description["needs_toolchain"] or "cpu" not in description.get("devices", ["cpu"]):
            continue
        owner, is_native = description.get("toolchain", description["name"]), description["host"] == "native"
        version = versions["toolchains"][owner]["default"]
        manifest = toolchains / owner / version / "manifest.json"
        if not manifest.exists() or (is_native and not (folder / f"{folder.name}.so").exists()):
            continue
        told = json.loads(manifest.read_text())
        converts = is_native and description.get("runs_modules") == "always"
        identity = toolchains / "identity" / versions["toolchains"]["identity"]["default"]
        found.append(Compiler(folder.name, version, folder, str(manifest.parent / told.get("site", "site")),
                              told["python"], is_native, description.get("produces_file", False),
                              str(identity / "site") if converts else ""))
    return found


class Runner:
    """Runs cases through one compiler. Workers of a compiler that Python hosts are forked from one server; compile processes of
    one that converts modules from one process that has imported the packages, whose logs are in the folder `ready`."""

    def __init__(self, compiler: Compiler, lib: pathlib.Path, worker: pathlib.Path, ready: pathlib.Path):
        self._compiler, self._worker, self._ready = compiler, worker, ready
        self._path = os.pathsep.join([str(lib / "python"), compiler.site])
        self._server = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._stop()

    def run(self, case: dict, folder: pathlib.Path):
        """Return (kind, message) of the failure; ("right", "") if the outputs are those of the case."""
        wanted = self.request(case, folder)
        try:
            result, ending = self.native(wanted) if self._compiler.is_native else self._forked(wanted)
        except (subprocess.TimeoutExpired, TimeoutError):
            self._stop()
            return "timeout", f"it had no result after {_LIMIT_S} s"
        if result is None:
            return "crash", ending
        failure = result.get("failure")
        return (failure["kind"], failure["message"]) if failure else ("right", "")

    def request(self, case, folder):
        compiler, home = self._compiler, folder / case["name"]
        files = [{"name": f"inputs/{place}.npy", "path": str(home / "inputs" / f"{place}.npy"), "sha256": ""}
                 for place in range(len(case["inputs"]))]
        values = [{"input": slot["name"], "range": None, "file": file["name"], "array": "", "counts": False}
                  for slot, file in zip(case["inputs"], files)]
        return request(
            model_path=str(home / "model.onnx"), module_site=compiler.module_site, reference_path=str(home / "expected"),
            plugin_path=str(compiler.folder / f"{compiler.name}.so") if compiler.is_native else "",
            model={"label": case["name"], "inputs": case["inputs"], "files": files, "values": values},
            compiler={"name": compiler.name, "version": compiler.version, "label": compiler.name},
            place={"version": compiler.version, "host": "native" if compiler.is_native else "python",
                   "toolchain_dir": compiler.site, "python": str(_READY_PYTHON) if compiler.module_site else compiler.python,
                   "python_path": "" if compiler.is_native else compiler.site},
            protocol={"repetitions": 1, "warm_up": 0, "tolerances": {"absolute": case["absolute"],
                                                                     "relative": case["relative"]}})

    def native(self, wanted):
        files = WorkerFiles(wanted)
        numbers = files.descriptors()
        # Descriptors 3, 4 and 5 by the shell: subprocess cannot renumber.
        script = 'exec "$@" 3<&{} 4>&{} 5<>/dev/fd/{}'.format(*numbers[:3])
        try:
            process = subprocess.run(["bash", "-c", script, "bash", str(self._worker)], pass_fds=numbers,
                                     stdout=numbers[3], stderr=numbers[3], timeout=_LIMIT_S, check=False,
                                     env={**os.environ, "NGB_READY_PYTHON": self._compiler.python,
                                          "NGB_READY_FOLDER": str(self._ready)})
            return files.result(), f"the worker ended with {process.returncode}: {_last_line(files.log())}"
        finally:
            files.close()

    def _forked(self, wanted):
        if self._server is None:
            self._server = ForkServer(str(self._compiler.folder), self._compiler.python, PYTHONPATH=self._path,
                                      OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
            self._server.__enter__()
        result, ended, log = self._server.measure(wanted, limit_s=_LIMIT_S)
        return result, f"the worker ended with {ended.get('status')}: {_last_line(log)}"

    def _stop(self):
        server, self._server = self._server, None
        if server is not None:
            server.__exit__()


def _last_line(log: str) -> str:
    return (log.strip().splitlines() or ["it wrote no log"])[-1][:300]
