#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads results files with hostile values by every command that reads one, and by the Python package.

Each must end within ten seconds of processor time and one GiB, by no signal, with a message if it fails. A database that breaks this is kept
with what was changed in it; the same --seed makes the same databases. With --log, what was tried before is not tried again, so that many
databases can be tried in parts: Ctrl-C or SIGTERM ends a part after the databases at hand."""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

import hostile_values

SECONDS = 10  # of processor time
PATIENCE_S = 1800  # by the clock, on a machine that does something else, too
BYTES = 1 << 30
STUDY = """\
name: s
models:
  - zoo: {conv_block: {width: 8, depth: [1, 2], image_size: 16}}
  - {zoo: {mlp: {width: 8}}, label: exact}
  - {onnx: cheap.onnx, label: cheap, variant_of: exact}
compilers:
  - "null": {label: a}
  - "null": {label: b}
  - "null": {label: c, options: {fault: crash, fault_phase: compile, fault_process: 1}}
reference: "null"
attempts: 1
processes: 2
repetitions: 3
warm_up: 1
min_repetition_ms: 0
disturbance: {max_wait_percent: 100}
"""
COMMANDS = {
    "show": "show FOLDER",
    "show --json": "show FOLDER --json",
    "status": "status FOLDER",
    "profile": "profile FOLDER",
    "compare": "compare FOLDER --baseline a --candidate b",
    "history": "history FOLDER -o history.html",
    "choose": "choose FOLDER --latency p50=10s --load 1/s",
    "report": "report FOLDER -o report",
    "bundle": "bundle FOLDER -o bundle.zip",
    "verify": "verify unpacked",
    "merge": "merge FOLDER -o merged --as local=x",
    "cancel": "cancel FOLDER",
    "confirm": "choose FOLDER --latency p50=10s --load 1/s --confirm --requests 20 -o confirmed",
    "resume": "resume FOLDER",
}
# Beside results.db, and whether it is a folder: of every four results, some are links to what is somebody else's.
LINKS = {"results.db-journal": False, "results.db-wal": False, "results.db-shm": False, "lock": False, "study.json": False,
         "report": True, "devices": True}
# What a program says that did not expect the error.
UNEXPECTED = re.compile(r"json\.exception|terminate called|std::|Assertion|Sanitizer|Traceback|basic_string|vector::|bad_alloc")


class Base:
    """Results, and a bundle of them, from which the databases are made; and a program without an agent, so that nothing is
    measured."""

    def __init__(self, programs, folder):
        self.folder = folder
        home = folder / "home"
        home.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
                            "NGB_TOOLCHAINS": str(folder / "toolchains")}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        (folder / "s.yaml").write_text(STUDY)
        self.run(programs / "ngb", "models", "write", "mlp", "--parameters", '{"width": 8}', "--batch", "1", "--seed", "2",
                 "-o", "cheap.onnx")
        ran = self.run(programs / "ngb", "run", "s.yaml", "--output", "results", "--no-report")
        shown = self.run(programs / "ngb", "show", "results", "--series")
        bundled = self.run(programs / "ngb", "bundle", "results", "--output", "b.zip")
        if ran.returncode != 1 or shown.returncode != 0 or bundled.returncode != 0:
            sys.exit(f"no results to begin with:\n{ran.stderr}{shown.stderr}{bundled.stderr}")
        with zipfile.ZipFile(folder / "b.zip") as bundle:
            bundle.extractall(folder / "unpacked")
        self.ngb = folder / "programs/bin/ngb"
        self.ngb.parent.mkdir(parents=True)
        try:
            os.link(programs / "ngb", self.ngb)
        except OSError:
            shutil.copy2(programs / "ngb", self.ngb)
        (folder / "programs/lib").symlink_to(programs.parent / "lib")

    def run(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)


def read(base, words, folder):
    """Runs a command. Returns (exit code, what it said, seconds, bytes); the code is negative after a signal."""
    command = [str(base.ngb), *words]
    began = time.monotonic()
    with open(folder / "told", "w+b") as told:
        child = subprocess.Popen(command, cwd=folder, env=base.environment, stdin=subprocess.DEVNULL, stdout=told, stderr=told,
                                 start_new_session=True)  # Ctrl-C is for us
        end = os.pidfd_open(child.pid)
        if not select.select([end], [], [], PATIENCE_S)[0]:
            child.kill()
        os.close(end)
        _, status, usage = os.wait4(child.pid, 0)
        took = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        text = told.read(1 << 20).decode(errors="replace")
    used_s = took if took > PATIENCE_S else usage.ru_utime + usage.ru_stime
    return child.returncode, text, used_s, usage.ru_maxrss * 1024


def wrong(name, code, told, took, used):
    """Returns what is wrong with how a command has ended; "" if nothing is."""
    if took > SECONDS:
        return f"{name}: takes more than {SECONDS} s"
    if code < 0:
        return f"{name}: ended by {signal.Signals(-code).name}"
    if used > BYTES:
        return f"{name}: used {used >> 20} MiB"
    if code not in (0, 1, 2, 3, 4, 5, 6, 7):
        return f"{name}: exit code {code}"
    if code >= 2 and not told.strip():
        return f"{name}: exit code {code} without a message"
    if unexpected := UNEXPECTED.search(told):
        return f"{name}: says {unexpected.group()}: {told[-300:]}"
    return ""


class Theirs:
    """What is somebody else's, and links to it beside results, which no command may follow to write."""

    def __init__(self, folder, results, seed):
        self.folder = folder
        folder.mkdir()
        (folder / "thesis.tex").write_text("mine")
        draw = random.Random(f"links {seed}")
        self.names = draw.sample(sorted(LINKS), 2) if draw.random() < 0.25 else []
        for name in self.names:
            path = results / name
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            path.symlink_to(folder if LINKS[name] else folder / "thesis.tex")

    def problem(self, command):
        found = {each.name: each.read_text(errors="replace") for each in self.folder.rglob("*") if each.is_file()}
        return "" if found == {"thesis.tex": "mine"} else f"{command}: has written through a link: {sorted(found)}"


