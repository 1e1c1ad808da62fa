# SPDX-License-Identifier: Apache-2.0
"""Says in one line why something failed: tables show no more."""
import os
import sys
import traceback

USER_MODULE = "user_model"  # the module name of the user's file


def cause(error: BaseException) -> str:
    """Return the exception's type with the first line of its text, and the line of the user's own code that raised it."""
    text = first_line(error) if str(error).strip() else ""
    before = error.__cause__ or error.__context__
    if text.endswith(":") and before is not None:  # a heading, whose text is that of another exception
        return f"{type(error).__name__}: {text} {cause(before)}"
    return f"{type(error).__name__}{': ' if text else ''}{text}{users_line(error)}"


def first_line(error) -> str:
    """Return the first line of an error's text, or of a text. One that ends with a colon is a heading, and has the next one
    behind it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    last = next((i for i, line in enumerate(lines) if not line.endswith(":")), len(lines) - 1)
    return " ".join(lines[:last + 1])


def last_line(error: BaseException) -> str:
    """Return the last line of a library's error that ends in its reason."""
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__


def users_line(error: BaseException) -> str:
    """Return " (net.py, line 7: return self.head(x))", the innermost line in the files beside the user's; "" without one."""
    folder = os.path.dirname(getattr(sys.modules.get(USER_MODULE), "__file__", None) or "") + os.sep
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    if folder == os.sep or not frames:
        return ""
    line = f": {frames[-1].line}" if frames[-1].line else ""
    return f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}{line})"
