#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on an NVIDIA GPU what was written without one. See scripts/gpu-proof."""
import argparse
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

import carried
import gpu
import probes
import studies
from steps import CommandFailed, Failed, Proof, Skip

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
NO_GPU = 6
OWNERS = ("identity", "onnxruntime", "tensorrt", "tvm")  # compilers with a toolchain of their own
# What a Python of the machine must be able to import to be adopted as it is.
MODULES = {"identity": "torch", "onnxruntime": "onnxruntime", "tensorrt": "tensorrt", "tvm": "tvm"}


class Machine:
    """The build and the toolchains with which a proof works."""

    def __init__(self, proof, arguments):
        self.proof, self.arguments = proof, arguments
        self.build, self.versions, self.sites = arguments.build, {}, {}
        self.found = dict(pair.split("=", 1) for pair in arguments.adopt)
        self.environment = {"NGB_TOOLCHAINS": str(proof.folder / "toolchains"), "NGB_CACHE": str(proof.folder / "cache")}

    def ngb(self, *words):
        return self.proof.run([self.build / "bin/ngb", *words], self.environment)

    def prepare_build(self):
        if self.arguments.carried:
            try:
                self.build, sites = carried.unpack(self.arguments.carried, self.proof.folder / "carried")
            except carried.Damaged as why:
                raise Failed(str(why)) from None
            self.found = {**sites, **self.found}
            missing = carried.missing_libraries(self.build, self.proof.folder / "libraries") if self.build else None
            if missing:
                path = [str(missing), os.environ.get("LD_LIBRARY_PATH", "")]
                self.environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, path))
        if self.build is None:
            self.build = REPOSITORY / "build/release"
            self.proof.run(["cmake", "--preset", "release"], folder=REPOSITORY)
            self.proof.run(["cmake", "--build", "--preset", "release"], folder=REPOSITORY)
        self.build = self.build.resolve()
        self.proof.facts["ngb"] = self.ngb("--version").strip().splitlines()[-1]
        listed = {each["name"] for each in json.loads(self.ngb("compilers", "--json"))}
        self.proof.facts["tensorrt-cpp"] = "built" if "tensorrt-cpp" in listed else "not built: no headers of TensorRT"

    def adopt(self, compiler):
        folder = self.found.get(compiler) or self._of_machine(compiler)
        if folder is None:
            raise Skip(f"this machine has no {MODULES[compiler]}; name its folder with --adopt {compiler}=FOLDER")
        libraries = pathlib.Path(folder, "tensorrt_libs")
        if libraries.is_dir():  # adopting imports the module, so the loader must find the libraries
            path = [str(libraries), self.environment.get("LD_LIBRARY_PATH") or os.environ.get("LD_LIBRARY_PATH", "")]
            self.environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, path))
        self.ngb("toolchain", "adopt", compiler, folder)
        for each in json.loads(self.ngb("toolchain", "list", "--json")):
            if each["compiler"] == compiler:
                self.versions[compiler], self.sites[compiler] = each["version"], each
        self.proof.facts[f"version of {compiler}"] = self.versions[compiler]
        return f"{self.versions[compiler]} from {folder}"

    def _of_machine(self, compiler):
        """Return the folder of the machine's own Python that has the compiler, if there is one."""
        if not self.arguments.machine:
            return None
        program = f"import importlib.util, sys; print(importlib.util.find_spec({MODULES[compiler]!r}) is not None)"
        for python in filter(None, (os.environ.get("NGB_PYTHON"), "python3")):
            told = subprocess.run([python, "-c", program + "; print(sys.prefix)"], capture_output=True, text=True,
                                  check=False).stdout.split()
            if told[:1] == ["True"] and pathlib.Path(told[1], "bin/python").exists():
                return told[1]
        return None

    def python(self, compiler):
        """Return the toolchain's interpreter and the environment in which it finds the toolchain's packages."""
        if compiler not in self.sites:
            raise Skip(f"there is no toolchain of {compiler}")
        toolchain = self.sites[compiler]
        return toolchain["python"], {**self.environment, "PYTHONPATH": toolchain["site"]}


def study(machine, name, needs, compilers, models, batches, processes=1):
    """Return the work of a step that runs a study. Cells without a result make it fail, with their reasons."""
    def work():
        missing = [each for each in needs if each not in machine.versions]
        if missing:
            raise Skip(f"there is no toolchain of {', '.join(missing)}")
        chosen = compilers(machine.versions)
        if not chosen:
            raise Skip("there is no toolchain for any of its compilers")
        if machine.proof.facts["tensorrt-cpp"] != "built":
            chosen = [each for each in chosen if "tensorrt-cpp" not in each]
        path = machine.proof.folder / f"{name}.yaml"
        path.write_text(studies.text(name, chosen, models, batches, machine.versions, processes))
        results = machine.proof.folder / name
        try:
            machine.ngb("run", path, "-o", results)
        except CommandFailed as failed:
            if failed.code != 1:
                raise
            raise Failed(why_not(results)) from None
        return count(results)

    return work


