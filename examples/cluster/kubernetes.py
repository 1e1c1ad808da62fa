# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes cluster of the hosts of hosts.py: etcd, API server, controllers and scheduler here, a kubelet and a
containerd on each host. Needs root, no registry of images, and what kubernetes_programs.py builds once."""

import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import time

import hosts as network
import kubernetes_programs as programs

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
IMAGES = ("pause", "busybox", "debian")  # on every node, as localhost/NAME:1; busybox has no glibc
PATIENCE_S = 120
# Such a cluster notices within seconds what another one takes minutes for.
SOON = {"nodeStatusUpdateFrequency": "2s", "nodeLeaseDurationSeconds": 8, "syncFrequency": "5s"}


def missing():
    """Why there can be no cluster here; None if there can."""
    return programs.missing() or network.missing()


def hierarchies():
    """Where control groups are mounted."""
    lines = pathlib.Path("/proc/mounts").read_text().splitlines()
    return [pathlib.Path(line.split()[1]) for line in lines if line.split()[2] in ("cgroup", "cgroup2")]


def mounts_below(folder):
    lines = pathlib.Path("/proc/mounts").read_text().splitlines()
    return [line.split()[1] for line in lines if line.split()[1].startswith(f"{folder}/")]


class Cluster:
    """`environment` is what kubectl needs as the cluster's administrator; `account` makes one that may do less."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.folder = hosts.folder / "kubernetes"
        self.here = f"{hosts.network.prefix}.1"
        self.api = f"https://{self.here}:6443"
        self.pods_prefix = f"10.{100 + hosts.network.number}"
        self.running = {}
        (self.folder / "cert").mkdir(parents=True)
        self.environment = {"KUBECONFIG": str(self.folder / "admin.conf"), "PATH": f"{programs.CACHE}:{PATH}"}
        try:
            self.begin()
        except BaseException:
            self.remove()
            raise

    def begin(self):
        tokens = [f"{self.configure('admin')},admin,admin,system:masters"]
        for host in self.hosts.all:
            token = self.configure(f"kubelet-{host.name}")
            tokens.append(f"{token},system:node:{host.name},{host.name},system:nodes")
        (self.folder / "tokens.csv").write_text("\n".join(tokens) + "\n")
        (self.folder / "tokens.csv").chmod(0o600)
        subprocess.run(["openssl", "genrsa", "-out", self.folder / "key", "2048"], check=True, capture_output=True)
        self.start_etcd()
        self.start_api_server()
        admin = ["--kubeconfig", self.folder / "admin.conf", "--leader-elect=false", "--secure-port", "0"]
        self.start("controllers", programs.PROGRAM, "controllers", *admin, "--service-account-private-key-file",
                   self.folder / "key", "--root-ca-file", self.folder / "cert/apiserver.crt", "--node-monitor-period", "1s",
                   "--node-monitor-grace-period", "12s")
        self.start("scheduler", programs.PROGRAM, "scheduler", *admin)
        for host in self.hosts.all:
            self.start_node(host)
        self.wait_until(lambda: self.kubectl("get", "serviceaccount", "default"))

    def configure(self, name, token=None, namespace="default"):
        """Writes NAME.conf for kubectl or a kubelet. Returns its token."""
        token = token or secrets.token_hex(16)
        path = self.folder / f"{name}.conf"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": self.api,
                                                      "certificate-authority": f"{self.folder}/cert/apiserver.crt"}}],
            "users": [{"name": "user", "user": {"token": token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user", "namespace": namespace}}]}))
        path.chmod(0o600)
        return token

    def start(self, name, *words, host=None):
        """Starts a daemon, here or on a host."""
        inside = ["nsenter", f"--net=/run/netns/{host.space}"] if host else []
        log = (self.folder / f"{name}.out").open("ab")
        self.running[name] = subprocess.Popen([*inside, *map(str, words)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                              env={**os.environ, "PATH": PATH}, start_new_session=True)
        log.close()

    def start_etcd(self):
        client, peer = f"http://{self.here}:2379", f"http://{self.here}:2380"
        self.start("etcd", "etcd", "--name", "test", "--data-dir", self.folder / "etcd", "--listen-client-urls", client,
                   "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                   "--initial-cluster", f"test={peer}")

    def start_api_server(self):
        key = self.folder / "key"
        self.start("apiserver", programs.PROGRAM, "apiserver", "--etcd-servers", f"http://{self.here}:2379",
                   "--bind-address", self.here, "--advertise-address", self.here, "--secure-port", "6443",
                   "--cert-dir", self.folder / "cert", "--token-auth-file", self.folder / "tokens.csv",
                   "--authorization-mode", "Node,RBAC", "--service-cluster-ip-range", "10.97.0.0/24",
                   "--anonymous-auth=false", "--service-account-issuer", "https://kubernetes.test",
                   "--service-account-key-file", key, "--service-account-signing-key-file", key,
                   "--default-not-ready-toleration-seconds", "5", "--default-unreachable-toleration-seconds", "5",
                   "--endpoint-reconciler-type", "none", "--kubelet-preferred-address-types", "InternalIP")
        self.wait_until(lambda: self.kubectl("get", "--raw", "/readyz"))

    def kill_api_server(self):
        end(self.running.pop("apiserver"))

    def start_node(self, host):
        home = self.folder / host.name
        for each in ("cni", "kubelet", "run"):
            (home / each).mkdir(parents=True, exist_ok=True)
        for hierarchy in hierarchies():  # the kubelet wants its group to exist, and a cpuset to have processors
            group = hierarchy / host.space
            group.mkdir(exist_ok=True)
            for name in ("cpuset.cpus", "cpuset.mems"):
                if (hierarchy / name).exists() and (group / name).exists():
                    (group / name).write_text((hierarchy / name).read_text())
        self.write_configuration(host, home)
        self.start(f"containerd@{host.name}", "containerd", "-c", home / "containerd.toml", host=host)
        self.wait_until(lambda: self.ctr(host, "version"))
        if not (home / "has-images").exists():
            for each in IMAGES:
                self.import_image(host, each)
            (home / "has-images").touch()
        self.start(f"kubelet@{host.name}", programs.PROGRAM, "kubelet", "--config", home / "kubelet.yaml", "--kubeconfig",
                   self.folder / f"kubelet-{host.name}.conf", "--hostname-override", host.name, "--node-ip", host.address,
                   "--root-dir", home / "kubelet", "--node-labels", f"kind=bench,machine={host.name}", host=host)
        self.wait_until(lambda: self.is_ready(host))

    def import_image(self, host, name):
        self.ctr(host, "images", "import", programs.CACHE / f"{name}.tar")

    def ctr(self, host, *words):
        """Asks the node's containerd."""
        return subprocess.run(["ctr", "-a", self.folder / host.name / "containerd.sock", "-n", "k8s.io", *words], check=True,
                              capture_output=True, text=True, env={"PATH": PATH}).stdout

    def write_configuration(self, host, home):
        plugins = pathlib.Path(next(path for path in programs.CNI if (pathlib.Path(path) / "ptp").exists()))
        number = int(host.name.removeprefix("edge"))
        # A node keeps a processor for itself. Each keeps another one, so that pods of two nodes compute on different ones.
        kept = sorted(os.sched_getaffinity(0))[(number - 1) % len(os.sched_getaffinity(0))]
        addresses = {"type": "host-local", "subnet": f"{self.pods_prefix}.{number}.0/24",
                     "dataDir": f"{home}/run/ipam"}
        (home / "cni/10-test.conflist").write_text(json.dumps(
            {"cniVersion": "0.4.0", "name": "test", "plugins": [{"type": "ptp", "ipam": addresses}]}))
        (home / "containerd.toml").write_text(f"""version = 2
root = "{home}/containerd"
state = "{home}/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.internal.v1.opt"]
[grpc]
  address = "{home}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{plugins}"
    conf_dir = "{home}/cni"
""")
        (home / "kubelet.yaml").write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "address": host.address,
            "port": 10250, "healthzPort": 0, "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"}, "containerRuntimeEndpoint": f"unix://{home}/containerd.sock",
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{host.space}", "failCgroupV1": False, "failSwapOn": False,
            "clusterDNS": ["10.97.0.10"], "cpuManagerPolicy": "static", "reservedSystemCPUs": str(kept),
            "enforceNodeAllocatable": ["pods"], "imageMinimumGCAge": "24h", "imageGCHighThresholdPercent": 100,
            "evictionHard": {"memory.available": "200Mi", **dict.fromkeys(
                ("nodefs.available", "nodefs.inodesFree", "imagefs.available", "imagefs.inodesFree"), "0%")}, **SOON}))

    def is_ready(self, host):
        conditions = json.loads(self.kubectl("get", "node", host.name, "-o", "json"))["status"].get("conditions", [])
        return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)

    def processes(self, host):
        """Of everything that runs in the node's pods."""
        groups = [group for hierarchy in hierarchies() for group in (hierarchy / host.space).rglob("cgroup.procs")]
        return {int(pid) for group in groups for pid in group.read_text().split() if pid != "0"}

    def power_off(self, host):
        """Everything on the node is gone at once; its disk stays."""
        for name in (f"kubelet@{host.name}", f"containerd@{host.name}"):
            if name in self.running:
                end(self.running.pop(name))
        socket = str(self.folder / host.name / "containerd.sock")
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):  # its shims are in no group of the node
            try:
                if socket.encode() in entry.read_bytes().split(b"\0"):
                    os.kill(int(entry.parent.name), signal.SIGKILL)
            except OSError:
                pass  # it has ended
        for _ in range(50):
            pids = self.processes(host)
            if not pids:
                break
            network.end(list(pids))
            time.sleep(0.1)
        for mount in reversed(mounts_below(self.folder / host.name / "run")):
            subprocess.run(["umount", "-l", mount], capture_output=True)

    def devices(self):
        """As a study's `devices`, in YAML."""
        return "".join(f'  - {host.name}: {{kubernetes: {{image: "localhost/debian:1", pull: Never, nodes: [{host.name}]}}}}\n'
                       for host in self.hosts.all)

    def make_volume(self, name, namespace, host):
        """A claim for a folder of that node's disk. Returns the folder."""
        folder = self.folder / host.name / f"volume-{namespace}-{name}"
        folder.mkdir()
        size = {"storage": "1Gi"}
        claim = {"metadata": {"name": name, "namespace": namespace}, "spec": {
            "storageClassName": "", "volumeName": f"{namespace}-{name}", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": size}}}
        volume = {"metadata": {"name": f"{namespace}-{name}"}, "spec": {
            "capacity": size, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": str(folder)}}}
        for kind, what in (("PersistentVolume", volume), ("PersistentVolumeClaim", claim)):
            self.kubectl("apply", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": kind, **what}))
        return folder

    def kubectl(self, *words, input=None):
        return subprocess.run(["kubectl", *words], env={**os.environ, **self.environment}, check=True, capture_output=True,
                              text=True, input=input).stdout

    def account(self, namespace, role):
        """Makes a namespace with an account that has this role. Returns the KUBECONFIG of that account."""
        self.kubectl("create", "namespace", namespace)
        self.kubectl("apply", "-f", "-", input=role)
        return self.log_in(namespace)

    def log_in(self, namespace):
        """Gives that account another token. Returns its KUBECONFIG."""
        token = self.kubectl("-n", namespace, "create", "token", "ngraphbench", "--duration", "2h").strip()
        self.configure(namespace, token, namespace)
        return str(self.folder / f"{namespace}.conf")

    def wait_until(self, is_so, patience_s=PATIENCE_S):
        network.wait_until(is_so, self.folder, patience_s)

    def remove(self):
        for host in self.hosts.all:
            self.power_off(host)
        for process in self.running.values():
            end(process)
        for mount in reversed(mounts_below(self.folder)):
            subprocess.run(["umount", "-l", mount], capture_output=True)
        for hierarchy in hierarchies():
            for host in self.hosts.all:
                for group in sorted((hierarchy / host.space).rglob("*/"), reverse=True) + [hierarchy / host.space]:
                    try:
                        group.rmdir()
                    except OSError:
                        pass  # a file, or gone
        shutil.rmtree(self.folder, ignore_errors=True)


def end(process):
    process.kill()
    process.wait()
