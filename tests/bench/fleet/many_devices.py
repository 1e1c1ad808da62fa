#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures one client with many devices: memory, processor time and samples recorded per second. Checks that no process
is lost or recorded twice.

    many_devices.py BUILD agents|simulated [--devices N] [--shape DEPTHS BATCHES COMPILERS] [--check]

agents: real agents, all on this machine, with the null compiler. simulated: bench/device_simulator, which sends as fast
as the client reads. A device has DEPTHS x BATCHES x COMPILERS cells. Exits with 1 if something is lost, recorded twice
or left on a device, and with --check also if a limit is missed."""

import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
from fleet import LOCAL_SHELL, SIMULATOR, Fleet  # noqa: E402
from lean_programs import lean_programs  # noqa: E402

MAX_PEAK_MIB = 1024
MIN_SAMPLES_PER_S = 100_000
MAX_CORES = 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("kind", choices=["agents", "simulated"])
    parser.add_argument("--devices", type=int, default=20)
    parser.add_argument("--shape", type=int, nargs=3, default=[1, 1, 2])
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--lean", action="store_true", help="without debugging information and other compilers")
    parser.add_argument("--folder", help="is kept; default: a temporary folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ngb-fleet-") as name:
        folder = pathlib.Path(arguments.folder or name)
        folder.mkdir(exist_ok=True)
        return measure(arguments, folder)


def measure(arguments, folder):
    is_simulated = arguments.kind == "simulated"
    programs = lean_programs(arguments.build.resolve(), "null") if arguments.lean else arguments.build
    fleet = Fleet(folder, programs / "bin/ngb", SIMULATOR if is_simulated else LOCAL_SHELL,
                  simulator=(arguments.build / "bench/device_simulator").resolve())
    depths, batches, compilers = arguments.shape
    study = fleet.write_study(devices=arguments.devices, depths=depths, batches=batches, compilers=compilers,
                              reference="none" if is_simulated else '"null"', repetitions=arguments.repetitions)
    run = fleet.run(study)
    if run.exit_code != 0:
        print(run.output)
        return 1
    lost, twice = fleet.lost_and_twice()
    [(samples,)] = fleet.query("SELECT count(*) FROM repetition")
    [(processes,)] = fleet.query("SELECT count(*) FROM process")
    per_s = samples / run.recording_s
    cores = run.recording_cpu_s / run.recording_s
    verified = f"{arguments.devices} of {arguments.devices} verified" in run.torn_down
    print(f"{arguments.devices} {arguments.kind} devices, {depths * batches * compilers} cells each: {processes} "
          f"processes, {samples} samples\n"
          f"  lost {lost}, twice {twice}, {run.torn_down}\n"
          f"  client: peak {run.peak_mib:.0f} MiB; {run.wall_s:.1f} s, of which recording {run.recording_s:.1f} s; "
          f"{cores:.2f} cores while recording, {run.cpu_s / run.wall_s:.2f} over all (the devices: {run.children_cpu_s / run.wall_s:.2f})\n"
          f"  recorded: {per_s:.0f} samples/s, {samples / run.recording_cpu_s:.0f} for each second of processor time")
    is_whole = lost == 0 and twice == 0 and verified
    is_within = run.peak_mib <= MAX_PEAK_MIB and cores <= MAX_CORES
    if is_simulated:  # agents on this machine measure less than can be recorded
        is_within = is_within and per_s >= MIN_SAMPLES_PER_S
    print("  within the limits" if is_whole and is_within else "  OVER a limit")
    return 0 if is_whole and (is_within or not arguments.check) else 1


if __name__ == "__main__":
    sys.exit(main())