def query(results, sql, *values):
    with sqlite3.connect(f"file:{results}/results.db?mode=ro", uri=True) as database:
        return database.execute(sql, values).fetchall()


def count(results):
    (cells, measured), = query(results, "SELECT (SELECT COUNT(*) FROM cell), (SELECT COUNT(DISTINCT cell_key) FROM process "
                                        "WHERE is_complete = 1)")
    return f"{measured} of {cells} cells have a result"


def why_not(results):
    """Return each compiler's failures by kind, with the first message of each."""
    rows = query(results, "SELECT cell.compiler_label, failure.kind, COUNT(DISTINCT cell_key), MIN(failure.message) "
                          "FROM failure JOIN process USING (process_key) JOIN cell USING (cell_key) GROUP BY 1, 2")
    return f"{count(results)}; " + "; ".join(f"{label}: {kind} in {cells}: {message.splitlines()[0]}"
                                             for label, kind, cells, message in rows)


def median_ns(results, compiler, model):
    rows = query(results, "SELECT 1.0 * wall_ns / inferences FROM sample WHERE compiler_label = ? AND model = ? "
                          "AND batch = 1 AND is_warm_up = 0", compiler, model)
    return statistics.median(value for value, in rows) if rows else None


def agreement_of_torch(machine):
    """Compare eager cells with torch.utils.benchmark and CUDA events."""
    def work():
        python, environment = machine.python("identity")
        ours = median_ns(machine.proof.folder / "pytorch", "eager", studies.SMALL)
        if ours is None:
            raise Skip(f"the study pytorch has no result of eager for {studies.SMALL}")
        text = machine.proof.run([python, "-B", HERE / "torch_rival.py", studies.SMALL, 5], environment)
        for rival, nanoseconds in json.loads(text.splitlines()[-1]).items():
            machine.proof.add_agreement("identity", studies.SMALL, rival, ours, nanoseconds)

    return work


def agreement_of_tensorrt(machine, model_file=None, shape="input=1x3x224x224"):
    """Compare tensorrt-cpp with a bare enqueueV3 loop over the same engine, and with the GPU's own time of it."""
    def work():
        proof, program = machine.proof, machine.build / "bench/enqueue_loop"
        plugin = machine.build / "lib/ngraphbench/compilers/tensorrt-cpp/tensorrt-cpp.so"
        if "tensorrt" not in machine.sites:
            raise Skip("there is no toolchain of tensorrt")
        if not (program.exists() and plugin.exists()):
            raise Skip(f"{program} is not built: there were no headers of TensorRT")
        path, name = model_file, model_file.stem if model_file else studies.SMALL
        if path is None:
            path = proof.folder / f"{name}.onnx"
            machine.ngb("models", "write", name, "--batch", 1, "-o", path)
        text = proof.run([program, plugin, machine.sites["tensorrt"]["site"], path, shape, 200, 5], machine.environment)
        told = json.loads(text.splitlines()[-1])
        ours = statistics.median(told["plugin_ns"])
        proof.add_agreement("tensorrt-cpp", name, "enqueueV3 and a wait", ours, statistics.median(told["bare_ns"]))
        proof.add_agreement("tensorrt-cpp", name, "GPU alone (events)", ours, statistics.median(told["events_ns"]))
        return "" if abs(told["ratio"] - 1) < 0.05 else f"the plugin's call takes {told['ratio']:.3f} of the bare loop's time"

    return work


def trtexec(machine):
    def work():
        model = machine.proof.folder / f"{studies.SMALL}.onnx"
        ours = median_ns(machine.proof.folder / "tensorrt", "tensorrt-cpp", studies.SMALL)
        if ours is None or not model.exists():
            raise Skip("the study tensorrt has no result of tensorrt-cpp")
        try:
            text = machine.proof.run(["trtexec", f"--onnx={model}", "--noTF32", "--builderOptimizationLevel=1",
                                      "--noDataTransfers", "--duration=5"], machine.environment)
        except FileNotFoundError:
            raise Skip("this machine has no trtexec") from None
        line = next((line for line in text.splitlines() if "Latency:" in line and "median" in line), None)
        if line is None:
            raise Failed("trtexec tells no median latency")
        milliseconds = float(line.split("median =")[1].split("ms")[0])
        machine.proof.add_agreement("tensorrt-cpp", studies.SMALL, "trtexec (another engine)", ours, milliseconds * 1e6)

    return work


def questions(machine):
    def work():
        python, environment = machine.python("identity")
        wrong = []
        for title, program, values in probes.ALL:
            for value in values:
                try:
                    machine.proof.run([python, "-B", "-c", program, value], environment)
                except CommandFailed as failed:
                    wrong.append(f"{title}{' ' + value if value else ''}: {failed}")
        if wrong:
            raise Failed("; ".join(wrong))

    return work


