# SPDX-License-Identifier: Apache-2.0
"""Speaks the fork server's protocol (src/agent/workers/fork_server.h); its children become the fake worker.

The compiler's name says how it behaves: "broken" cannot be imported, "minimal" meets a Python that lacks modules, "refusing"
forks nothing, "dying" ends when asked to fork, "importing" never gets ready, the first server of "stopping" stops when asked
to fork; any other forks.
"""

import array
import json
import os
import signal
import socket
import sys

folder = sys.argv[sys.argv.index("--compiler-dir") + 1]
name = os.path.basename(folder)
if name == "broken":
    raise ImportError("libnothing.so: cannot open shared object file")
if name == "minimal":
    import a_module_that_a_minimal_python_lacks  # noqa: F401
if name == "importing":
    signal.pause()

connection = socket.socket(fileno=int(sys.argv[sys.argv.index("--socket-fd") + 1]))
stopped = os.path.join(os.environ["NGB_WORK_FOLDER"], "has-stopped")
# One process each: how often a server was started.
with open(os.path.join(os.environ["NGB_WORK_FOLDER"], "started-" + name), "a") as record:
    kinds = " ".join(sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--model-kind")
    record.write("server %d%s for %s\n" % (os.getpid(), " without site" if sys.flags.no_site else "", kinds))


def send(packet):
    connection.send(json.dumps(packet).encode())


send({"ready": True, "import_ns": 123, "threads": 1, "version": "1"})
while True:
    data, ancillary, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(16))
    if not data:
        break
    request = json.loads(data)
    descriptors = array.array("i")
    for _, _, payload in ancillary:
        descriptors.frombytes(payload)
    if name == "dying":
        os._exit(4)
    if name == "stopping" and not os.path.exists(stopped):
        open(stopped, "w").close()
        os.kill(os.getpid(), signal.SIGSTOP)
    if name == "refusing":
        send({"error": "two threads run"})
        for fd in descriptors:
            os.close(fd)
        continue
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        for i, fd in enumerate(descriptors):
            os.dup2(fd, 100 + i)
        for i, target in enumerate((3, 4, 5, 1)):
            os.dup2(100 + i, target)
        os.dup2(1, 2)
        os.closerange(6, 1000)
        worker = os.environ["NGB_FAKE_WORKER"]
        os.execve(worker, [worker], {**os.environ, **request["environment"]})
    for fd in descriptors:
        os.close(fd)
    send({"run": request["run"], "pid": pid, "threads": 1})
    _, status, usage = os.wait4(pid, 0)
    send({"run": request["run"], "pid": pid, "status": status, "max_rss_bytes": usage.ru_maxrss * 1024, "cpu_ns": 1})
