# SPDX-License-Identifier: Apache-2.0
"""Faults of answers that have two halves, before and after something has changed under its name: a model under a gate, a
bisection or a calibration, and the packages in the user's home under a run. Like those in faults.py."""

import contextlib
import json
import pathlib
import sqlite3
import subprocess
import time

from world import Violation

ZOO = "{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}"
STUDY = """\
name: side
models: [{model}]
compilers:
{compilers}reference: none
processes: {processes}
repetitions: 3
disturbance: {{max_wait_percent: 100}}
"""
NULL_TWICE = '  - "null": {label: a}\n  - "null": {label: b}\n'
MADE_UP = '  - onnxruntime: {version: "1.0"}\n'
# What somebody installs for themselves: each inference of the made-up compiler takes twenty times as long.
SLOWER = """\
import builtins
builtins.slower_times = 20
open({mark!r}, "a").close()
"""


def write_study(world, model, compilers=NULL_TWICE, processes=5):
    (world.folder / "side.yaml").write_text(STUDY.format(model=model, compilers=compilers, processes=processes))


def write_model(world, depth):
    """Writes side.onnx as the zoo makes it in this depth, once a run has recorded a recipe."""
    end = time.monotonic() + 20
    while not world.query("SELECT recipe_json FROM model") and time.monotonic() < end:
        time.sleep(0.05)
    (recipe,), = world.query("SELECT recipe_json FROM model LIMIT 1")
    recipe = json.loads(recipe)
    recipe["parameters"]["depth"] = depth
    subprocess.run([world.folder / "installation/bin/ngb-worker", "write-model", "--recipe", "-", "--batch", "1", "--threads",
                    "1", "-o", world.folder / "side.onnx"], input=json.dumps(recipe), text=True, env=world.environment,
                   check=True, capture_output=True)


def ask(file, sql):
    with contextlib.suppress(sqlite3.OperationalError), \
            contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchall()
    return []


def hashes(*files):
    return {each for file in files for each, in ask(file, "SELECT DISTINCT model_hash FROM model JOIN cell USING (model_key)")}


def interrupt(world, client, file, random, most_s):
    """Lets the command measure for some time, and kills it, or lets it end first."""
    while client.poll() is None and not file.exists():
        time.sleep(0.005)
    end = time.monotonic() + random.uniform(0, most_s)
    while client.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    if random.random() < 0.7:
        client.kill()
    world.wait(client)


def model_replaced_under_a_gate(world, client, witness, random):
    """The file has another content when the gate is continued."""
    write_model(world, 1)
    write_study(world, "{onnx: side.onnx}")
    words = ("gate", "side.yaml", "--baseline", "a", "--candidate", "b", "--turns", "1", "-o", "gated")
    file = world.folder / "gated/results.db"
    interrupt(world, world.start(*words), file, random, 0)
    write_model(world, 2)
    has_begun = hashes(file) != set()
    code = world.ngb(*words)
    if has_begun and (code != 3 or not world.advises("has changed since")):
        raise Violation(f"a gate went on with another model, and ended with {code}")
    if len(hashes(file)) > 1:
        raise Violation("a gate has judged two models as one")


def model_replaced_under_a_bisection(world, client, witness, random):
    """The file has another content while the bisection measures, or when it is continued."""
    world.use_made_up_compiler()
    write_model(world, 1)
    write_study(world, "{onnx: side.onnx}", MADE_UP, processes=3)
    words = ("bisect", "side.yaml", "--compiler", "onnxruntime", "--from", "1.0", "--to", "1.3", "--fails", "-o", "bisected")
    state = world.folder / "bisected/bisect.json"
    bisection = world.start(*words)
    if random.random() < 0.5:
        interrupt(world, bisection, state, random, 3)
        write_model(world, 2)
        code = world.ngb(*words)
        if state.exists() and (code != 2 or not world.advises("model_contents")):
            raise Violation(f"a bisection went on with another model, and ended with {code}")
    else:
        while bisection.poll() is None and not state.exists():
            time.sleep(0.005)
        time.sleep(random.uniform(0, 2))
        write_model(world, 2)
        code = world.wait(bisection)
    steps = sorted((world.folder / "bisected").glob("*/results.db"))
    if code in (0, 5) and len(hashes(*steps)) > 1:
        raise Violation("a bisection has answered from two models")


def model_replaced_under_a_calibration(world, client, witness, random):
    """The models of a calibration are the zoo's: what was measured is of another ngb, whose zoo draws them otherwise."""
    words = ("calibrate", "--compiler", "null", "--threads", "1", "--time", "14s", "-o", "calibrated")
    folder = world.folder / "calibrated"
    interrupt(world, world.start(*words), folder / "1-threads-20-turns-trial/1/results.db", random, 14)
    files = [file for file in folder.rglob("results.db") if hashes(file)]
    for file in files:
        with contextlib.closing(sqlite3.connect(file)) as database, database:
            database.execute("UPDATE model SET model_hash = 'another ' || model_hash")
    code = world.ngb(*words)
    if files and (code != 3 or not world.advises("has changed since")):
        raise Violation(f"a calibration went on with other models, and ended with {code}")
    if any(len({each.startswith("another ") for each in hashes(file)}) > 1 for file in files):
        raise Violation("a calibration has pooled the models of two zoos")


def first_half(world, random):
    """Measures some processes of the made-up compiler, or all. Returns the command, and where its results are."""
    write_study(world, ZOO, MADE_UP)
    words = ["run", "side.yaml", "--output", "side", "--no-report"]
    file = world.folder / "side/results.db"
    first = world.start(*words)
    wanted = random.randint(1, 4)
    while first.poll() is None and len(ask(file, "SELECT 1 FROM process WHERE is_complete")) < wanted:
        time.sleep(0.01)
    first.kill()
    world.wait(first)
    return words, file


def second_half(world, words, file):
    """Types the command again, and as it advises. Returns whether it was refused at first."""
    code = world.ngb(*words)
    is_refused = code == 3 and world.advises("--new-build")
    if is_refused:
        code = world.ngb(*words, "--new-build")
    if code != 0:
        raise Violation(f"a run after something has changed ended with {code}")
    speeds = ask(file, "SELECT origin, min(repetition.wall_ns / inferences), max(repetition.wall_ns / inferences) FROM process "
                 "JOIN repetition USING (process_key) WHERE is_complete GROUP BY 1")
    world.say(f"speeds by origin: {speeds}")
    # The compiler's times are made up, by what its process finds: they differ by half a percent, or by what has changed.
    if any(slowest > 5 * fastest for _, fastest, slowest in speeds):
        raise Violation("inferences of one origin take unlike times, because of what has changed in between")
    return is_refused


def user_site_that_changes(world, client, witness, random):
    """Between two halves of a run, the user installs what changes the speed of every Python: in their home, or in the folder
    that they have given as a toolchain."""
    world.use_made_up_compiler(is_adopted=random.random() < 0.5)
    words, file = first_half(world, random)
    mark = world.folder / "customized"
    path = world.folder / "adopted/sitecustomize.py"  # beside the packages that the user has given
    if not world.is_adopted:
        asked = subprocess.run(["python3", "-c", "import site; print(site.getusersitepackages())"], env=world.environment,
                               text=True, check=True, capture_output=True)
        path = pathlib.Path(asked.stdout.strip()) / "usercustomize.py"
        path.parent.mkdir(parents=True)
    path.write_text(SLOWER.format(mark=str(mark)))
    is_refused = second_half(world, words, file)
    if not world.is_adopted and (is_refused or mark.exists()):
        raise Violation("packages of the user take part in what an installed toolchain measures")
