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


DAEMONS = ("slurmd", "containerd", "containerd-shim-runc-v2", "kubernetes")  # that a cluster runs on its nodes


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


def wait_until(is_so, folder, patience_s):
    """Waits for daemons whose logs are *.out in the folder. What `is_so` raises because a command failed is not yet so."""
    give_up = time.monotonic() + patience_s
    while True:
        try:
            if is_so():
                return
        except subprocess.CalledProcessError:
            pass
        if time.monotonic() > give_up:
            logs = "".join(f"{log.name}: {log.read_text(errors='replace')[-1000:]}" for log in sorted(folder.glob("*.out")))
            raise RuntimeError(f"{folder.name} is not ready: {logs}")
        time.sleep(0.2)


def words_of(pid):
    """A process's command line, its program without folder; [""] when it is gone."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return [""]
    return [pathlib.Path(words[0]).name, *words[1:]]


def end(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


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
        self.is_as_made = True  # what `start` was told to do otherwise
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
        self.is_as_made = not path and not mounts
        config = self.hosts.folder / f"{self.name}.sshd"
        config.write_text(
            f"ListenAddress {self.address}\nHostKey {self.key}\nPidFile none\nUsePAM no\nPasswordAuthentication no\n"
            f"PermitRootLogin yes\nStrictModes no\nAuthorizedKeysFile {self.hosts.folder}/client.pub\n"
            f"SetEnv HOME={self.hosts.home}{f' PATH={path}' if path else ''}\n")
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

    def everything(self):
        """The processes in the host's network namespace, as `ip netns pids` lists them."""
        space = os.stat(f"/run/netns/{self.space}").st_ino
        found = []
        for pid in filter(str.isdecimal, os.listdir("/proc")):
            try:
                if os.stat(f"/proc/{pid}/ns/net").st_ino == space:
                    found.append(int(pid))
            except OSError:  # it has ended
                continue
        return found

    def processes(self):
        """Of everything that runs on this host, but for the daemons through which it is reached."""
        return [pid for pid in self.everything() if pid != self.sshd.pid and words_of(pid)[0] not in DAEMONS]

    def agents(self):
        """The agents of runs: those that outlive their clients."""
        return [pid for pid in self.processes()
                if words_of(pid)[:2] in (["ngb-agent", "reside"], ["ngb-agent", "hold"])]

    def power_off(self):
        """Everything on it is gone at once."""
        end(self.everything())
        self.sshd.wait()

    def reset(self):
        """Makes it what it was at first: its cable is in, only its daemons run, and it has no files."""
        self.up()
        is_off = self.sshd.poll() is not None
        if not is_off and not self.is_as_made:
            self.power_off()
        if is_off or not self.is_as_made:
            self.start()
        end(self.processes())
        shutil.rmtree(self.folder, ignore_errors=True)

    def remove(self):
        self.power_off()
        ip("link", "del", self.cable)  # at once; the namespace goes when the last of its processes has
        ip("netns", "del", self.space)


class Hosts:
    """`count` hosts, and what a client needs to reach them."""

    def __init__(self, folder, count):
        self.folder = pathlib.Path(folder)
        self.home = self.folder / "home"  # of whoever logs in to a host
        self.home.mkdir()
        self.known = self.folder / "known_hosts"
        self.all = []
        self.network = Network()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "client"], check=True)
        for number in range(1, count + 1):
            self.all.append(Host(self, number))
        self.know_hosts()
        self.config = self.folder / "ssh_config"
        self.config.write_text("".join(
            f"Host {host.name}\n  HostName {host.address}\n" for host in self.all) +
            f"Host *\n  User root\n  IdentityFile {self.folder}/client\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.known}\n  StrictHostKeyChecking yes\n"
            # All hosts compute on the same processors, so what costs least of them is chosen.
            "  Ciphers aes128-gcm@openssh.com,chacha20-poly1305@openssh.com\n  KexAlgorithms curve25519-sha256\n")
        for host in self.all:
            self.wait_for(host)

    def know_hosts(self):
        """Writes what the client takes for the hosts' keys."""
        known = "".join(f"{host.address} {(self.folder / (host.name + '.key.pub')).read_text()}" for host in self.all)
        self.known.write_text(known)

    def reset(self):
        """Makes the hosts what they were at first, for another use of them."""
        self.know_hosts()
        for host in self.all:
            host.reset()
        shutil.rmtree(self.home)
        self.home.mkdir()
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
