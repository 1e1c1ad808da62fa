#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the wall time of a study on equal devices, from command to table, with the slowest device's own time.

    equal_devices.py BUILD [--devices N] [--processes N] [--check]

The devices are real agents on this machine, with the null compiler and half a second to compile. A device's own time is
from the start of its first process to the end of its last one. Each device keeps a core busy, so more devices than
cores slow each other down; that is part of both times."""

import argparse
import pathlib
import sys
import tempfile

from fleet import LOCAL_SHELL, Fleet

MAX_RATIO = 1.10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--devices", type=int, default=3)
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--check", action="store_true", help="exit 1 if the limit is missed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ngb-fleet-") as name:
        fleet = Fleet(name, arguments.build / "bin/ngb", LOCAL_SHELL)
        run = fleet.run(fleet.write_study(devices=arguments.devices, compilers=2, options=", compile_ns: 500000000",
                                          processes=arguments.processes))
        if run.exit_code != 0:
            raise SystemExit(run.output)
        own_s = [own for own, in fleet.query("SELECT (max(started_unix_ns + wall_ns) - min(started_unix_ns)) / 1e9 "
                                             "FROM process GROUP BY device")]
    ratio = run.wall_s / max(own_s)
    print(f"{arguments.devices} devices, {2 * arguments.processes} processes each: {run.wall_s:.2f} s; devices' own "
          f"times {', '.join(f'{own:.2f}' for own in sorted(own_s))} s; ratio to the slowest {ratio:.3f}")
    return 1 if arguments.check and ratio > MAX_RATIO else 0


if __name__ == "__main__":
    sys.exit(main())
