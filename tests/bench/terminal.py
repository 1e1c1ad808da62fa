# SPDX-License-Identifier: Apache-2.0
"""What a program shows on a terminal, and when."""

import dataclasses
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

_ERASE = "\r\x1b[2K"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclasses.dataclass
class Line:
    at_s: float  # since the program began
    text: str
    is_redrawn: bool  # the next line takes its place


@dataclasses.dataclass
class Shown:
    lines: list
    code: int  # exit code
    took_s: float


def lines_of(text, at_s):
    """The lines of what was printed at once, without colours."""
    *redrawn, last = _COLOUR.sub("", text).replace("\r\n", "\n").split(_ERASE)
    lines = [Line(at_s, each, True) for each in redrawn if each]
    *whole, rest = last.split("\n")
    lines += [Line(at_s, each, False) for each in whole]
    return lines + ([Line(at_s, rest, True)] if rest else [])


def run(command, columns, *, interrupt_s=None, **options):
    """Runs a command on a terminal so wide. Ctrl-C is typed after `interrupt_s`, if that is given."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    begun = time.monotonic()
    lines = []
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, **options) as program:
        os.close(theirs)
        while True:
            at_s = time.monotonic() - begun
            if interrupt_s is not None and at_s > interrupt_s:
                program.send_signal(signal.SIGINT)
                interrupt_s = None
            if not select.select([ours], [], [], 0.2)[0]:
                continue
            try:
                part = os.read(ours, 1 << 20)
            except OSError:  # it has ended
                break
            if not part:
                break
            lines += lines_of(part.decode(errors="replace"), at_s)
        took_s = time.monotonic() - begun
    os.close(ours)
    return Shown(lines, program.returncode, took_s)