def put_into_bundle(base, database, folder):
    """Makes a bundle of the database, with the hash that a careful author would have written."""
    shutil.copytree(base.folder / "unpacked", folder)
    shutil.copy(database, folder / "results/results.db")
    manifest = folder / "manifest.json"
    content = database.read_bytes()
    whole = json.loads(manifest.read_text())
    for entry in whole["files"]:
        if entry["path"] == "results/results.db":
            entry["sha256"] = hashlib.sha256(content).hexdigest()
            entry["bytes"] = len(content)
    manifest.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")


def try_one(base, seed, names, python):
    """Tries one database with these commands. Returns (what was changed, what is wrong, {command: exit code})."""
    found, codes = [], {}
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{seed}-", dir=base.folder / "tried"))
    results = folder / "results"
    shutil.copytree(base.folder / "results", results)
    changed = hostile_values.mutate(results / "results.db", seed)
    theirs = Theirs(folder / "theirs", results, seed)
    if theirs.names:
        changed += f"; links: {', '.join(theirs.names)}"
    original = (results / "results.db").read_bytes()
    for name in names:
        (results / "results.db").write_bytes(original)
        if name == "verify":
            put_into_bundle(base, results / "results.db", folder / "unpacked")
        words = COMMANDS[name].replace("FOLDER", "results").split()
        outcome = read(base, words, folder)
        codes[name] = outcome[0]
        if problem := wrong(name, *outcome) or theirs.problem(name):
            found.append(problem)
    (results / "results.db").write_bytes(original)
    if python is not None:
        code, problem = python.read(results)
        codes["python"] = code
        if problem:
            found.append("python: " + problem)
    if found:
        kept = base.folder / f"kept/{seed}"
        kept.mkdir(parents=True)
        shutil.copy(results / "results.db", kept)
        (kept / "what").write_text("\n".join([changed, *found]) + "\n")
    shutil.rmtree(folder)
    return changed, found, codes


