# SPDX-License-Identifier: Apache-2.0
"""What the fork server's child does: arranges its descriptors and process group, and becomes a worker."""
import faulthandler
import fcntl
import os
import signal
import sys
import traceback
from typing import Dict, List

from ngraphbench import _loop
from ngraphbench.hosting import Host

_EXIT_BROKEN = 70  # the worker could not be started; its log has the reason


def lead_group(pid: int) -> None:
    """Make the child lead its own process group. Parent and child both call this, so that neither continues earlier."""
    try:
        os.setpgid(pid, pid or 0)
    except OSError:
        pass  # the child has already ended


def become_worker(host: Host, server_pid: int, environment: Dict[str, str], descriptors: List[int]) -> None:
    """Run the child's whole life; does not return."""
    code = _EXIT_BROKEN
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        lead_group(0)
        _loop.die_with_parent(server_pid)
        _place(descriptors)
        faulthandler.enable(all_threads=False)  # a library that crashes: the log says where Python called it
        os.environ.update(environment)
        code = _loop.serve(host)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        os._exit(code)


def _place(descriptors: List[int]) -> None:
    """Move request, result and progress page to 3, 4, 5, the log to 1 and 2, /dev/null to 0; close the rest."""
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
