# SPDX-License-Identifier: Apache-2.0
"""Imports a compiler's Python packages once, without running them, and forks a worker for each request:

    python -m ngraphbench.fork_server --compiler-dir DIR [--socket-fd 3] [--model-kind KIND …]

The socket is a Unix socket of type SOCK_SEQPACKET, inherited as the given descriptor; each packet is one JSON object.

server -> agent, once, when everything is imported:
    {"ready": true, "import_ns": 2700000000, "threads": 1, "version": "0.1.0"}
    "import_error": "…" is added if the imports failed. The server answers requests nevertheless: its children repeat
    the import, fail as a fresh interpreter would, and report that in their results.

agent -> server, one packet per worker:
    {"run": 7, "environment": {"NAME": "value"}}
    with SCM_RIGHTS, in this order: request, result, progress page, log. "run" is any integer >= 0, which the answers
    repeat; "environment" (optional) is added to the child's.

server -> agent, at once:
    {"run": 7, "pid": 4711, "threads": 1}          the child is running; it leads a process group of its own
    or {"run": 7, "error": "…", "kind": "…", "threads": 2}      nothing was forked
        "threads"      the server has more than one thread, so that a fork is not safe: start a fresh interpreter
                       (python -m ngraphbench.worker) instead
        "busy"         the child of an earlier request has not ended yet
        "bad_request"  not JSON, too long (over 64 KiB), an unknown key, a wrong type, not exactly four descriptors;
                       "run" is null if it could not be read
        "fork"         the system refused to fork
server -> agent, after the child has ended:
    {"run": 7, "pid": 4711, "status": <as waitpid returns it>, "max_rss_bytes": 612368384, "cpu_ns": 2100000000}
    max_rss_bytes includes the memory of the server, because the kernel counts so; cpu_ns is the user and system time
    of the child and of those of its own children for which it waited.

In the child: descriptors 3, 4 and 5 are request, result and progress page, 1 and 2 are the log, 0 is /dev/null, all
others are closed. It receives SIGKILL when the server ends, ignores SIGINT, and its exit code is that of a worker.
The server has one child at a time. End of file on the socket kills the child's process group and ends the server."""
import argparse
import gc
import os
import select
import signal
import sys
import time
from typing import Any, Dict, List, Optional, Tuple

from ngraphbench import _loop
from ngraphbench.fork_packets import BadRequest, Channel, Closed, close_all, parse_request
from ngraphbench.forked_worker import become_worker, lead_group
from ngraphbench.hosting import Host, add_model_kinds
from ngraphbench.process import prepare, thread_count


class Server:
    def __init__(self, channel: Channel, host: Host):
        self._channel = channel
        self._host = host
        self._child: Optional[Tuple[int, int]] = None  # run, pid
        # SIGCHLD wakes the poll below by writing a byte to this pipe.
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Answer requests until the agent ends."""
        poll = select.poll()
        poll.register(self._channel.socket, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        try:
            while True:
                ready = {descriptor for descriptor, _ in poll.poll()}
                if self._wake_read in ready:
                    os.read(self._wake_read, 4096)
                    self._reap()
                if self._channel.socket.fileno() in ready:
                    self._answer()
        except Closed:
            self._kill_child()

    def _answer(self) -> None:
        run = None
        descriptors: List[int] = []
        try:
            packet, descriptors = self._channel.receive()
            run, environment = parse_request(packet, len(descriptors))
            self._start(run, environment, descriptors)
        except BadRequest as error:
            self._refuse(error.run, "bad_request", str(error))
        finally:
            close_all(descriptors)

    def _start(self, run: int, environment: Dict[str, str], descriptors: List[int]) -> None:
        if self._child is not None:
            self._refuse(run, "busy", f"the child of run {self._child[0]} has not ended yet")
            return
        threads = thread_count()
        if threads > 1:
            self._refuse(run, "threads", f"{threads} threads are running, so that a fork is not safe")
            return
        server_pid = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._refuse(run, "fork", f"cannot fork: {error.strerror}")
            return
        if pid == 0:
            become_worker(self._host, server_pid, environment, descriptors)
        lead_group(pid)
        self._child = (run, pid)
        self._channel.send({"run": run, "pid": pid, "threads": threads})

    def _refuse(self, run: Optional[int], kind: str, message: str) -> None:
        self._channel.send({"run": run, "error": message, "kind": kind, "threads": thread_count()})

    def _reap(self) -> None:
        if self._child is None:
            return
        run, child = self._child
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid == 0:
            return
        self._child = None
        cpu_ns = round((usage.ru_utime + usage.ru_stime) * 1e9)
        self._channel.send({"run": run, "pid": pid, "status": status, "max_rss_bytes": usage.ru_maxrss * 1024,
                            "cpu_ns": cpu_ns})

    def _kill_child(self) -> None:
        if self._child is not None:
            pid = self._child[1]
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has already ended and left its group
            os.waitpid(pid, 0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ngraphbench.fork_server",
                                     description="Forks workers that have imported their compiler already.")
    parser.add_argument("--compiler-dir", required=True, help="folder with compiler.json and the adaptor")
    parser.add_argument("--socket-fd", type=int, default=3, help="inherited SOCK_SEQPACKET socket to the agent")
    add_model_kinds(parser)
    arguments = parser.parse_args()
    prepare()
    try:
        channel = Channel(arguments.socket_fd)
        host = Host(arguments.compiler_dir, arguments.model_kinds)
    except (OSError, ValueError) as error:
        print(f"ngraphbench.fork_server: {error}", file=sys.stderr)
        return 2
    ready: Dict[str, Any] = {"ready": True}
    started = time.monotonic_ns()
    try:
        host.preload()
    except (Exception, SystemExit) as error:  # whatever the import of a package raises
        ready["import_error"] = f"{type(error).__name__}: {error}"[:4096]
    ready.update(import_ns=time.monotonic_ns() - started, threads=thread_count(), version=_loop.version)
    try:
        channel.send(ready)
    except Closed:
        return 0
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()  # the children's garbage collections skip the imported objects, so that their pages stay shared
    Server(channel, host).serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
