#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hundred cells beside another program: no false verdict, and no wrong speed that is not marked.

    neighbour.py BUILD [--quick] [--beside half|all] [--output FOLDER] [--json FILE]

The same study four times: alone, alone again (how far do speeds differ without any neighbour?), beside a program that burns one
processor half of the time, and beside one on every processor that burns all the time (100 ms on, 100 ms off; its name is
`burner`). Beside the latter no process is tried again, because nothing could come of it. Processes 2r and 2r + 1 of a cell are two
equal sides, so that every verdict between them is false. A speed is wrong if it is off by more than 5 % of the speed of
the quiet run; it is marked if the cell is disturbed, or has the flag `disturbed`."""

import json
import os
import subprocess

from trust import Bench, blocks, equal_sides, neighbours, query, share, speeds

ROUNDS = 3
WRONG = 0.05


def cells_of(bench, folder):
    shown = subprocess.run([bench.ngb, "show", folder, "--json"], check=True, capture_output=True, text=True).stdout
    return {cell["cell_id"]: cell for cell in json.loads(shown)["cells"]}


def speed(cell):
    return cell["metrics"]["throughput_per_s"]["value"] if cell["status"] == "measured" else None


def is_marked(cell):
    return cell["status"] == "disturbed" or "disturbed" in cell["flags"]


def report(bench, what, folder, quiet):
    cells = cells_of(bench, folder)
    pairs = [pair for cell, of_cell in speeds(folder).items() if len(pair := equal_sides(of_cell, repr(cell))) >= ROUNDS]
    if pairs:
        false = sum(each["verdict"] in ("faster", "slower") for each in bench.judge([pairs])[0])
        bench.figure(f"{what}: false verdicts", false, f"of {len(pairs)} cells with {ROUNDS} undisturbed rounds", limit="0",
                     is_met=false == 0)
    else:
        bench.figure(f"{what}: false verdicts", None, limit="0", reason=f"no cell has {ROUNDS} undisturbed rounds")
    known = {cell: value for cell, each in cells.items() if (value := speed(each)) and cell in quiet and speed(quiet[cell])}
    wrong = [cell for cell, value in known.items() if abs(value / speed(quiet[cell]) - 1) > WRONG]
    silent = [cell for cell in wrong if not is_marked(cells[cell])]
    if not known:
        bench.figure(f"{what}: speeds off by more than 5 % and not marked", None, limit="0",
                     reason="no cell has a speed both here and in the quiet run")
    else:
        report_speeds(bench, what, cells, known, wrong, silent, quiet)
    report_disturbed(bench, what, folder, cells)


def report_speeds(bench, what, cells, known, wrong, silent, quiet):
    bench.figure(f"{what}: speeds off by more than 5 % and not marked", len(silent),
                 f"of {len(known)} speeds; {len(wrong)} are off", limit="0", is_met=not silent,
                 reason="; ".join(f"{cells[cell]['model']} batch {cells[cell]['batch']}: "
                                  f"{known[cell] / speed(quiet[cell]):.2f}" for cell in silent[:5]))


def report_disturbed(bench, what, folder, cells):
    disturbed = sum(each["status"] == "disturbed" for each in cells.values())
    bench.figure(f"{what}: disturbed cells", disturbed, f"of {len(cells)}; attempts "
                 f"{query(folder, 'SELECT count(*) FROM failure')[0][0]} disturbed, in {bench.seconds(folder) / 60:.1f} min")
    attempts, named = query(folder, "SELECT count(*), count(*) FILTER (WHERE message LIKE '%burner%') FROM failure "
                            "WHERE kind = 'disturbed'")[0]
    bench.figure(f"{what}: the neighbour is named", share(named, attempts), f"% of {attempts} disturbed attempts",
                 reason="" if attempts else "no attempt was disturbed")


def main():
    bench = Bench("neighbour", __doc__, beside=("half", "all"))
    models, batches = (blocks(4), [1]) if bench.quick else (blocks(25), [1, 2, 4, 8])
    study = {"models": models, "compilers": [bench.real_compiler()], "batch_sizes": batches, "threads": 1,
             "processes": 2 * ROUNDS, "order": "groups"}  # the two sides of a round are neighbours in time
    if bench.quick:
        study["disturbance"] = {"attempts": 2, "wait_s": 0}
    alone = bench.measure("quiet", study)
    quiet = cells_of(bench, alone)
    report(bench, "alone", alone, quiet)
    report(bench, "alone again", bench.measure("quiet-again", study), quiet)
    processors = len(os.sched_getaffinity(0))
    for beside, name, count, busy in (("half", "half-of-one", 1, 0.5), ("all", "all", processors, 1.0)):
        if beside not in bench.chosen["beside"]:
            continue
        more = {"disturbance": {"attempts": 1, "wait_s": 0}} if beside == "all" else {}
        with neighbours(count, busy):
            folder = bench.measure(name, {**study, **more})
        report(bench, f"beside {count} x {busy:.0%}", folder, quiet)
    bench.end()


if __name__ == "__main__":
    main()
