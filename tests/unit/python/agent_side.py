# SPDX-License-Identifier: Apache-2.0
"""The agent's side of the fork server's protocol, and of a worker's descriptors."""
import array
import json
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TOYS = os.path.join(HERE, "toys")


def frame(value):
    payload = json.dumps(value).encode()
    return struct.pack("<II", len(payload), zlib.crc32(payload)) + payload


def parse_frame(data):
    """The JSON of a whole frame; None for anything else."""
    if len(data) < 8:
        return None
    length, crc = struct.unpack("<II", data[:8])
    payload = data[8:]
    return json.loads(payload) if (len(payload), zlib.crc32(payload)) == (length, crc) else None


def request(**changes):
    """What a worker is to do, in the form of work::WorkerRequest."""
    compiler = {"name": "toy", "version": "", "precision": "f32", "threads": 1, "threads_asked": "", "options": [],
                "settings": [], "in_flight": 1, "instances": 1, "processors": "auto", "label": "toy"}
    compiler.update(changes.pop("compiler", {}))
    place = {"compiler": compiler["name"], "version": "", "host": "python", "toolchain_dir": "", "python": "",
             "python_path": "", "manifest_sha256": "", "runs_modules": "", "why_missing": ""}
    place.update(changes.pop("place", {}))
    protocol = {
        "processes": 1, "rounds": None, "metric": "", "turns": 1, "longer_look_s": 0, "profile": False, "leak": False, "sessions": None,
        "compile": "each",
        "repetitions": 5, "warm_up": 1, "min_repetition_ns": 0,
        "max_transient_ns": 30_000_000_000,
        "stop_when": None, "arrivals": None, "tolerances": {"absolute": None, "relative": None},
        "agreement_inputs": 64, "min_agreement": None, "seed": 1}
    protocol.update(changes.pop("protocol", {}))
    model = {"key": {"hash": "h", "batch": 1}, "label": "m", "family": "", "source": {"type": "file"}, "path": "",
             "inputs": [{"name": "input", "type": "f32", "shape": [1, 3]}], "open_inputs": [], "files": [],
             "values": [], "labels": "", "dynamic_batch": False, "arithmetic": "", "outputs": [], "decoding": None, "prompt_tokens": 0,
             "unpadded": [], "visited": [], "exact": [], "parameters": None, "macs": None, "macs_torchinfo": None}
    model.update(changes.pop("model", {}))
    whole = {"task": "measure", "cell_id": "cell", "process_index": 0, "attempt": 1, "plugin_path": "",
             "model_path": "", "model": model, "compiler": compiler, "place": place, "protocol": protocol,
             "reference_path": "", "reference_name": "", "reference_key": "", "reference_is_given": False,
             "reference_reason": "", "unconfirmed_outputs": [],
             "cache_dir": "", "artifact_path": "", "module_site": "", "loads_artifact": False, "is_for_agreement": False, "has_load": False,
             "max_wait_ratio": 1}
    whole.update(changes)
    return whole


class WorkerFiles:
    """Request, result, progress page and log of one worker, as files."""

    def __init__(self, wanted):
        self.files = [tempfile.TemporaryFile() for _ in range(4)]
        self.files[0].write(frame(wanted))
        self.files[0].seek(0)
        os.ftruncate(self.files[2].fileno(), 4096)

    def descriptors(self):
        return [file.fileno() for file in self.files]

    def _content(self, index):
        self.files[index].seek(0)
        return self.files[index].read()

    def result(self):
        return parse_frame(self._content(1))

    def log(self):
        return self._content(3).decode(errors="replace")

    def close(self):
        for file in self.files:
            file.close()


class ForkServer:
    def __init__(self, compiler_dir=TOYS, python=sys.executable, arguments=(), **environment):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen(
            [python, "-m", "ngraphbench.fork_server", "--compiler-dir", compiler_dir,
             "--socket-fd", str(theirs.fileno()), *arguments],
            pass_fds=[theirs.fileno()], env={**os.environ, **environment}, stderr=subprocess.PIPE)
        theirs.close()
        self.run = 0

    def __enter__(self):
        self.ready = self.receive(300)  # an import of PyTorch beside much other work
        return self

    def __exit__(self, *unused):
        self.socket.close()
        self.process.wait(30)
        self.process.stderr.close()

    def send(self, packet, descriptors=()):
        data = packet if isinstance(packet, bytes) else json.dumps(packet).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        self.socket.sendmsg([data], rights)

    def receive(self, seconds=60):
        """The next packet; None at end of file."""
        if not select.select([self.socket], [], [], seconds)[0]:
            raise TimeoutError("the fork server is silent")
        data = self.socket.recv(65536)
        return json.loads(data) if data else None

    def start(self, files, **environment):
        """(run, the first answer)"""
        self.run += 1
        self.send({"run": self.run, "environment": environment}, files.descriptors())
        return self.run, self.receive()

    def measure(self, wanted, limit_s=300, **environment):
        """(result or None, the last packet, log) of a worker that is let run to its end. Raises TimeoutError."""
        files = WorkerFiles(wanted)
        try:
            _, started = self.start(files, **environment)
            if "error" in started:
                return None, started, ""
            ended = self.receive(limit_s)
            return files.result(), ended, files.log()
        finally:
            files.close()


def fresh_worker(wanted, compiler_dir=TOYS, python=sys.executable, **environment):
    """(result or None, exit code, log, seconds) of a worker in an interpreter of its own."""
    files = WorkerFiles(wanted)
    # Descriptors 3, 4 and 5 by the shell: subprocess cannot renumber.
    numbers = files.descriptors()
    script = 'exec "$@" 3<&{} 4>&{} 5<>/dev/fd/{}'.format(*numbers[:3])
    started = time.monotonic()
    try:
        process = subprocess.run(
            ["bash", "-c", script, "bash", python, "-m", "ngraphbench.worker", "--compiler-dir", compiler_dir],
            pass_fds=numbers, env={**os.environ, **environment}, stdout=numbers[3], stderr=numbers[3])
        return files.result(), process.returncode, files.log(), time.monotonic() - started
    finally:
        files.close()
