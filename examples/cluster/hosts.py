# SPDX-License-Identifier: Apache-2.0
"""Several hosts on one machine: network namespaces on a bridge, each with an sshd of its own. Needs root, ip and sshd.

All hosts share the machine's files; what a device keeps stands in a folder of its own (Host.folder)."""

import fcntl
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time


def missing():
    """Why there can be no hosts here; None if there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "nsenter", "sshd", "ssh", "ssh-keygen"):
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            return f"{program} is not installed"
    try:
        with tempfile.TemporaryDirectory() as folder:
            Hosts(folder, 1).remove()
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        return f"a host cannot be made: {error} {getattr(error, 'stderr', None) or ''}".strip()
    return None


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True, capture_output=True, text=True)


class Network:
    """A bridge that several hosts are plugged into; programs that run at the same time have different ones."""

    def __init__(self):
        for number in range(100):
            self.lock = open(f"/run/ngb-network-{number}.lock", "w")
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                self.lock.close()
        else:
            raise RuntimeError("all networks are in use")
        self.number = number
        self.name = f"ngb{number}"
        self.prefix = f"10.99.{number}"
        self.sweep()
        ip("link", "add", self.name, "type", "bridge")
        ip("addr", "add", f"{self.prefix}.1/24", "dev", self.name)
        ip("link", "set", self.name, "up")

    def sweep(self):
        """Removes what a killed program has left."""
        listed = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True).stdout
        for name in re.findall(rf"^\d+: ({self.name}(?:-\d+)?)[@:]", listed, flags=re.M):
            subprocess.run(["ip", "link", "del", name], capture_output=True)
        spaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
        for name in re.findall(rf"^({self.name}-edge\d+)", spaces, flags=re.M):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def remove(self):
        subprocess.run(["ip", "link", "del", self.name], capture_output=True)
        self.lock.close()


def words_of(pid):
    """A process's command line, its program without folder; [""] when it is gone."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return [""]
    return [pathlib.Path(words[0]).name, *words[1:]]


class Host:
    """One of the hosts. `up` and `down` plug its cable."""

    def __init__(self, hosts, number):
        self.name = f"edge{number}"
        self.address = f"{hosts.network.prefix}.{10 + number}"
        self.folder = hosts.folder / self.name  # for the device's files
        self.space = f"{hosts.network.name}-{self.name}"
        self.cable = f"{hosts.network.name}-{number}"
        self.hosts = hosts
        self.sshd = None
        ip("netns", "add", self.space)
        ip("link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.space)
        ip("link", "set", self.cable, "master", hosts.network.name, "up")
        ip("-n", self.space, "addr", "add", f"{self.address}/24", "dev", "eth0")
        ip("-n", self.space, "link", "set", "eth0", "up")
        ip("-n", self.space, "link", "set", "lo", "up")
        self.key = hosts.folder / f"{self.name}.key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key], check=True)
        self.start()

    def start(self, path=None, mounts={}):
        """Powers it on. `path`: of its commands; `mounts`: files that stand in for others there."""
        config = self.hosts.folder / f"{self.name}.sshd"
        config.write_text(
            f"ListenAddress {self.address}\nHostKey {self.key}\nPidFile none\nUsePAM no\nPasswordAuthentication no\n"
            f"PermitRootLogin yes\nStrictModes no\nAuthorizedKeysFile {self.hosts.folder}/client.pub\n"
            f"SetEnv HOME={self.hosts.folder}{f' PATH={path}' if path else ''}\n")
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        sshd = shutil.which("sshd", path="/usr/sbin:/sbin:/usr/bin")
        log = (self.hosts.folder / f"{self.name}.sshd.log").open("ab")
        binds = "".join(f"mount --bind '{source}' '{target}' && " for target, source in mounts.items())
        own_mounts = ["unshare", "--mount", "sh", "-c", f'{binds}exec "$@"', "sh"] if mounts else []
        self.sshd = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{self.space}", *own_mounts, sshd, "-D", "-e", "-f", config],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()

    def down(self):
        ip("link", "set", self.cable, "down")

    def up(self):
        ip("link", "set", self.cable, "up")

    def processes(self):
        """Of everything that runs on this host, but for the daemons through which it is reached."""
        listed = subprocess.run(["ip", "netns", "pids", self.space], check=True, capture_output=True, text=True)
        return [int(pid) for pid in listed.stdout.split()
                if int(pid) != self.sshd.pid and words_of(pid)[0] != "slurmd"]

    def agents(self):
        """The agents of runs: those that outlive their clients."""
        return [pid for pid in self.processes()
                if words_of(pid)[:2] in (["ngb-agent", "reside"], ["ngb-agent", "hold"])]

    def power_off(self):
        """Everything on it is gone at once."""
        listed = subprocess.run(["ip", "netns", "pids", self.space], check=True, capture_output=True, text=True)
        for pid in listed.stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.sshd.wait()

    def remove(self):
        self.power_off()
        ip("link", "del", self.cable)  # at once; the namespace goes when the last of its processes has
        ip("netns", "del", self.space)


class Hosts:
    """`count` hosts, and what a client needs to reach them."""

    def __init__(self, folder, count):
        self.folder = pathlib.Path(folder)
        self.all = []
        self.network = Network()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "client"], check=True)
        for number in range(1, count + 1):
            self.all.append(Host(self, number))
        known = "".join(f"{host.address} {(self.folder / (host.name + '.key.pub')).read_text()}" for host in self.all)
        (self.folder / "known_hosts").write_text(known)
        self.config = self.folder / "ssh_config"
        self.config.write_text("".join(
            f"Host {host.name}\n  HostName {host.address}\n" for host in self.all) +
            f"Host *\n  User root\n  IdentityFile {self.folder}/client\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.folder}/known_hosts\n  StrictHostKeyChecking yes\n"
            "  Ciphers aes128-gcm@openssh.com,chacha20-poly1305@openssh.com\n")  # all hosts compute on the same processors
        for host in self.all:
            self.wait_for(host)

    def ssh(self, host, command):
        return subprocess.run(["ssh", "-F", self.config, "-o", "ConnectTimeout=2", host.name, command],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def wait_for(self, host):
        give_up = time.monotonic() + 10
        while (answer := self.ssh(host, "true")).returncode != 0:
            if time.monotonic() > give_up:
                raise RuntimeError(f"{host.name} does not answer: {answer.stderr}")
            time.sleep(0.05)

    def devices(self, toolchains=None):
        """As a study's `devices`, in YAML."""
        more = f", toolchains: {toolchains}" if toolchains else ""
        return "".join(f"  - {host.name}: {{ssh: {{host: {host.name}, config: {self.config}}}, "
                       f"folder: {host.folder}{more}}}\n" for host in self.all)

    def remove(self):
        for host in self.all:
            host.remove()
        self.network.remove()
