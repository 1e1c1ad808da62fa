# SPDX-License-Identifier: Apache-2.0
"""Faults of what somebody changes behind ngb's back: files of a toolchain, variables, files that ngb has kept, files while they
are read, links beside results; and numbers that are none. Two halves of unlike things are never pooled; what was kept and is not
what it was is made anew. Like those in faults.py."""

import os
import pathlib
import shutil
import struct
import time

import halves
from world import Violation

TOOLCHAINS = pathlib.Path(os.environ.get("NGB_TOOLCHAINS") or pathlib.Path.home() / ".local/share/ngraphbench/toolchains")
# Names that libraries, the loader or Python know, and one that nobody does.
VARIABLES = ("ONEDNN_MAX_CPU_ISA", "GLIBC_TUNABLES", "OPENVINO_LOG_LEVEL", "XLA_FLAGS", "PYTHONOPTIMIZE", "A_NAME_OF_NOBODY")
CLASSES = 4
LABELLED = ("{zoo: {mlp: {features: %d}}, label: exact, data: {arrays: x.npy, labels: y.txt}}" % CLASSES)


def edited_toolchain(world, client, witness, random):
    """Between two halves of a run, a file of an installed toolchain is edited, and is as long as before."""
    world.use_made_up_compiler()
    words, file = halves.first_half(world, random)
    package = next((world.folder / "toolchains/onnxruntime/1.0").glob("*/slowpoke.py"))
    text = package.read_text()
    package.write_text(text.replace("return 0.01", "return 0.20"))
    if package.read_text() == text:
        raise Violation("the package is not what this fault expects")
    halves.second_half(world, words, file)


def changed_environment(world, client, witness, random):
    """Between two halves of a run, a variable is set by which the made-up compiler becomes slower."""
    world.use_made_up_compiler()
    words, file = halves.first_half(world, random)
    name = random.choice(VARIABLES)
    world.environment[name] = "slower"
    world.say(f"{name}=slower")
    halves.second_half(world, words, file)


def write_array(path, samples):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(samples)}, {CLASSES}), }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() +
                     b"".join(struct.pack(f"<{CLASSES}f", *sample) for sample in samples))


def one_hot(shift=0):
    return [[1.0 if place == (sample + shift) % CLASSES else 0.0 for place in range(CLASSES)] for sample in range(CLASSES)]


class Labelled:
    """A study of a labelled model under the null compiler, which hands its inputs on: every sample is of its label's class."""

    def __init__(self, world):
        self.world = world
        self.folder = world.folder / "side"
        self.is_possible = (TOOLCHAINS / "identity").exists()
        if not self.is_possible:
            world.say("no toolchain with NumPy here: nothing was prepared")
            return
        (world.folder / "toolchains").mkdir(exist_ok=True)
        (world.folder / "toolchains/identity").symlink_to(TOOLCHAINS / "identity")
        (world.folder / "y.txt").write_text(" ".join(map(str, range(CLASSES))))
        write_array(world.folder / "x.npy", one_hot())
        halves.write_study(world, LABELLED, '  - "null": {label: a}\n', processes=1)

    def start(self):
        return self.world.start("run", "side.yaml", "--output", "side", "--no-report")

    def accuracies(self):
        """Measures anew; returns what was found, None for no number."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if (code := self.world.wait(self.start())) != 0:
            raise Violation(f"a study of labelled samples ended with {code}")
        return [value for value, in halves.ask(self.folder / "results.db", "SELECT value FROM derived WHERE metric = "
                                               "'top1_accuracy_ratio'")]

    def expect(self, accuracy, because):
        found = self.accuracies()
        if found != [accuracy]:
            raise Violation(f"the accuracy is {found} instead of {accuracy}: {because}")


def replaced_prepared(world, client, witness, random):
    """What ngb has prepared and kept is replaced: by nothing, by a part of it, by zeros, by other samples."""
    study = Labelled(world)
    if not study.is_possible:
        return
    study.expect(1, "every sample has its label's class")
    kept = [each for each in (world.folder / "home/.cache/ngraphbench/prepared").rglob("*") if each.is_file()]
    if not any(each.suffix == ".npy" for each in kept):
        raise Violation("no array was kept where this fault expects it")
    for each in kept:
        content = each.read_bytes()
        how = random.choice(["empty", "part", "zeros", "others", "as it was"])
        world.say(f"{each.name}: {how}")
        each.chmod(0o644)
        if how == "others" and each.suffix == ".npy":
            write_array(each, one_hot(1))
        elif how != "as it was":
            each.write_bytes({"part": content[:len(content) // 2], "zeros": bytes(len(content))}.get(how, b""))
    study.expect(1, "another file was measured under the kept one's name")


def samples_replaced_while_they_are_read(world, client, witness, random):
    """The user's file becomes another one while it is prepared, and then the first one again."""
    study = Labelled(world)
    if not study.is_possible:
        return
    first = study.start()
    time.sleep(random.uniform(0, 1))
    write_array(world.folder / "x.npy.new", one_hot(1))
    (world.folder / "x.npy.new").replace(world.folder / "x.npy")
    world.wait(first)
    study.expect(0, "no sample has its label's class any more")
    write_array(world.folder / "x.npy", one_hot())
    study.expect(1, "every sample has its label's class again")


def outputs_that_are_no_numbers(world, client, witness, random):
    """A model's outputs are not finite for one of its samples, or hardly numbers for all."""
    study = Labelled(world)
    if not study.is_possible:
        return
    samples = one_hot()
    is_finite = random.random() < 0.5
    if is_finite:
        scale = random.choice([1e-45, 1e-38, 1e38])
        samples = [[scale * value for value in sample] for sample in samples]
    else:
        samples[random.randrange(CLASSES)] = CLASSES * [random.choice([float("nan"), float("inf"), float("-inf")])]
    world.say(f"samples: {samples}")
    write_array(world.folder / "x.npy", samples)
    study.expect(1 if is_finite else None, "what is no number has no class")
    for words in (("show", "side"), ("show", "side", "--json"), ("report", "side"), ("compare", "side", "side")):
        if (code := world.ngb(*words)) not in (0, 4):
            raise Violation(f"{' '.join(words)} ended with {code}")


def links_beside_results(world, client, witness, random):
    """While nothing runs, files of the results folder become links to files of others, as in a folder that was mailed."""
    client.kill()
    client.wait()
    moved = []
    names = ("study.json", "lock", "results.db-journal", "results.db-wal", "results.db-shm", "report", "devices/beta",
             "devices/alpha/connection.log")
    for number, name in enumerate(random.sample(names, random.randint(1, 4))):
        path, theirs = world.results / name, world.folder / f"theirs-{number}"
        if name in ("report", "devices/beta"):
            world.plant(theirs / "connection.log")
            world.plant(theirs / "index.html")
        else:
            world.plant(theirs)
        if not path.parent.exists():
            continue
        away = world.folder / f"away-{number}"
        if path.exists():
            path.rename(away)
        path.symlink_to(theirs)
        moved.append((path, away))
        world.say(f"a link: {name}")
    code = world.ngb("run", "study.yaml")
    if code < 0:
        raise Violation(f"ended by signal {-code}")
    for path, away in moved:
        if path.is_symlink():
            path.unlink()
        if away.exists() and not path.exists():
            away.rename(path)


FAULTS = {
    "edited toolchain": edited_toolchain,
    "changed environment": changed_environment,
    "replaced prepared": replaced_prepared,
    "samples replaced while they are read": samples_replaced_while_they_are_read,
    "outputs that are no numbers": outputs_that_are_no_numbers,
    "links beside results": links_beside_results,
}
