# SPDX-License-Identifier: Apache-2.0
"""Faults of what is not ours, or belongs together: files of others in a work folder's place, a cancel beside a client, a kill
inside a round in turns. Like those in faults.py."""

import halves
from world import Violation


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
    halves.write_study(world, halves.ZOO, processes=1)
    (world.folder / "side/devices").mkdir(parents=True)
    (world.folder / "side/devices/local").symlink_to(theirs)
    if world.ngb("run", "side.yaml", "--output", "side", "--no-report") != 3:
        raise Violation("files of others were taken for a work folder")


def cancel_beside_the_client(world, client, witness, random):
    for _ in range(random.randint(1, 3)):
        if world.ngb("cancel", "results") != 0 or client.poll() is not None:
            continue
        # The client is about to begin, or to end; it must not measure what was just removed.
        before = world.recorded()
        world.wait(client)
        if 0 < before < world.recorded():
            raise Violation("a cancel beside a client that goes on says that all was removed")
