# SPDX-License-Identifier: Apache-2.0
"""Reads each results folder that a line of standard input names by the Python package, and answers with a line of JSON."""

import json
import resource
import signal
import sys

import ngraphbench as ngb
from ngraphbench import errors

SECONDS = 10  # of processor time
PATIENCE_S = 90
BYTES = 1 << 30
_EXPECTED = tuple(each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception))


class TooLong(BaseException):
    pass


def stop(_number, _frame):
    raise TooLong


def read(folder):
    code = 0
    results = None
    for name in ("samples", "failures", "environments", "cells"):
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        signal.alarm(PATIENCE_S)
        try:
            results = results or ngb.open(folder)
            getattr(results, name)
        except _EXPECTED as error:
            code = 3
            if not str(error).strip():
                return code, f"{name}: {type(error).__name__} without a message"
        except TooLong:
            return 3, f"{name}: takes more than {SECONDS} s"
        except Exception as error:
            return 3, f"{name}: {type(error).__name__}: {str(error)[:300]}"
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.alarm(0)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return code, f"used {used >> 20} MiB" if used > BYTES else ""


signal.signal(signal.SIGALRM, stop)
signal.signal(signal.SIGVTALRM, stop)
for line in sys.stdin:
    told, problem = read(line.rstrip("\n"))
    print(json.dumps({"code": told, "wrong": problem}), flush=True)
