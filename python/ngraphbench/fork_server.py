# SPDX-License-Identifier: Apache-2.0
"""Imports a compiler's Python packages once, executes nothing, and forks a ready-made worker for each request:

    python -m ngraphbench.fork_server --compiler-dir DIR [--socket-fd 3]

The socket is a Unix socket of type SOCK_SEQPACKET, inherited as the given descriptor; each packet is one JSON object.

server -> agent, once, when everything is imported:
    {"ready": true, "import_ns": 2700000000, "threads": 1, "version": "0.1.0"}
    "import_error": "…" is there as well when the imports failed. The server serves all the same: its children try the
    import again, fail as a fresh interpreter would, and say so in their result.

agent -> server, one packet per worker:
    {"run": 7, "environment": {"NAME": "value"}}
    with SCM_RIGHTS, in this order: request, result, progress page, log. "run" is any integer >= 0, which the answers
    repeat; "environment" (may be left out) is added to the child's.

server -> agent, at once:
    {"run": 7, "pid": 4711, "threads": 1}          the child is running; it leads a process group of its own
    or {"run": 7, "error": "…", "kind": "…", "threads": 2}      nothing was forked
        "threads"      the server has more than one thread, so that a fork is not safe: start a fresh interpreter
                       (python -m ngraphbench.worker) instead
        "busy"         the child of an earlier request has not ended yet
        "bad_request"  not JSON, too long (over 64 KiB), an unknown key, a wrong type, not exactly four descriptors;
                       "run" is null when it could not be read
        "fork"         the system refused to fork
server -> agent, when the child has ended:
    {"run": 7, "pid": 4711, "status": <as waitpid gives it>, "max_rss_bytes": 612368384, "cpu_ns": 2100000000}
    max_rss_bytes starts from what the server itself holds (that is how the kernel counts); cpu_ns is user + system of
    the child and of those of its own children that it has waited for.

In the child: descriptors 3, 4 and 5 are request, result and progress page, 1 and 2 are the log, 0 is /dev/null, all
others are closed. It gets SIGKILL when the server ends, ignores SIGINT, and its exit code is that of a worker.
The server has one child at a time. End of file on the socket kills the child's process group and ends the server."""
import argparse
import array
import json
import os
import select
import signal
import socket
import sys
import time
from typing import Any, Dict, List, Optional, Tuple

from ngraphbench.process import prepare, thread_count

MAX_PACKET_BYTES = 64 * 1024
DESCRIPTORS = ("request", "result", "progress page", "log")
_MAX_RECEIVED_DESCRIPTORS = 253  # SCM_MAX_FD: none that is sent may stay behind unseen
_REQUEST_KEYS = {"run", "environment"}


class BadRequest(Exception):
    def __init__(self, message: str, run: Optional[int] = None):
        super().__init__(message)
        self.run = run


class Closed(Exception):
    """The agent is gone."""


def parse_request(packet: bytes, descriptor_count: int) -> Tuple[int, Dict[str, str]]:
    """(run, environment) of a request. Raises BadRequest."""
    try:
        request = json.loads(packet.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"not JSON: {error}") from None
    if not isinstance(request, dict):
        raise BadRequest("a request must be a JSON object")
    run = request.get("run")
    if type(run) is not int or run < 0:
        raise BadRequest('"run" must be an integer >= 0')
    unknown = sorted(set(request) - _REQUEST_KEYS)
    if unknown:
        raise BadRequest(f'unknown key "{unknown[0]}"', run)
    environment = request.get("environment", {})
    if not isinstance(environment, dict) or not all(map(_is_variable, environment.items())):
        raise BadRequest('"environment" must be an object of variable names and texts', run)
    if descriptor_count != len(DESCRIPTORS):
        raise BadRequest(f"{descriptor_count} descriptors came, {len(DESCRIPTORS)} are needed: "
                         + ", ".join(DESCRIPTORS), run)
    return run, environment


def _is_variable(item: Tuple[str, Any]) -> bool:
    name, value = item
    if not isinstance(value, str) or not name or "=" in name or "\0" in name + value:
        return False
    try:
        os.fsencode(name + value)
    except UnicodeEncodeError:
        return False
    return True


