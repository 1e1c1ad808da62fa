#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for kubectl and the cluster behind it: pods are processes of this machine.

It knows what the route to a pod uses (get, create, delete, exec), and answers with the words and exit codes that kubectl
1.36 and an API server 1.35 have been seen to give. Its cluster is the folder $KUBECTL_STAND_IN: a file for each pod, `nodes`
with a name and the processors that are free on each line, `no-image` while these have no image, `fault` with the words with
which every command fails, `why-ended` with the reason of pods whose first process was killed, and `calls`, which gets a line
for each command. A pod's volume is the folder that its manifest mounts, so that the pods of one test have different ones.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import uuid

CLUSTER = pathlib.Path(os.environ["KUBECTL_STAND_IN"])
MARK = "NGB_KUBECTL_STAND_IN_POD"  # in the environment of all processes of a pod


def refuse(words):
    print(words, file=sys.stderr)
    sys.exit(1)


@contextlib.contextmanager
def locked():
    with open(CLUSTER / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def file_of(name):
    return CLUSTER / f"pod-{name}.json"


def keep(pod):
    """Replaces the pod's file as a whole, because tests read it at any time."""
    path = file_of(pod["metadata"]["name"])
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(pod), encoding="utf-8")
    partial.rename(path)


def processes_of(uid):
    """Processes of the pod, as process ids."""
    mark = f"{MARK}={uid}".encode()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark in (entry / "environ").read_bytes().split(b"\0") and (entry / "stat").read_text().split(") ")[1][0] != "Z":
                    yield int(entry.name)


def kill(uid):
    while pids := list(processes_of(uid)):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def volume_of(pod):
    return pathlib.Path(pod["spec"]["containers"][0]["volumeMounts"][0]["mountPath"])


def first_process_lives(pod):
    with contextlib.suppress(OSError):
        mark = f"{MARK}={pod['metadata']['uid']}".encode()
        state = pathlib.Path(f"/proc/{pod['pid']}/stat").read_text(encoding="utf-8").split(") ")[1][0]
        return state != "Z" and mark in pathlib.Path(f"/proc/{pod['pid']}/environ").read_bytes().split(b"\0")
    return False


def why_ended():
    told = CLUSTER / "why-ended"
    return told.read_text(encoding="ascii") if told.exists() else "Error"


def looked_at(path):
    pod = json.loads(path.read_text(encoding="utf-8"))
    if pod["status"]["phase"] == "Running" and not first_process_lives(pod):
        kill(pod["metadata"]["uid"])
        pod["status"] = {"phase": "Failed", "containerStatuses": [
            {"name": "device", "state": {"terminated": {"reason": why_ended(), "exitCode": 137}}}]}
        keep(pod)
    return pod


def node_for(pod, others):
    """Returns the node's name, and the scheduler's words if there is none."""
    words, wanted = [], pod["spec"].get("nodeSelector", {}).get("kubernetes.io/hostname")
    for line in (CLUSTER / "nodes").read_text(encoding="ascii").splitlines():
        name, free = line.split()
        used = [other for other in others if other["spec"].get("nodeName") == name]
        if wanted not in (None, name):
            words.append("1 node(s) didn't match Pod's node affinity/selector")
        elif used and "affinity" in pod["spec"]:
            words.append("1 node(s) didn't match pod anti-affinity rules")
        elif int(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]) > int(free):
            words.append("1 Insufficient cpu")
        else:
            return name, ""
    return "", f"0/{len(words)} nodes are available: {', '.join(words)}. preemption: 0/{len(words)} nodes are available."


def start(pod):
    container = pod["spec"]["containers"][0]
    others = [looked_at(path) for path in CLUSTER.glob("pod-*.json")]
    node, words = node_for(pod, [other for other in others if other["status"]["phase"] == "Running"])
    if not node:
        pod["status"] = {"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": words}]}
        return
    pod["spec"]["nodeName"] = node
    if container["image"].endswith("/missing") or (CLUSTER / "no-image").exists():
        pod["status"] = {"phase": "Pending", "containerStatuses": [{"name": "device", "state": {"waiting": {
            "reason": "ErrImageNeverPull", "message": 'Container image "localhost/missing" is not present with pull policy of Never'}}}]}
        return
    volume_of(pod).mkdir(parents=True, exist_ok=True)
    environment = {"PATH": os.environ["PATH"], MARK: pod["metadata"]["uid"], "NGB_KUBERNETES_NODE": node}
    with subprocess.Popen(["setsid", *container["command"]], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/") as process:
        pod["pid"] = process.pid
        process.returncode = 0  # it outlives this program
    pod["status"] = {"phase": "Running", "qosClass": "Guaranteed", "containerStatuses": [
        {"name": "device", "imageID": "localhost/bench@sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef", "state": {"running": {}}}]}


def create():
    pod = json.load(sys.stdin)
    name = pod["metadata"]["name"]
    if file_of(name).exists():
        refuse(f'Error from server (AlreadyExists): error when creating "STDIN": pods "{name}" already exists')
    pod["metadata"]["uid"] = str(uuid.uuid4())
    start(pod)
    keep(pod)
    print(f"pod/{name} created")


def delete(name):
    if file_of(name).exists():
        pod = looked_at(file_of(name))
        kill(pod["metadata"]["uid"])
        shutil.rmtree(volume_of(pod), ignore_errors=True)
        file_of(name).unlink()


def get(words):
    if words[0] == "pods":
        key, value = words[words.index("-l") + 1].split("=")
        pods = [looked_at(path) for path in CLUSTER.glob("pod-*.json")]
        print(json.dumps({"items": [pod for pod in pods if pod["metadata"]["labels"].get(key) == value]}))
    elif file_of(words[1]).exists():
        print(json.dumps(looked_at(file_of(words[1]))))


def run_in(name, words):
    with locked():
        if not file_of(name).exists():
            refuse(f'Error from server (NotFound): pods "{name}" not found')
        pod = looked_at(file_of(name))
    if pod["status"]["phase"] != "Running":
        refuse("error: unable to upgrade connection: container not found (\"device\")")
    os.environ.update({MARK: pod["metadata"]["uid"], "NGB_KUBERNETES_NODE": pod["spec"]["nodeName"]})
    os.execvp(words[0], words)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith(("--context=", "--namespace=", "--request-timeout="))]
    with open(CLUSTER / "calls", "a", encoding="utf-8") as calls:
        calls.write(f"{time.time():.3f} {' '.join(words[:2])}\n")
    if (CLUSTER / "fault").exists():
        refuse((CLUSTER / "fault").read_text(encoding="utf-8"))
    if words[0] == "exec":
        run_in(words[2], words[words.index("--") + 1:])
    with locked():
        if words[0] == "create":
            create()
        elif words[0] == "delete":
            delete(words[2])
        elif words[0] == "get":
            get(words[1:])
        else:
            refuse(f"error: unknown command {words[0]!r}")


if __name__ == "__main__":
    main()
