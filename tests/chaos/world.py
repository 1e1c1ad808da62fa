# SPDX-License-Identifier: Apache-2.0
"""The world of one run: a client, two devices, what stands on their disks, and the processes of all three."""

import contextlib
import hashlib
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from lean_programs import lean_programs  # noqa: E402
from slowpoke import make_wheel, unpack_toolchain, write_compiler  # noqa: E402

# A shell's `&` makes its programs ignore Ctrl-C, and ngb keeps to that; here Ctrl-C is tested.
signal.signal(signal.SIGINT, signal.default_int_handler)
WATCHDOG_S = 60  # no command may take longer
DEVICES = ("alpha", "beta")
PROCESSES = 3
STUDY = """\
name: chaos
seed: 7
models:
  - zoo: {{conv_block: {{width: 8, depth: {depths}, image_size: 16}}}}
compilers:
{compilers}batch_sizes: {batch_sizes}
reference: "null"
processes: {processes}
disturbance:
  max_wait_percent: 100
repetitions: 5
{more}devices:
{devices}"""


class Violation(Exception):
    """Something that must never happen."""


class Process:
    def __init__(self, pid, words, home):
        self.pid = pid
        self.words = words
        self.host = home.name if home.parent.name == "hosts" else None

    @property
    def role(self):
        program = pathlib.Path(self.words[0]).name
        if program == "ngb-agent":
            return {"receive": "reception", "reside": "agent"}.get(self.words[1], "agent")
        if program == "ngb-worker":
            return "worker"
        if program == "ngb":
            return "client"
        return "connection" if any(word.endswith("/bin/ssh") for word in self.words) else "other"


def install(source, folder):
    """Copies the programs, without debugging information and with the null compiler only; and a made-up one, written in
    Python, of which the toolchains beside `folder` are versions."""
    lean = lean_programs(source, "null")
    for part in ("bin", "lib/ngraphbench"):
        shutil.copytree(lean / part, folder / part)
    write_compiler(folder / "lib/ngraphbench/compilers")
    wheels = {version: make_wheel(folder.parent / "wheels", version, fails=version == "1.3", waits=0.05)
              for version in ("1.0", "1.1", "1.2", "1.3")}
    toolchains = folder.parent / "toolchains"
    (folder.parent / "home").mkdir()
    subprocess.run([folder / "bin/ngb", "toolchain", "install", "onnxruntime@1.0"], check=True, capture_output=True,
                   cwd=folder.parent, env={"PATH": os.environ["PATH"], "HOME": str(folder.parent / "home"),
                                           "NGB_TOOLCHAINS": str(toolchains), **no_index(wheels["1.0"].parent)})
    for version in ("1.1", "1.2", "1.3"):
        unpack_toolchain(wheels[version], version, toolchains, toolchains / "onnxruntime/1.0")


