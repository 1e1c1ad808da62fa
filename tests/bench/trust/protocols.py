#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a study tells that says nothing of its protocol, and what the same study tells under the paper's.

    protocols.py BUILD [--quick] [--beside none|one|all] [--output FOLDER] [--json FILE]

A block and a ResNet-18 at batch 1 on one thread, by the identity, onnxruntime and openvino: five processes of 20 repetitions, in 20
turns and one process after the other (`protocol: paper`), each three times, in turn: on an idle machine, beside a program that
compiles C++ all the time, and beside one for each processor. For each: seconds from the command to the table, half widths of
the speed-ups' intervals, and how many speed-ups have a number, and are told from 1."""

import contextlib
import json
import os
import statistics
import subprocess

from trust import Bench, zoo

KINDS = {"in turns": {"protocol": "turns", "turns": 20}, "the paper's": {"protocol": "paper"}}
TIMES = 3
SOURCE = "#include <regex>\nbool f(const char* text) { return std::regex_match(text, std::regex(\"a+b\")); }\n"


@contextlib.contextmanager
def builds(count, folder):
    """Runs `count` programs; each compiles a source again and again."""
    source = folder / "source.cpp"
    source.write_text(SOURCE)
    started = [subprocess.Popen(["bash", "-c", 'while :; do c++ -O2 -c "$0" -o /dev/null; done', source],
                                start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for each in started:
            os.killpg(each.pid, 9)
            each.wait()


def speed_ups(bench, folder):
    shown = json.loads(subprocess.run([bench.ngb, "show", folder, "--json"], check=True, capture_output=True).stdout)
    return [cell["metrics"]["speed_up_ratio"] for cell in shown["cells"] if cell["compiler"] != "identity"]


def report(bench, what, folders):
    all_of_them = [value for folder in folders for value in speed_ups(bench, folder)]
    known = [value for value in all_of_them if value.get("value") is not None and value.get("low") is not None]
    widths = [100 * (value["high"] - value["low"]) / 2 / value["value"] for value in known]
    told = sum(value["low"] > 1 or value["high"] < 1 for value in known)
    seconds = [bench.seconds(folder) for folder in folders]
    bench.figure(f"{what}: seconds", statistics.median(seconds), f"s ({min(seconds):.0f} to {max(seconds):.0f})")
    bench.figure(f"{what}: speed-ups with an interval", len(known), f"of {len(all_of_them)}, {told} told from 1")
    reason = "" if widths else "no speed-up has an interval"
    bench.figure(f"{what}: half width", statistics.median(widths) if widths else None,
                 f"% ({min(widths):.1f} to {max(widths):.1f})" if widths else "", reason=reason)


def main():
    bench = Bench("protocols", __doc__, beside=("none", "one", "all"))
    study = {"models": [zoo("conv_block", width=64, depth=1, image_size=56), zoo("resnet18")],
             "compilers": ["identity", "onnxruntime", "openvino"], "batch_sizes": [1], "threads": 1, "reference": "identity"}
    if bench.quick:
        study |= {"models": study["models"][:1], "processes": 2}
    counts = {"none": 0, "one": 1, "all": len(os.sched_getaffinity(0))}
    for beside in bench.chosen["beside"]:
        folders = {kind: [] for kind in KINDS}
        with builds(counts[beside], bench.folder):
            for time in range(1 if bench.quick else TIMES):
                for number, (kind, protocol) in enumerate(KINDS.items()):
                    folders[kind].append(bench.measure(f"{beside}-{number}-{time}", {**study, **protocol}))
        for kind, measured in folders.items():
            report(bench, f"beside {counts[beside]} builds, {kind}", measured)
    bench.end()


if __name__ == "__main__":
    main()
