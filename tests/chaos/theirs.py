# SPDX-License-Identifier: Apache-2.0
"""Faults of what is not ours, or belongs together: files of others in a work folder's place, another model under a gate,
a cancel beside a client, a kill inside a round in turns. Like those in faults.py."""

import json
import sqlite3
import subprocess
import time

from world import Violation

LOCAL = """\
name: side
models: [{model}]
compilers:
  - "null": {{label: a}}
  - "null": {{label: b}}
reference: none
processes: {processes}
repetitions: 3
turns: 1
disturbance: {{max_wait_percent: 100}}
"""
ZOO = "{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}"


def in_turns(world):
    """Before the client begins: three sides that take turns."""
    world.labels = ["a", "b", "c"]
    world.more = "turns: 2\n"
    world.write_study()


def check_rounds(world):
    """Each round was measured at once: every process of it has as many others beside it."""
    cut = world.query("SELECT cell.device, model_key, process_index FROM process JOIN cell USING (cell_key) LEFT JOIN fact "
                      "ON fact.process_key = process.process_key AND fact.name = 'turns' WHERE is_complete "
                      "GROUP BY 1, 2, 3, origin HAVING count(DISTINCT ifnull(fact.value, 'alone')) > 1")
    if cut:
        raise Violation(f"{len(cut)} rounds in turns are measured in parts")


def kill_in_a_round(kill_any_instant, until_measured):
    def fault(world, client, witness, random):
        until_measured(world, client, random)
        for role in random.sample(["agent", "worker", "client"], 2):
            if role == "client":
                client.kill()
                client.wait()
            else:
                kill_any_instant(role)(world, client, witness, random)
    return fault


def link_as_work_folder(world, client, witness, random):
    """A results folder whose work folder leads to files of others, as one that was mailed may."""
    theirs = world.folder / "theirs"
    for name in ("models/precious.onnx", "scratch/thesis.tex", "journal.txt"):
        world.plant(theirs / name)
    (world.folder / "side.yaml").write_text(LOCAL.format(model=ZOO, processes=1))
    (world.folder / "side/devices").mkdir(parents=True)
    (world.folder / "side/devices/local").symlink_to(theirs)
    if world.ngb("run", "side.yaml", "--output", "side", "--no-report") != 3:
        raise Violation("files of others were taken for a work folder")


def write_model(world, depth):
    (recipe,), = world.query("SELECT recipe_json FROM model LIMIT 1")
    recipe = json.loads(recipe)
    recipe["parameters"]["depth"] = depth
    subprocess.run([world.folder / "installation/bin/ngb-worker", "write-model", "--recipe", "-", "--batch", "1", "--threads",
                    "1", "-o", world.folder / "side.onnx"], input=json.dumps(recipe), text=True, env=world.environment,
                   check=True, capture_output=True)


def model_replaced_under_a_gate(world, client, witness, random):
    """The file has another content when the gate is continued."""
    end = time.monotonic() + 20
    while not world.query("SELECT recipe_json FROM model") and time.monotonic() < end:
        time.sleep(0.05)
    write_model(world, 1)
    (world.folder / "side.yaml").write_text(LOCAL.format(model="{onnx: side.onnx}", processes=5))
    words = ("gate", "side.yaml", "--baseline", "a", "--candidate", "b", "-o", "gated")
    gate = world.start(*words)
    file = world.folder / "gated/results.db"
    while gate.poll() is None and not file.exists():
        pass
    if random.random() < 0.7:
        gate.kill()
    world.wait(gate)
    write_model(world, 2)
    has_begun = hashes(file) != set()
    code = world.ngb(*words)
    if has_begun and (code != 3 or not world.advises("has changed since")):
        raise Violation(f"a gate went on with another model, and ended with {code}")
    if len(hashes(file)) > 1:
        raise Violation("a gate has judged two models as one")


def hashes(file):
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
            return {each for each, in database.execute("SELECT DISTINCT model_hash FROM model JOIN cell USING (model_key)")}
    except sqlite3.OperationalError:
        return set()


def cancel_beside_the_client(world, client, witness, random):
    for _ in range(random.randint(1, 3)):
        if world.ngb("cancel", "results") != 0 or client.poll() is not None:
            continue
        # The client is about to begin, or to end; it must not measure what was just removed.
        before = world.recorded()
        world.wait(client)
        if 0 < before < world.recorded():
            raise Violation("a cancel beside a client that goes on says that all was removed")
