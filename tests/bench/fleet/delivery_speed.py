#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures delivery to a device over ssh, with an sshd of our own on this machine. Needs root, sshd and scp.

    delivery_speed.py BUILD [--toolchain NAME] [--rounds N]

First delivery: the time from the command `ngb run` until the agent receives its job, compared with scp -r of what the
device's folder then contains, and with scp of the same content in one file; the three are interleaved. Then a delivery
to a device that has everything: seconds, and bytes on the wire both ways, including a job of one process and its
results."""

import argparse
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MIN_RATIO = 0.8
MAX_REPEATED_S = 1.0
MAX_REPEATED_BYTES = 100_000

STUDY = """\
name: {name}
seed: {seed}
models: [{{zoo: {{conv_block: {{width: 8, image_size: 8}}}}}}]
compilers: [{compiler}]
batch_sizes: [1]
reference: none
protocol: paper
processes: 1
disturbance:
  max_wait_percent: 100
devices: [{{device: {{ssh: {{host: device, config: {config}}}, folder: {folder}}}}}]
"""


class Wire:
    """Passes connections on to a port and counts the bytes of both directions."""

    def __init__(self, port):
        self.bytes = 0
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            near, _ = self._listener.accept()
            far = socket.create_connection(("127.0.0.1", self._port))
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source, target):
        while chunk := source.recv(1 << 16):
            self.bytes += len(chunk)
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)


class Host:
    """Runs an sshd, with one ssh configuration that leads to it directly and one through a Wire."""

    def __init__(self, folder):
        self.folder = folder
        for key in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        (folder / "sshd").write_text(
            f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder}/host\nPidFile none\nUsePAM no\n"
            f"PasswordAuthentication no\nPermitRootLogin yes\nStrictModes no\nAuthorizedKeysFile {folder}/client.pub\n"
            "Subsystem sftp internal-sftp\n")
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        sshd = shutil.which("sshd", path="/usr/sbin:/sbin:/usr/bin")
        self.sshd = subprocess.Popen([sshd, "-D", "-e", "-f", folder / "sshd"], stderr=(folder / "log").open("wb"))
        self.wire = Wire(port)
        self.direct = self._config("direct", port)
        self.counted = self._config("counted", self.wire.port)
        while subprocess.run(["ssh", "-F", self.direct, "device", "true"], capture_output=True).returncode != 0:
            time.sleep(0.05)

    def _config(self, name, port):
        key = (self.folder / "host.pub").read_text()
        (self.folder / f"{name}.hosts").write_text(f"[127.0.0.1]:{port} {key}")
        (self.folder / name).write_text(
            f"Host device\n  HostName 127.0.0.1\n  Port {port}\n  User root\n  IdentityFile {self.folder}/client\n"
            f"  IdentitiesOnly yes\n  UserKnownHostsFile {self.folder}/{name}.hosts\n")
        return self.folder / name


class Deliveries:
    def __init__(self, ngb, host, compiler):
        self.ngb, self.host, self.compiler = ngb, host, compiler
        self.device = host.folder / "device"
        self.studies = 0

    def start(self, config):
        """Returns the seconds until the agent has its job, and the client, which continues."""
        self.studies += 1
        study = self.host.folder / f"study{self.studies}.yaml"
        study.write_text(STUDY.format(name=f"study{self.studies}", seed=self.studies, compiler=self.compiler,
                                      config=config, folder=self.device))
        runs = self.device / "runs"
        before = len(list(runs.glob("*")))
        begin = time.monotonic()
        client = subprocess.Popen([self.ngb, "run", study, "-o", study.with_suffix("")], stdout=subprocess.DEVNULL,
                                  stderr=(study.with_suffix(".log")).open("wb"))
        while len(list(runs.glob("*"))) == before:
            if client.poll() is not None:
                raise SystemExit(study.with_suffix(".log").read_text())
            time.sleep(0.001)
        return time.monotonic() - begin, client

    def first(self):
        """Returns the seconds of a delivery to an empty device. The delivered files stay there for later runs."""
        shutil.rmtree(self.device, ignore_errors=True)
        took_s, client = self.start(self.host.direct)
        client.send_signal(signal.SIGINT)
        client.wait()
        return took_s

    def repeated(self, config):
        before = self.host.wire.bytes
        took_s, client = self.start(config)
        if client.wait() != 0:
            raise SystemExit("the study on a device that has everything failed")
        return took_s, self.host.wire.bytes - before

    def stage(self):
        """Returns a folder with a copy of everything that was delivered to the device."""
        staged = self.host.folder / "staged"
        shutil.rmtree(staged, ignore_errors=True)
        shutil.copytree(self.device, staged, ignore=lambda _, names: {"files", "runs", "lock"} & set(names))
        return staged

    def scp(self, staged):
        target = self.host.folder / "copied"
        subprocess.run(["rm", "-rf", target], check=True)
        begin = time.monotonic()
        subprocess.run(["scp", "-q", "-r", "-F", self.host.direct, staged, f"device:{target}"], check=True)
        return time.monotonic() - begin


def middle(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--toolchain", default="onnxruntime")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit 1 if a limit is missed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ngb-delivery-") as name:
        host = Host(pathlib.Path(name))
        try:
            return measure(arguments, Deliveries(arguments.build / "bin/ngb", host, arguments.toolchain))
        finally:
            host.sshd.terminate()


def measure(arguments, deliveries):
    deliveries.first()
    staged = deliveries.stage()
    archive = shutil.make_archive(str(staged), "tar", staged)
    size_mb = sum(path.stat().st_size for path in staged.rglob("*") if path.is_file()) / 1e6
    ours_s, scp_s, scp_of_one_s = [], [], []
    for _ in range(arguments.rounds):
        scp_s.append(deliveries.scp(staged))
        ours_s.append(deliveries.first())
        scp_of_one_s.append(deliveries.scp(archive))
    ratios = [theirs / ours for theirs, ours in zip(scp_s, ours_s)]
    ratios_to_one = [theirs / ours for theirs, ours in zip(scp_of_one_s, ours_s)]
    repeated = [deliveries.repeated(deliveries.host.direct)[0] for _ in range(arguments.rounds)]
    _, wire_bytes = deliveries.repeated(deliveries.host.counted)
    print(f"first delivery, {size_mb:.1f} MB with {arguments.toolchain}: {middle(ours_s, '.2f')} s; scp -r "
          f"{middle(scp_s, '.2f')} s, throughput ratio {middle(ratios, '.2f')}; scp of one file "
          f"{middle(scp_of_one_s, '.2f')} s, ratio {middle(ratios_to_one, '.2f')}")
    print(f"to a device that has everything: {middle(repeated, '.2f')} s; {wire_bytes} bytes on the wire")
    is_well = (statistics.median(ratios) >= MIN_RATIO and statistics.median(repeated) <= MAX_REPEATED_S
               and wire_bytes <= MAX_REPEATED_BYTES)
    return 1 if arguments.check and not is_well else 0


if __name__ == "__main__":
    sys.exit(main())