def readings(machine):
    """NVML's readings in the results so far: each must have a value or NVML's own reason."""
    def work():
        values, reasons = {}, {}
        for results in sorted(machine.proof.folder.glob("*/results.db")):
            rows = query(results.parent, "SELECT quantity, COUNT(value), MAX(value), MAX(unknown_reason) FROM reading "
                                         "WHERE quantity LIKE 'gpu\\_%' ESCAPE '\\' GROUP BY quantity")
            for quantity, known, highest, reason in rows:
                (values if known else reasons)[quantity] = highest if known else reason
        if not values and not reasons:
            raise Skip("no process was completed")
        told = ", ".join(f"{name} {value:g}" for name, value in sorted(values.items()))
        told += "".join(f"; {name}: {reason}" for name, reason in sorted(reasons.items()) if name not in values)
        if not values:
            raise Failed(told.lstrip("; "))
        return told

    return work


def describe(machine):
    def work():
        for command in (["nvidia-smi", "-q"], ["lscpu"], ["ldd", "--version"], ["df", "-h", machine.proof.folder]):
            try:
                machine.proof.run(command)
            except (FileNotFoundError, CommandFailed) as why:
                machine.proof.facts[f"without {command[0]}"] = str(why)

    return work


def prove(proof, arguments):
    machine = Machine(proof, arguments)
    proof.step("machine", 60, describe(machine))
    if not proof.step("build", 900, machine.prepare_build):
        return
    for compiler in OWNERS:
        proof.step(f"adopt {compiler}", 120, lambda compiler=compiler: machine.adopt(compiler))
    small = [studies.BLOCK, studies.SMALL]
    proof.step("questions to PyTorch", 300, questions(machine))
    proof.step("study pytorch", 480, study(machine, "pytorch", ["identity"], studies.pytorch, small, [1]))
    proof.step("agreement of PyTorch", 60, agreement_of_torch(machine))
    proof.step("study onnxruntime", 420, study(machine, "onnxruntime", ["onnxruntime"], studies.onnxruntime, small, [1]))
    proof.step("study tensorrt", 600, study(machine, "tensorrt", ["tensorrt"], studies.tensorrt, small, [1]))
    proof.step("agreement of tensorrt-cpp", 240, agreement_of_tensorrt(machine, arguments.model, arguments.shape))
    proof.step("agreement with trtexec", 240, trtexec(machine))
    proof.step("study tvm", 300, study(machine, "tvm", ["tvm"], studies.tvm, [studies.BLOCK], [1]))
    if not arguments.only_small:
        proof.step("study paper", 1500, study(machine, "paper", [], studies.paper, studies.PAPER, [1, 8, 32]))
    proof.step("readings of NVML", 30, readings(machine))


def read_arguments(words):
    parser = argparse.ArgumentParser(prog="gpu-proof", description=__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("gpu-proof"), help="folder of results")
    parser.add_argument("--build", type=pathlib.Path, help="a build (default: the carried one, else one is made)")
    parser.add_argument("--carried", type=pathlib.Path, help="folder that --prepare made")
    parser.add_argument("--adopt", action="append", default=[], metavar="COMPILER=FOLDER")
    parser.add_argument("--no-machine", dest="machine", action="store_false", help="adopt nothing that is not named")
    parser.add_argument("--limit", type=float, default=3300, metavar="SECONDS", help="for the whole proof")
    parser.add_argument("--only-small", action="store_true", help="leave out the study of the paper's models")
    parser.add_argument("--model", type=pathlib.Path, help="ONNX file for the bare loop (default: ResNet-18)")
    parser.add_argument("--shape", default="input=1x3x224x224", help="its input, as NAME=AxB")
    parser.add_argument("--prepare", type=pathlib.Path, metavar="FOLDER", help="make the folder to carry, and end")
    parser.add_argument("--python", default="3.12", help="with --prepare: version of Python there")
    parser.add_argument("--libraries", default="", help="with --prepare: a zip or jar with TensorRT's libraries")
    arguments = parser.parse_args(words)
    for pair in arguments.adopt:
        compiler, equals, folder = pair.partition("=")
        if compiler not in OWNERS or not equals or not os.path.isdir(folder):
            parser.error(f"--adopt {pair}: not COMPILER=FOLDER with one of {', '.join(OWNERS)} and a folder that exists")
    if arguments.build and not (arguments.build / "bin/ngb").exists():
        parser.error(f"--build {arguments.build}: there is no bin/ngb in it")
    return arguments


def main(words):
    arguments = read_arguments(words)
    if arguments.prepare:
        carried.prepare(REPOSITORY, arguments.prepare, arguments.python, arguments.libraries)
        return 0
    proof = Proof(arguments.output.resolve(), arguments.limit)
    os.environ.setdefault("TMPDIR", tempfile.gettempdir())

    def find_gpu():
        try:
            proof.facts.update(gpu.first_gpu())
        except gpu.NoGpu as why:
            raise Failed(f"no GPU: {why}") from None
        return proof.facts["gpu"]

    if not proof.step("gpu", 30, find_gpu):
        print(f"\n{proof.text()}\nRun this on a machine with an NVIDIA GPU and its driver.")
        return NO_GPU
    prove(proof, arguments)
    print(f"\n{proof.text()}\nResults: {proof.folder}")
    return 1 if any(outcome.state == "failed" for outcome in proof.outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
