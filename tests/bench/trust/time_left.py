#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well a run knows, while it lasts, how much longer it takes: what a terminal says, against what it took.

    time_left.py NGB [--idle | --busy] [--studies 1,3] [--json FILE]

Each study is run on an idle machine and beside a program that keeps one processor busy, in a cache of their own, so the first
run knows nothing. After a third of its time the time left may be wrong by 25 % (the median of all runs), and the time of the
whole run, as it is said, may never grow by more than 25 %. Of rounds that may end early what is said is a bound, "at most":
it must not be too short. All of it takes about a quarter of an hour."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import terminal  # noqa: E402

LIMIT = 0.25
COLUMNS = 1000  # none of the line is left out
MOST_S = 400  # of a run; then it is stopped, and has no table row but "stopped"

CONV = "  - zoo: {{conv_block: {{width: {}, depth: {}, image_size: {}}}}}\n"
MHA = "  - zoo: {{mha_block: {{embed: {}, depth: {}}}}}\n"
THREE = "compilers: [identity, onnxruntime, openvino]\nthreads: 1\n"
STUDIES = {
    "quickstart": None,  # as it ships
    "one at a time": "models:\n" + "".join(CONV.format(width, 1, 56) for width in (16, 32, 48, 64)) + "".join(
        MHA.format(embed, 1) for embed in (64, 128)) + THREE + "batch_sizes: [1, 4]\nturns: 1\nprocesses: 4\nrepetitions: 20\n",
    "three networks": "models: [zoo: resnet18, zoo: resnet50, zoo: efficientnet_b3]\n" + THREE +
                      "batch_sizes: [1]\nprocesses: 3\nrepetitions: 10\nturns: 10\n",
    "torch-compile": "models:\n" + CONV.format(32, 2, 56) + "compilers: [identity, onnxruntime, torch-compile]\nthreads: 1\n"
                     "batch_sizes: [1]\nprocesses: 3\nrepetitions: 20\n",
    "batch sizes": "models:\n" + CONV.format(64, 4, 56) + THREE + "batch_sizes: [1, 2, 4, 8]\nprocesses: 4\n",
    "until decided": "models:\n" + CONV.format(64, 1, 56) + MHA.format(128, 2) + THREE +
                     "batch_sizes: [1, 8]\nrounds: {until: decided, max: 12}\n",
}

FRAME = re.compile(r"(?:^|\] )(\d+) of (at most )?(\d+) processes(?:, \d+ given up)?(?:, (?:at most )?([^,·]+?) left)?"
                   r"(?: after ([^·]+?))?(?: ·|$)")
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}


def seconds_of(text):
    """What "1 min 05 s" says."""
    words = text.split()
    return sum(float(number) * UNITS[unit] for number, unit in zip(words[::2], words[1::2]))


def said_by(lines):
    """What was said when, in seconds since the progress line began: (time, time left or None). And whether it is a bound."""
    said, begun_s, is_bound = [], None, False
    for line in lines:
        found = FRAME.search(line.text)
        if not found:
            continue
        if begun_s is None:
            begun_s = line.at_s - (seconds_of(found[5]) if found[5] else 0)
        is_bound = is_bound or bool(found[2])
        said.append((round(line.at_s - begun_s, 2), seconds_of(found[4]) if found[4] else None))
    return said, is_bound


def judge(said):
    """What a run says of its time: after a third of it, as a share of what was left, and its largest growth."""
    took_s = said[-1][0]
    row = {"took_s": took_s, "share": None, "first_s": None, "growth": 0.0}
    least_s = None
    for now_s, left_s in said:
        if left_s is None:
            continue
        if row["first_s"] is None:
            row["first_s"] = now_s
        whole_s = now_s + left_s
        if least_s is not None:
            row["growth"] = max(row["growth"], whole_s / least_s - 1)
        least_s = min(whole_s, least_s or whole_s)
        if row["share"] is None and took_s / 3 <= now_s < took_s:
            row["share"] = left_s / (took_s - now_s)
            row["at_s"] = now_s
    return row


