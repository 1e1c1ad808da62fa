# SPDX-License-Identifier: Apache-2.0
"""Stands in for the programs `ngb` and `ngraphbench` where no wheel with them fits (docs/install.md).

pip then installs the wheel that fits every system. Its commands print why ngb cannot run here and what can be done, and end with
ngb's exit code for a run that cannot continue. The module needs nothing but Python 3.6 or newer, so that an old system gets the
message too."""

import os
import platform
import sys

CANNOT_GO_ON = 3  # as in apps/ngb/command.h
OLDEST_GLIBC = (2, 28)  # as in scripts/write-wheel
OLDEST_PYTHON = (3, 9)
MACHINES = {"x86_64": "x86-64", "aarch64": "aarch64"}


def glibc_version():
    """The version of this process's glibc, or None if its C library is another one."""
    try:
        told = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
        return tuple(map(int, told[1].split(".")[:2])) if told[:1] == ["glibc"] else None
    except (AttributeError, IndexError, OSError, ValueError):
        return None


def hindrance(system, machine, is_64_bit, glibc, python):
    """What keeps ngb's programs from running here, as the end of the sentence `this is …`. None if nothing does.

    `system` and `machine` are named as by the module platform; `glibc` and `python` are versions as (major, minor)."""
    if system == "Darwin":
        return "macOS on {}".format(machine)
    if system != "Linux":
        return "{} on {}".format(system or "an unknown system", machine)
    if machine not in MACHINES:
        return "Linux on the processor {}".format(machine)
    if not is_64_bit:
        return "a 32-bit Python on Linux"
    if glibc is None:
        return "Linux with another C library than glibc, such as musl of Alpine"
    if glibc < OLDEST_GLIBC:
        return "Linux with glibc {}.{}".format(*glibc)
    if python < OLDEST_PYTHON:
        return "Python {}.{}".format(*python)
    return None


def message(found):
    """The text for people; `found` is what `hindrance` returned."""
    if found is None:
        return (
            "ngb: this system can run ngb, but the package without its programs was installed: pip was older than 20.3, or was given "
            "the file …-py3-none-any.whl\n"
            "  upgrade pip and install ngraphbench again: pip install --upgrade pip && pip install --force-reinstall --no-deps ngraphbench"
        )
    return (
        "ngb: no program of ngb runs here: this is {}\n"
        "  They need Linux with glibc {}.{} or newer on {}, and Python {}.{} or newer.\n"
        "  To run any command of ngb, install ngraphbench on such a machine or in a container with it.\n"
        "  Here, Python reads the samples, failures and environments of a results folder that was measured there\n"
        "  (pip install 'ngraphbench[python]', with Python 3.11 or newer), and a browser shows its report/index.html."
    ).format(found, *OLDEST_GLIBC, " or ".join(MACHINES.values()), *OLDEST_PYTHON)


def message_here():
    """The text for the system on which this runs."""
    return message(hindrance(platform.system(), platform.machine(), sys.maxsize > 2**32, glibc_version(), sys.version_info[:2]))


def main():
    """Runs in place of every command of ngb. Returns the exit code."""
    text = message_here() + "\n"
    encoding = sys.stderr.encoding or "ascii"
    sys.stderr.write(text.encode(encoding, "replace").decode(encoding))
    return CANNOT_GO_ON


if __name__ == "__main__":
    sys.exit(main())