class Channel:
    """The socket to the agent."""

    def __init__(self, descriptor: int):
        """Raises OSError when the descriptor is no SOCK_SEQPACKET socket."""
        self.socket = socket.socket(fileno=descriptor)
        if self.socket.family != socket.AF_UNIX or self.socket.type != socket.SOCK_SEQPACKET:
            raise OSError(f"descriptor {descriptor} is not a Unix socket of type SOCK_SEQPACKET")
        self.socket.setblocking(True)

    def send(self, message: Dict[str, Any]) -> None:
        """Raises Closed."""
        try:
            self.socket.send(json.dumps(message).encode())
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self) -> Tuple[bytes, List[int]]:
        """A packet and the descriptors that came with it, which are the caller's to close. Raises Closed, BadRequest."""
        item = array.array("i").itemsize
        try:
            packet, ancillary, flags, _ = self.socket.recvmsg(
                MAX_PACKET_BYTES, socket.CMSG_SPACE(_MAX_RECEIVED_DESCRIPTORS * item), socket.MSG_CMSG_CLOEXEC)
        except OSError as error:
            raise Closed(str(error)) from None
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(data[:len(data) - len(data) % item])
        if not packet and not descriptors:
            raise Closed("end of file")
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            close_all(descriptors)
            raise BadRequest(f"a request may have {MAX_PACKET_BYTES} bytes and {len(DESCRIPTORS)} descriptors")
        return packet, list(descriptors)


def close_all(descriptors) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


class Server:
    def __init__(self, channel: Channel, host):
        self._channel = channel
        self._host = host
        self._child: Optional[Tuple[int, int]] = None  # run, pid
        # SIGCHLD wakes the poll below by a byte in this pipe.
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Until the agent is gone."""
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
        _lead_group(pid)
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
            os.killpg(self._child[1], signal.SIGKILL)
            os.waitpid(self._child[1], 0)


def _lead_group(pid: int) -> None:
    """Parent and child both ask for it, so that it is so for either before it goes on."""
    try:
        os.setpgid(pid, pid or 0)
    except OSError:
        pass  # the child has ended already


def become_worker(host, server_pid: int, environment: Dict[str, str], descriptors: List[int]) -> None:
    """The child's whole life; does not return."""
    code = 70
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _lead_group(0)
        from ngraphbench import _loop

        _loop.die_with_parent(server_pid)
        _place(descriptors)
        os.environ.update(environment)
        code = _loop.serve(host)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        os._exit(code)


def _place(descriptors: List[int]) -> None:
    """request, result, progress page to 3, 4, 5; log to 1 and 2; /dev/null to 0; all others closed."""
    import fcntl

    request, result, progress, log = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 16) for fd in descriptors)
    nothing = fcntl.fcntl(os.open(os.devnull, os.O_RDONLY), fcntl.F_DUPFD_CLOEXEC, 16)
    for source, target, inherited in ((nothing, 0, True), (log, 1, True), (log, 2, True),
                                      (request, 3, False), (result, 4, False), (progress, 5, False)):
        os.dup2(source, target, inheritable=inherited)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 5:
            try:
                os.close(int(name))
            except OSError:
                pass  # the descriptor of the listing itself


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m ngraphbench.fork_server",
                                     description="Forks workers that have imported their compiler already.")
    parser.add_argument("--compiler-dir", required=True, help="folder with compiler.json and the adaptor")
    parser.add_argument("--socket-fd", type=int, default=3, help="inherited SOCK_SEQPACKET socket to the agent")
    arguments = parser.parse_args()
    prepare()
    from ngraphbench import _loop
    from ngraphbench.hosting import Host

    try:
        channel = Channel(arguments.socket_fd)
        host = Host(arguments.compiler_dir)
    except (OSError, ValueError) as error:
        print(f"ngraphbench.fork_server: {error}", file=sys.stderr)
        return 2
    ready: Dict[str, Any] = {"ready": True}
    started = time.monotonic_ns()
    try:
        host.preload()
    except (Exception, SystemExit) as error:  # whatever a package's import raises
        ready["import_error"] = f"{type(error).__name__}: {error}"[:4096]
    ready.update(import_ns=time.monotonic_ns() - started, threads=thread_count(), version=_loop.version)
    try:
        channel.send(ready)
    except Closed:
        return 0
    sys.stdout.flush()
    sys.stderr.flush()
    import gc

    gc.freeze()  # the children's collections leave the imported objects alone, and their pages shared
    Server(channel, host).serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
