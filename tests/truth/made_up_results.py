# SPDX-License-Identifier: Apache-2.0
"""Makes results folders whose truth is known: the time of each repetition of each process is given.

    study(folder, ["identity", "onnxruntime"], ["m"], 7, lambda compiler, model, round: [10.0] * 16)

Every command reads such a folder: `ngb show`, `compare`, `gate`, `choose`, `report`. Processes of one number (round) ran one
after the other, as those of a study in rounds do."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "oracle"))
from made_up import Model, Process, ResultsFile, Setting  # noqa: E402

NGB = pathlib.Path(os.environ["NGB_BIN"]).resolve() / "ngb"
TINY_STUDY = """\
name: tiny
models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]
compilers: ["null"]
reference: none
processes: 1
turns: 1
repetitions: 1
disturbance: {max_wait_percent: 100}
output: tiny
"""


@functools.cache
def home():
    """A folder without toolchains and calibrations, in which all programs of this process run. It goes when Python ends."""
    kept = tempfile.TemporaryDirectory(prefix="ngb-truth-")
    home.kept = kept  # as long as this function
    return pathlib.Path(kept.name)


def new_folder():
    """A folder that is not there yet."""
    return pathlib.Path(tempfile.mkdtemp(dir=home())) / "results"


def ngb(*arguments, codes=(0,)):
    """Runs ngb; returns what it prints. Another exit code than `codes` is an error."""
    done = started(*arguments)
    if done.returncode not in codes:
        raise AssertionError(f"ngb {arguments[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def started(*arguments, program=NGB):
    """Runs ngb; returns the ended process."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home()), "NGB_TOOLCHAINS": f"{home()}/toolchains",
                   "LANG": "C.UTF-8"}
    return subprocess.run([program, *map(str, arguments)], cwd=home(), env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=1500)


def measured_rounds(models, most):
    """How many of the given rounds a device measures for `ngb gate`: of each model, from the speeds [of the baseline, of the
    candidate]."""
    done = subprocess.run([NGB.parents[1] / "bench/measured_rounds"], capture_output=True, text=True, check=True, timeout=1500,
                          input=json.dumps({"max_rounds": most, "gate": True, "models": models}))
    return json.loads(done.stdout)["rounds"]


@functools.cache
def newest_tables():
    """A results folder of the schema that this build writes."""
    (home() / "tiny.yaml").write_text(TINY_STUDY)
    ngb("run", "tiny.yaml", "--no-report")
    return home() / "tiny"


def setting_of(compiler):
    return compiler if isinstance(compiler, Setting) else Setting(compiler, compiler)


def model_of(model):
    return model if isinstance(model, Model) else Model(model, 1)


def study(folder, compilers, models, rounds, times, protocol=None, baseline="identity", goal=None):
    """Writes the results of a study into the new folder and returns it.

    `compilers` are names or made_up.Setting, `models` names or made_up.Model, `rounds` a number. `times(compiler, model,
    round)` returns the milliseconds of the repetitions that count, or a made_up.Process, or None: there is no such
    process. It is called round by round, so that what it draws for a round may befall all of its processes. `protocol`
    has keys and values of a study file, and `goal` is its key of that name."""
    processes = {(compiler, model): [] for model in models for compiler in compilers}
    for number in range(rounds):
        for (compiler, model), made in processes.items():
            drawn = times(compiler, model, number)
            if drawn is not None:
                made.append(_process(drawn, number))
    with ResultsFile(pathlib.Path(folder), newest_tables(), baseline, goal) as results:
        for key, value in (protocol or {}).items():
            results._insert("protocol", key=key, value=json.dumps(value))
        for (compiler, model), made in processes.items():
            results.add_cell(setting_of(compiler), model_of(model), made, planned=rounds)
    return pathlib.Path(folder)


def _process(drawn, number):
    process = drawn if isinstance(drawn, Process) else Process(list(drawn))
    process.index = number
    process.build = "one"
    return process


def shown(folder, *arguments):
    """What `ngb show --json` says."""
    return json.loads(ngb("show", folder, "--json", *arguments))


def metrics_of(shown_results, compiler):
    """The metrics of the only cell of that compiler's label: {name: {"value", "low", "high"}}."""
    cell, = (each for each in shown_results["cells"] if each["compiler_label"] == compiler)
    return cell["metrics"]


def compared(folder, baseline, candidate, *arguments):
    """The pairs of `ngb compare --json`."""
    told = ngb("compare", folder, "--baseline", baseline, "--candidate", candidate, "--json", *arguments)
    return json.loads(told)["pairs"]