def no_index(wheels):
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": "/dev/null",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class World:
    def __init__(self, folder, stock):
        self.folder = folder
        self.results = folder / "results"
        self.study = folder / "study.yaml"
        self.batch_sizes = [1, 2]
        self.devices = list(DEVICES)
        self.depths = [1, 2]
        self.labels = ["null"]  # of the compilers
        self.more = ""  # keys of the study
        self.log = []
        self.undo = []  # what is to be done when the run is over
        self.has_unlike_builds = False
        self.stock = stock
        for name in ("home", "net", "bin"):
            (folder / name).mkdir()
        for name in DEVICES:
            (folder / "hosts" / name).mkdir(parents=True)
        shutil.copytree(stock, folder / "installation", copy_function=os.link)
        script = folder / "bin" / "ssh"
        script.write_text(f"#!{sys.executable} -S\n" + (HERE / "ssh_stand_in.py").read_text().split("\n", 1)[1])
        script.chmod(0o755)
        self.environment = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder / "home"), "LANG": "C.UTF-8",
            "CHAOS_WORLD": str(folder), "NGB_TOOLCHAINS": str(folder / "toolchains"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.strangers = {}
        self.plant_strangers_beside()
        self.write_study()

    # The study

    def write_study(self):
        devices = "".join(f"  - {name}: {{ssh: {name}}}\n" for name in self.devices)
        compilers = "".join(f'  - "null": {{label: "{label}", options: {{compile_ns: {100_000_000 // len(self.labels)}}}}}\n'
                            for label in self.labels)
        self.study.write_text(STUDY.format(depths=self.depths, batch_sizes=self.batch_sizes, processes=PROCESSES,
                                           compilers=compilers, more=self.more, devices=devices) + "output: results\n")

    def planned(self):
        """How many processes the study has on each of its devices."""
        return len(self.batch_sizes) * len(self.depths) * len(self.labels) * PROCESSES

    def use_made_up_compiler(self, is_adopted=False):
        """Installs its versions; or adopts the packages of the oldest one where they lie."""
        self.is_adopted = is_adopted
        toolchains = self.stock.parent / "toolchains"
        self.environment |= no_index(self.stock.parent / "wheels")
        if not is_adopted:
            shutil.copytree(toolchains, self.folder / "toolchains")
            return
        shutil.copytree(next((toolchains / "onnxruntime/1.0").glob("*/slowpoke.py")).parent, self.folder / "adopted")
        if self.ngb("toolchain", "adopt", "onnxruntime", "adopted") != 0:
            raise Violation("a toolchain cannot be adopted")

    # What is not ours

    def plant(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        content = f"a stranger's {path.name}\n".encode()
        path.write_bytes(content)
        self.strangers[path] = hashlib.sha256(content).hexdigest()

    def plant_strangers_beside(self):
        """In the home of each device, under every name that we use in our own folder."""
        for name in DEVICES:
            home = self.folder / "hosts" / name
            for path in ("lock", "models/precious.onnx", "references/paper.bib", "files/notes.txt", "files/lock",
                         "runs/marathon.csv", "bundles/wood.txt", "agents/smith.txt", "holders/cup.txt", "tuning/fork.mid",
                         "toolchains/hammer/1.0/manifest.json", ".ngraphbench.old/journal"):
                self.plant(home / path)

    def plant_strangers_within(self):
        """In our own folder, under names that are none of ours."""
        for name in DEVICES:
            folder = self.device_folder(name)
            if not folder.exists():
                continue
            for path in ("notes.txt", "models/precious.onnx", "references/paper.bib", "files/notes.txt", "runs/marathon.csv"):
                if not (folder / path).exists():
                    with contextlib.suppress(OSError):  # a full disk
                        self.plant(folder / path)

    def plant_when_there(self, client):
        """As soon as the devices have been reached."""
        end = time.monotonic() + 20
        while time.monotonic() < end and client.poll() is None:
            if all(any(self.device_folder(name).glob("agents/*/ngb-agent"))
                   for name in DEVICES):
                break
            time.sleep(0.01)
        self.plant_strangers_within()

    @property
    def is_edited(self):
        return self.devices != list(DEVICES) or self.batch_sizes != [1, 2]

    def device_folder(self, name):
        return self.folder / "hosts" / name / ".ngraphbench"

    # Commands

    def say(self, words):
        self.log.append(words)

    def start(self, *words):
        output = open(self.folder / "output.txt", "ab")
        with output:
            output.write(f"$ ngb {' '.join(words)}\n".encode())
            output.flush()
            return subprocess.Popen([self.folder / "installation/bin/ngb", *words], cwd=self.folder, env=self.environment,
                                    stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def wait(self, client, patience_s=WATCHDOG_S):
        """The exit code. A command that takes too long is a violation."""
        began = time.monotonic()
        try:
            code = client.wait(patience_s)
        except subprocess.TimeoutExpired:
            client.kill()
            client.wait()
            raise Violation(f"hang: {' '.join(map(str, client.args[1:]))} took more than {patience_s} s") from None
        self.say(f"{' '.join(map(str, client.args[1:]))}: {code} after {time.monotonic() - began:.1f} s")
        return code

    def ngb(self, *words):
        return self.wait(self.start(*words))

    def advises(self, word):
        """Whether what the last command printed names this word."""
        return word in (self.folder / "output.txt").read_text(errors="replace").rpartition("\n$ ngb ")[2].partition("\n")[2]

    # Results

    def query(self, sql):
        if not (self.results / "results.db").exists():
            return []
        with contextlib.closing(sqlite3.connect(f"file:{self.results}/results.db?mode=ro", uri=True)) as database:
            try:
                return database.execute(sql).fetchall()
            except sqlite3.OperationalError:
                return []

    def recorded(self):
        return sum(count for count, in self.query("SELECT count(*) FROM process WHERE is_complete"))

    # Processes

    def processes(self, role=None, host=None):
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes().split(b"\0")
                words = (folder / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            is_ours = f"CHAOS_WORLD={self.folder}".encode() in environment or str(self.folder) in " ".join(words)
            if not is_ours or int(folder.name) == os.getpid() or words == [""]:
                continue
            home = next((line[5:].decode() for line in environment if line.startswith(b"HOME=")), "/")
            found.append(Process(int(folder.name), words, pathlib.Path(home)))
        return [each for each in found if role in (None, each.role) and host in (None, each.host)]

    def kill(self, processes, number=signal.SIGKILL):
        for each in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each.pid, number)

    @contextlib.contextmanager
    def without_power(self, host):
        """Everything on that device is gone at once, and nobody reaches it."""
        cable = self.folder / "net" / f"{host}.down"
        cable.touch()
        while processes := self.processes(host=host):
            self.kill(processes)
            time.sleep(0.01)
        yield
        cable.unlink()

    def end(self):
        """The network's own remains, and whatever else there is."""
        (self.folder / "net" / "over").touch()
        for path in (self.folder / "net").glob("*.down"):
            path.unlink()
        for _ in range(100):
            if not self.processes():
                return []
            time.sleep(0.05)
        left = self.processes()
        self.kill(left)
        return left
