#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chaos: many small studies over two devices, each with one fault drawn at random.

    chaos.py --runs 200 --seed 1            all of them
    chaos.py --seed 1 --only 17             that one run again
    chaos.py --fault "torn journal"         that fault only

After the fault, the obvious commands are typed: the same `ngb run`, or `ngb resume`, or `ngb cancel`. Then nothing is lost,
nothing is there twice, unlike builds are not pooled, no command took longer than a minute, what is not ours is untouched,
and nothing of ours is left on the devices. A run that violates this keeps its folder."""

import argparse
import collections
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import traceback

import checks
from faults import FAULTS, PREPARED
from journal import Witness
from theirs import check_rounds
from world import Violation, World, install

TRIES = 3  # so often the same command is typed


def draw(seed, number, names):
    """The fault of a run, and its random numbers. Every fault comes up before one comes up again."""
    deck = []
    shuffler = random.Random(f"{seed}")
    while len(deck) <= number:
        deck += shuffler.sample(names, len(names))
    return deck[number], random.Random(f"{seed}/{number}")


def type_on(world, client, chance):
    """What somebody types who sees that something went wrong. Whether everything was cancelled first."""
    if client.poll() is None or client.returncode is None:
        world.wait(client)
    is_cancelled = chance.random() < 0.15 and (world.results / "study.json").exists()
    if is_cancelled and world.ngb("cancel", "results") == 0:
        checks.check_nothing_left(world)
    elif is_cancelled:
        raise Violation("ngb cancel did not succeed")
    may_resume = (world.results / "study.json").exists() and not world.is_edited and not is_cancelled
    for _ in range(TRIES):
        words = ["resume", "results"] if may_resume and chance.random() < 0.3 else ["run", "study.yaml"]
        if world.advises("--new-build"):  # asked for where another build came between two halves of a cell
            words.append("--new-build")
        if world.ngb(*words) == 0:
            return is_cancelled
    raise Violation(f"after {TRIES} times the same command, all is not well")


def live(world, fault, chance):
    PREPARED.get(fault, lambda world: None)(world)
    witness = Witness(world)
    client = world.start("run", "study.yaml")
    try:
        time.sleep(0.05)
        world.plant_when_there(client)
        FAULTS[fault](world, client, witness, chance)
        is_cancelled = type_on(world, client, chance)
        witnessed = witness.end()
        checks.check_results(world, set() if is_cancelled else witnessed)
        checks.check_builds(world)
        check_rounds(world)
        checks.check_nothing_left(world)
        checks.check_strangers(world)
    finally:
        witness.end()
        client.kill()
        client.wait()
        left = world.end()
        for undo in world.undo:
            undo()
    checks.check_no_processes(left)


def run_one(arguments, stock, number):
    """The fault's name, and the violation or None."""
    names = [arguments.fault] if arguments.fault else sorted(FAULTS)
    fault, chance = draw(arguments.seed, number, names)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"ngb-chaos-{number}-", dir=stock.parent))
    began = time.monotonic()
    world = World(folder, stock)
    violation = None
    try:
        live(world, fault, chance)
    except Violation as found:
        violation = str(found)
    except Exception:  # a mistake of ours: told like the others, and the next run follows
        violation = traceback.format_exc()
    took_s = time.monotonic() - began
    print(f"{number:4}  {took_s:5.1f} s  {fault}: {violation or 'well'}", flush=True)
    if violation or arguments.verbose:
        print("".join(f"              {line}\n" for line in world.log), end="")
    if violation:
        print(f"              again: chaos.py --seed {arguments.seed} --only {number}"
              + (f" --fault '{arguments.fault}'" if arguments.fault else "") + f"; kept: {folder}", flush=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return fault, violation


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("NGB_BIN", "build/dev/bin")).parent)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    parser.add_argument("--only", type=int, help="the number of the only run")
    parser.add_argument("--fault", choices=sorted(FAULTS))
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ngb-chaos-"))
    install(arguments.build, folder / "stock")
    numbers = range(arguments.runs) if arguments.only is None else [arguments.only]
    print(f"seed {arguments.seed}, {len(numbers)} runs", flush=True)
    began = time.monotonic()
    counts = collections.Counter()
    violations = collections.Counter()
    for number in numbers:
        fault, violation = run_one(arguments, folder / "stock", number)
        counts[fault] += 1
        violations[fault] += violation is not None
    for fault in sorted(counts):
        print(f"{counts[fault]:5} × {fault}" + (f": {violations[fault]} violations" if violations[fault] else ""))
    print(f"{len(numbers)} runs in {time.monotonic() - began:.0f} s with seed {arguments.seed}: {violations.total()} violations")
    if violations.total():
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
