# SPDX-License-Identifier: Apache-2.0
"""Steps of a proof: each has a bound in time and ends as done, failed or skipped, with a reason. What became of them is
written after each step, so that an interrupted proof has its results so far, and a later one in the same folder begins
where it ended."""
import dataclasses
import os
import pathlib
import signal
import sqlite3
import subprocess
import tarfile
import time

SCHEMA = """
CREATE TABLE step (position INTEGER PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, seconds REAL NOT NULL,
                   reason TEXT NOT NULL, output TEXT NOT NULL);
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE agreement (compiler TEXT NOT NULL, model TEXT NOT NULL, rival TEXT NOT NULL, ours_ns REAL NOT NULL,
                        rival_ns REAL NOT NULL, ratio REAL NOT NULL);
"""


# What is packed: what is small and says what was found. Archives, toolchains, models and caches are not.
_PACKED = (".txt", ".log", ".json", ".yaml", ".db")
_LEFT_OUT = {"carried", "environments", "toolchains", "cache", "report"}
_PACKED_FILE_BYTES, _PACKED_BYTES = 1 << 20, 12 << 20


class Skip(Exception):
    """Why a step cannot run here."""


class Failed(Exception):
    """Why a step failed."""


@dataclasses.dataclass
class Outcome:
    name: str
    state: str  # "done", "failed", "skipped"
    seconds: float
    reason: str
    output: str


class Proof:
    """A proof in a folder, which may have steps already, with `limit_s` for those that are left. After each step, what is
    small in the folder is packed into the file `packed`, if that is given."""

    def __init__(self, folder: pathlib.Path, limit_s: float, packed=None):
        self.folder, self._packed = folder, packed
        self.facts, self.outcomes, self.agreements = {}, [], []
        self._end = time.monotonic() + limit_s
        self._step_end, self._output = self._end, []
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "proof.db").exists():
            self._read()

    def left_s(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def is_done(self, name) -> bool:
        return any((outcome.name, outcome.state) == (name, "done") for outcome in self.outcomes)

    def step(self, name, limit_s, work) -> bool:
        """Do one step, whatever became of it before. Returns whether it is done."""
        begin = time.monotonic()
        self._output, self._step_end = [], min(self._end, begin + limit_s)
        print(f"== {name} (at most {max(0, self._step_end - begin):.0f} s)", flush=True)
        state, reason = "done", ""
        try:
            if begin >= self._end:
                raise Skip("the time for the whole proof (--limit) is over")
            reason = work() or ""
        except Skip as why:
            state, reason = "skipped", str(why)
        except Failed as why:
            state, reason = "failed", str(why)
        except (OSError, ValueError, KeyError, sqlite3.Error) as error:
            state, reason = "failed", f"{type(error).__name__}: {error}"
        self.outcomes = [outcome for outcome in self.outcomes if outcome.name != name]
        self.outcomes.append(Outcome(name, state, time.monotonic() - begin, reason, "".join(self._output)))
        print(f"   {state}{': ' + reason if reason else ''}", flush=True)
        self.write()
        if self._packed is not None:
            self.pack()
        return state == "done"

    def run(self, command, environment=None, folder=None) -> str:
        """Run a command within the step's time and return its standard output. Raises Failed, with its last line."""
        command = [str(word) for word in command]
        left = self._step_end - time.monotonic()
        self._output.append("$ " + " ".join(command) + "\n")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              env={**os.environ, **(environment or {})}, cwd=folder, stdin=subprocess.DEVNULL,
                              start_new_session=True) as process:
            try:
                text, _ = process.communicate(timeout=max(left, 0.01))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM)  # the group is the command's own
                text = self._drain(process)
                self._output.append(text)
                raise Failed(f"{command[0]} did not end in time") from None
        self._output.append(text)
        if process.returncode != 0:
            raise CommandFailed(command[0], process.returncode, text)
        return text

    @staticmethod
    def _drain(process) -> str:
        try:
            return process.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0]

    def add_agreement(self, compiler, model, rival, ours_ns, rival_ns) -> None:
        self.agreements = [each for each in self.agreements if tuple(each[:3]) != (compiler, model, rival)]
        self.agreements.append((compiler, model, rival, ours_ns, rival_ns, ours_ns / rival_ns))

    def write(self) -> None:
        """Write proof.txt and proof.db anew."""
        (self.folder / "proof.txt").write_text(self.text())
        path = self.folder / "proof.db"
        fresh = path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        database = sqlite3.connect(fresh)
        with database:
            database.executescript(SCHEMA)
            database.executemany("INSERT INTO step VALUES (?, ?, ?, ?, ?, ?)",
                                 [(at, *dataclasses.astuple(outcome)) for at, outcome in enumerate(self.outcomes)])
            database.executemany("INSERT INTO fact VALUES (?, ?)", sorted(self.facts.items()))
            database.executemany("INSERT INTO agreement VALUES (?, ?, ?, ?, ?, ?)", self.agreements)
        database.close()
        fresh.replace(path)

    def _read(self) -> None:
        database = sqlite3.connect(self.folder / "proof.db")
        self.outcomes = [Outcome(*row) for row in
                         database.execute("SELECT name, state, seconds, reason, output FROM step ORDER BY position")]
        self.facts = dict(database.execute("SELECT name, value FROM fact"))
        self.agreements = database.execute("SELECT * FROM agreement").fetchall()
        database.close()

    def pack(self) -> None:
        """Pack what is small, the smallest first, so that a transfer never fails for its size."""
        files = [path for path in self.folder.rglob("*")
                 if path.suffix in _PACKED and not _LEFT_OUT & set(path.relative_to(self.folder).parts) and path.is_file()]
        room, part = _PACKED_BYTES, self._packed.with_suffix(".part")
        with tarfile.open(part, "w:gz") as archive:
            for path in sorted(files, key=lambda path: path.stat().st_size):
                size = path.stat().st_size
                if size > _PACKED_FILE_BYTES and path.suffix != ".db" or size > room:
                    continue
                archive.add(path, path.relative_to(self.folder))
                room -= size
        part.replace(self._packed)

    def text(self) -> str:
        lines = [f"{name}: {value}" for name, value in sorted(self.facts.items())] + [""]
        for outcome in self.outcomes:
            lines.append(f"{outcome.state:8s} {outcome.seconds:7.1f} s  {outcome.name}"
                         + (f": {outcome.reason}" if outcome.reason else ""))
        if self.agreements:
            lines += ["", "Agreement: our median time over the rival's; 1 is none apart"]
            lines += [f"{compiler:16s} {model:16s} {rival:24s} {ours / 1e6:9.4f} ms / {theirs / 1e6:9.4f} ms = {ratio:.3f}"
                      for compiler, model, rival, ours, theirs, ratio in self.agreements]
        return "\n".join(lines) + "\n"


class CommandFailed(Failed):
    def __init__(self, program, code, text):
        last = (text.strip().splitlines() or [""])[-1]
        super().__init__(f"{program}: exit code {code}{': ' + last if last else ''}")
        self.code, self.text = code, text