@contextlib.contextmanager
def one_busy_processor(is_wanted):
    if not is_wanted:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as program:
        try:
            yield
        finally:
            program.kill()


def measure(ngb, folder, name, is_busy, environment):
    tag = name.replace(" ", "-") + ("-busy" if is_busy else "-idle")
    study = "quickstart"
    if STUDIES[name] is not None:
        study = folder / f"{tag}.yaml"
        study.write_text(f"name: {tag}\n" + STUDIES[name])
    load = os.getloadavg()[0]
    with one_busy_processor(is_busy):
        shown = terminal.run([ngb, "run", study, "-o", folder / tag, "--no-report"], COLUMNS, interrupt_s=MOST_S,
                             cwd=folder, env=environment)
    said, is_bound = said_by(shown.lines)
    if not said:
        print(f"{tag}: exit {shown.code}, no progress was said:\n" + "\n".join(line.text for line in shown.lines[-5:]), file=sys.stderr)
        return None
    return {"study": name, "machine": "busy" if is_busy else "idle", "load": load,
            "exit": None if shown.took_s > MOST_S else shown.code, "is_bound": is_bound, **judge(said), "said": said,
            "others": [line.text for line in shown.lines if not line.is_redrawn]}


def line_of(row):
    share = "nothing" if row["share"] is None else f"{row['share']:.2f}"
    first = "never" if row["first_s"] is None else f"{row['first_s']:.1f}"
    notes = ("at most" if row["is_bound"] else "") + (", stopped" if row["exit"] is None else "") + (
        ", a cell failed" if row["exit"] == 1 else "")
    return f"{row['study']:<15}{row['machine']:<6}{row['load']:5.1f}{row['took_s']:9.1f}{first:>9}{share:>9}{100 * row['growth']:9.1f}  {notes.strip(', ')}"


def summary(rows):
    """Prints what all runs come to. Returns whether all of it is within the limits."""
    ended = [row for row in rows if row["exit"] is not None]
    errors = [1.0 if row["share"] is None else abs(row["share"] - 1) for row in ended if not row["is_bound"]]
    bounds = [row for row in ended if row["is_bound"]]
    growth = max((row["growth"] for row in ended), default=0)
    is_good = len(ended) == len(rows) and growth <= LIMIT
    if errors:
        print(f"{len(errors)} runs: median error after a third {100 * statistics.median(errors):.1f} %, worst {100 * max(errors):.1f} %")
        is_good = is_good and statistics.median(errors) <= LIMIT
    too_short = [row for row in bounds if row["share"] is not None and row["share"] < 1 - LIMIT]
    print(f"{len(bounds)} bounds, {len(too_short)} too short; largest growth of all {100 * growth:.1f} %")
    return is_good and not too_short


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--idle", action="store_true", help="only on an idle machine")
    only.add_argument("--busy", action="store_true", help="only beside one busy processor")
    parser.add_argument("--studies", help="numbers of " + ", ".join(f"{i} {name}" for i, name in enumerate(STUDIES, 1)))
    parser.add_argument("--json", type=pathlib.Path, help="with all that was said, written after each run")
    arguments = parser.parse_args()
    names = list(STUDIES)
    if arguments.studies:
        names = [names[int(number) - 1] for number in arguments.studies.split(",")]
    rows, is_whole = [], True
    print(f"{'study':<15}{'':6}{'load':>5}{'took s':>9}{'said at':>9}{'a third':>9}{'grew %':>9}", flush=True)
    with tempfile.TemporaryDirectory(prefix="ngb-time-left-") as temporary:
        folder = pathlib.Path(temporary)
        environment = {**os.environ, "NGB_CACHE": str(folder / "cache")}
        for name in names:
            for is_busy in [False] * (not arguments.busy) + [True] * (not arguments.idle):
                row = measure(arguments.ngb.resolve(), folder, name, is_busy, environment)
                if row is None:
                    is_whole = False
                    continue
                rows.append(row)
                print(line_of(row), flush=True)
                if arguments.json:
                    arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if summary(rows) and is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
