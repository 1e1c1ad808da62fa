# SPDX-License-Identifier: Apache-2.0
"""The work of a proof's steps: each function takes the machine and returns what a step does."""
import json
import pathlib
import re
import sqlite3
import statistics
import sys

import probes
import studies
from steps import CommandFailed, Failed, Skip

HERE = pathlib.Path(__file__).resolve().parent
# The sentence and the closing line of `ngb explain`.
_EXPLAINS = re.compile(r".* (faster|slower) of |nothing is told |.* not told apart |(not )?explained: ")
_WITH_EAGER = ("pytorch", "programs", "aotinductor")  # studies


def _write_study(machine, name, make, toolchains, **more):
    """Write a study file. Returns it and the folder of its results. Raises Skip if a toolchain is missing."""
    missing = [each for each in toolchains if each not in machine.versions]
    if missing:
        raise Skip(f"there is no toolchain of {', '.join(missing)}")
    compilers, models, batches = make(machine.versions)
    if machine.proof.facts["tensorrt-cpp"] != "built":
        compilers = [each for each in compilers if "tensorrt-cpp" not in each]
    if not compilers:
        raise Skip("there is no toolchain for any of its compilers")
    path = machine.proof.folder / f"{name}.yaml"
    path.write_text(studies.text(name, (compilers, models, batches), machine.versions, **more))
    return path, machine.proof.folder / name


def study(make, *toolchains, **more):
    """A study of that name. It resumes, and cells without a result make the step fail, with their reasons."""
    def of(machine, name):
        def work():
            path, results = _write_study(machine, name, make, toolchains, **more)
            try:
                machine.ngb("run", path, "-o", results)
            except CommandFailed as failed:
                if failed.code != 1:
                    raise
                raise Failed(why_not(results)) from None
            return count(results)

        return work

    return of


def killed_study(make, *toolchains):
    """A study in which a worker and then ngb are killed, and which is resumed."""
    def of(machine, name):
        def work():
            path, results = _write_study(machine, name, make, toolchains, processes=2, attempts=2)
            command = [sys.executable, "-B", HERE / "killed.py", machine.build / "bin/ngb", path, results]
            machine.proof.run(command, machine.environment)
            return f"{count(results)}; a worker and ngb were killed, and nothing was lost"

        return work

    return of


def explained(make, baseline, candidate, *toolchains, **more):
    """Profile both sides in turns. What is told are the sentence of `ngb explain` and whether the regions explain it."""
    def of(machine, name):
        def work():
            path, results = _write_study(machine, name, make, toolchains, **more)
            text = machine.ngb("explain", path, "--baseline", baseline, "--candidate", candidate, "--rounds", 3, "-o", results)
            told = [line.strip() for line in text.splitlines() if _EXPLAINS.match(line.strip())]
            if not told:
                raise Failed("ngb explain says neither which side is faster nor why")
            return "; ".join(told)

        return work

    return of


def peak(machine, _):
    """What a library's product, a copy and a triad reach on the GPU."""
    def work():
        if "identity" not in machine.versions:
            raise Skip("there is no toolchain of identity")
        text = machine.ngb("calibrate", "--peak", "--gpu", "--threads", 1, "--rounds", 2, "-o", machine.proof.folder / "peak")
        return " ".join(text.split())

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
    """Return the median time of one inference at batch 1, or None."""
    if not (results / "results.db").exists():
        return None
    rows = query(results, "SELECT 1.0 * wall_ns / inferences FROM sample WHERE compiler_label = ? AND model = ? "
                          "AND batch = 1 AND is_warm_up = 0", compiler, model)
    return statistics.median(value for value, in rows) if rows else None


def agreement_of_torch(machine, _):
    """Compare eager cells with torch.utils.benchmark and CUDA events."""
    def work():
        python, environment = machine.python("identity")
        found = (median_ns(machine.proof.folder / study, "eager", studies.SMALL) for study in _WITH_EAGER)
        ours = next(filter(None, found), None)
        if ours is None:
            raise Skip(f"none of the studies {', '.join(_WITH_EAGER)} has a result of eager for {studies.SMALL}")
        text = machine.proof.run([python, "-B", HERE / "torch_rival.py", studies.SMALL, 5], environment)
        for rival, nanoseconds in json.loads(text.splitlines()[-1]).items():
            machine.proof.add_agreement("identity", studies.SMALL, rival, ours, nanoseconds)

    return work


def agreement_of_tensorrt(model_file, shape):
    """Compare tensorrt-cpp with a bare enqueueV3 loop over the same engine, and with the GPU's own time of it."""
    def of(machine, _):
        def work():
            proof, program = machine.proof, machine.build / "bench/enqueue_loop"
            plugin = machine.build / "lib/ngraphbench/compilers/tensorrt-cpp/tensorrt-cpp.so"
            if "tensorrt" not in machine.sites:
                raise Skip("there is no toolchain of tensorrt")
            if not (program.exists() and plugin.exists()):
                raise Skip(f"{program} is not built: there were no headers of TensorRT")
            path, name = model_file, model_file.stem if model_file else studies.SMALL
            if path is None:
                path = _model_file(machine)
            text = proof.run([program, plugin, machine.sites["tensorrt"]["site"], path, shape, 200, 5], machine.environment)
            told = json.loads(text.splitlines()[-1])
            ours = statistics.median(told["plugin_ns"])
            proof.add_agreement("tensorrt-cpp", name, "enqueueV3 and a wait", ours, statistics.median(told["bare_ns"]))
            proof.add_agreement("tensorrt-cpp", name, "GPU alone (events)", ours, statistics.median(told["events_ns"]))
            if abs(told["ratio"] - 1) >= 0.02:
                raise Failed(f"the plugin's call takes {told['ratio']:.3f} of the bare loop's time, not 0.98 to 1.02")
            return f"the plugin's call takes {told['ratio']:.3f} of the bare loop's time"

        return work

    return of


def _model_file(machine):
    path = machine.proof.folder / f"{studies.SMALL}.onnx"
    if not path.exists():
        machine.ngb("models", "write", studies.SMALL, "--batch", 1, "-o", path)
    return path


def trtexec(machine, _):
    def work():
        ours = median_ns(machine.proof.folder / "tensorrt", "tensorrt-cpp", studies.SMALL)
        if ours is None:
            raise Skip("the study tensorrt has no result of tensorrt-cpp")
        try:
            text = machine.proof.run(["trtexec", f"--onnx={_model_file(machine)}", "--noTF32", "--noDataTransfers",
                                      "--duration=5"], machine.environment)
        except FileNotFoundError:
            raise Skip("this machine has no trtexec") from None
        line = next((line for line in text.splitlines() if "Latency:" in line and "median" in line), None)
        if line is None:
            raise Failed("trtexec tells no median latency")
        milliseconds = float(line.split("median =")[1].split("ms")[0])
        machine.proof.add_agreement("tensorrt-cpp", studies.SMALL, "trtexec (another engine)", ours, milliseconds * 1e6)

    return work


def questions(machine, _):
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