class Python:
    """The package for users, in a process that stays, because its imports take longer than all else."""

    PROGRAM = pathlib.Path(__file__).with_name("hostile_package.py")

    def __init__(self, base, interpreter):
        package = pathlib.Path(__file__).resolve().parents[2] / "python/client"
        self.command = [interpreter, self.PROGRAM]
        self.environment = {**base.environment, "PYTHONPATH": str(package), "NGB": str(base.ngb)}
        self.process = None

    def read(self, folder):
        """Returns (0 or 3, what is wrong)."""
        if self.process is None:
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, text=True,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        self.process.stdin.write(f"{folder}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            self.process = None
            return 3, f"ended with {code}"
        told = json.loads(answer)
        if told["wrong"]:
            self.end()  # what it holds in memory would count against the next database
        return told["code"], told["wrong"]

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None


class Log:
    """What was tried, by number: {"number", "changed", "found", "codes"} a line of JSON. It is kept in a file if one is named."""

    def __init__(self, file, **question):
        self.tried = {}
        self.lock = threading.Lock()
        text = file.read_text() if file and file.exists() else ""
        lines = [line for line in text.splitlines() if line.endswith("}")]  # the last one is torn after a kill
        if lines and json.loads(lines[0]) != question:
            sys.exit(f"{file}: is of another question: {lines[0]}, not {json.dumps(question)}")
        for line in lines[1:]:
            one = json.loads(line)
            self.tried[one["number"]] = one
        self.file = open(file, "a", buffering=1) if file else None
        if self.file and not text.endswith("\n"):
            print("" if lines else json.dumps(question), file=self.file)

    def left(self, count):
        """The numbers that are to be tried; those that broke a rule are tried again."""
        return [number for number in range(count) if number not in self.tried or self.tried[number]["found"]]

    def add(self, **one):
        with self.lock:
            self.tried[one["number"]] = one
            if self.file:
                print(json.dumps(one), file=self.file)
            if len(self.tried) % 500 == 0:
                print(f"{len(self.tried)} databases, {len(self.broken())} broke a rule", flush=True)

    def broken(self):
        return [number for number, one in self.tried.items() if one["found"]]


def folder_in_memory():
    """Returns where databases are tried without waiting for a disk; None if there is no such place."""
    memory = pathlib.Path("/dev/shm")
    has_room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 * BYTES
    return memory if has_room else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder with ngb")
    parser.add_argument("--databases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="no database is begun after this time")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--each", type=int, default=len(COMMANDS), help="commands per database, one after the other in turn")
    parser.add_argument("--python", help="a Python with pandas, for the package")
    parser.add_argument("--keep", type=pathlib.Path, help="where databases that break a rule are kept")
    parser.add_argument("--log", type=pathlib.Path, help="what was tried: read, so that it is not tried again, and continued")
    options = parser.parse_args()
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ngb-hostile-", dir=folder_in_memory()))
    try:
        return try_all(options, folder)
    finally:
        if options.keep and (folder / "kept").exists():
            shutil.copytree(folder / "kept", options.keep, dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def try_all(options, folder):
    log = Log(options.log, seed=options.seed, each=options.each, python=options.python is not None)
    base = Base(options.programs.resolve(), folder)
    (folder / "tried").mkdir()
    names = list(COMMANDS)
    left = collections.deque(log.left(options.databases))
    end = time.monotonic() + 60 * options.minutes
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: left.clear())

    def try_share():
        python = Python(base, options.python) if options.python else None
        while time.monotonic() < end:
            try:
                number = left.popleft()
            except IndexError:
                break
            first = number * options.each % len(names)
            some = (names * 2)[first:first + min(options.each, len(names))]
            seed = options.seed * 1_000_000 + number
            changed, found, codes = try_one(base, seed, some, python)
            if found:
                print(f"{seed}: {changed}\n  " + "\n  ".join(found), flush=True)
            log.add(number=number, changed=changed, found=found, codes=codes)
        if python is not None:
            python.end()

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for share in [pool.submit(try_share) for _ in range(options.jobs)]:
            share.result()
    codes = collections.Counter(ended for one in log.tried.values() for ended in one["codes"].items())
    for name in [*names, "python"]:
        told = ", ".join(f"{count} × {code}" for (of, code), count in sorted(codes.items()) if of == name)
        if told:
            print(f"{name}: exit code {told}")
    broken = log.broken()
    print(f"{len(log.tried)} databases, {codes.total()} readings, {len(broken)} broke a rule (seed {options.seed})")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
