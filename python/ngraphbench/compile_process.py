# SPDX-License-Identifier: Apache-2.0
"""The Python side of compilers/compile_process.h: a native plugin starts this process in the toolchain's Python to
compile one model. It imports its packages, reports "ready", compiles, and ends.

Lines of JSON: one request on standard input; on descriptor 3 first {"ready": facts}, then any number of {"report":
text}, then {"done": facts} or {"failed": {"kind", "message", "advice"}}. Kinds are those of ngb_status.
"""
import ctypes
import json
import os
import signal
import sys
import traceback
from typing import Any, Callable, Dict

from ngraphbench.adaptor import CompilerError
from ngraphbench.process import without_collections
from ngraphbench.reasons import cause

_REPLIES_FD = 3

Facts = Dict[str, Any]
Report = Callable[[str], None]


def serve(import_packages: Callable[[], Facts], compile_model: Callable[[Facts, Report], Facts]) -> None:
    """Run the process's whole life. `import_packages` returns the facts of "ready"; whatever it raises but a CompilerError is
    an import error. `compile_model` receives the request and a function that reports, and returns the facts of "done"."""
    _die_with_parent()
    os.set_inheritable(_REPLIES_FD, False)
    replies = os.fdopen(_REPLIES_FD, "w", encoding="utf-8")

    def say(**message):
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    _answer(say, import_packages, compile_model)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # skips the slow teardown of a compiler's threads


def write_signature(request, signature) -> None:
    """Write what the compiled file does not say of the model, for the process that loads it."""
    with open(request["signature"], "w", encoding="utf-8") as file:
        json.dump(signature, file)


def _answer(say, import_packages, compile_model):
    try:
        with without_collections():
            ready = import_packages()
    except CompilerError as error:
        return say(failed=_failure_from(error))
    except Exception as error:
        return say(failed={**_failure_from(error), "kind": "import_error", "advice": ""})
    say(ready=ready)
    line = sys.stdin.readline()
    if not line:
        return None
    try:
        return say(done=compile_model(json.loads(line), lambda text: say(report=text)))
    except Exception as error:
        return say(failed=_failure_from(error))


def _failure_from(error):
    if isinstance(error, CompilerError):
        return {"kind": error.kind, "message": error.message, "advice": error.advice}
    traceback.print_exception(type(error), error, error.__traceback__)
    if isinstance(error, MemoryError) or "bad_alloc" in str(error):
        return {"kind": "out_of_memory", "message": "not enough memory to compile", "advice": ""}
    if isinstance(error, ImportError):
        return {"kind": "import_error", "message": cause(error), "advice": ""}
    return {"kind": "compiler_failed", "message": cause(error),
            "advice": "the traceback is in the log of this attempt"}


def _die_with_parent():
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
