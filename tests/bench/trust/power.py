#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Known differences of 2 and 5 %: are they found, and is it said before what a noisier pair needs?

    power.py BUILD [--quick] [--part null|slowed|turns] [--output FOLDER] [--json FILE]

The null compiler's loop takes 2 and 5 % longer; and onnxruntime's inferences are followed by a wait of 2 and 5 % of their
own time (a compiler for tests only, tests/bench/trust/slowed), one process after the other and in turns. Each pair has 15 rounds. A difference counts as found
within n rounds if one comparison of these rounds alone, with an error rate of 5 %, has the right verdict. Pairs are
quiet enough if the standard deviation of their rounds is at most 1.6 % (2 % in 15 rounds) or 1.4 % (5 % in 5). Of the
others: the rounds that were said to be needed after the first five, and whether so many sufficed."""

import statistics

from trust import Bench, IN_TURNS, NULL, USUAL, blocks, installation_with_slowed, share, sides, speeds

ROUNDS = 15
PERCENTS = (2, 5)
ASKED = {2: (15, 0.016), 5: (5, 0.014)}  # rounds, standard deviation of a round that is quiet enough


def pairs_by_percent(folder, label_of):
    """{percent: [log ratios of a pair's rounds, …]}"""
    cells = speeds(folder)
    found = {percent: [] for percent in PERCENTS}
    for (model, batch, compiler, threads), of_cell in cells.items():
        for percent in PERCENTS:
            if slower := cells.get((model, batch, label_of(compiler, percent), threads)):
                found[percent].append(sides(of_cell, slower))
    return found


def is_found(judged):
    return judged["verdict"] == "slower"


def report(bench, what, percent, pairs):
    rounds, quiet = ASKED[percent]
    name = f"{what}: {percent} % found within {rounds} rounds"
    whole = [pair for pair in pairs if len(pair) == ROUNDS]
    enough = [pair[:rounds] for pair in whole if statistics.stdev(pair) <= quiet]
    if not enough:
        bench.figure(name, None, limit="95 %", reason=f"no pair of {len(whole)} whole ones is quiet enough")
    else:
        found = sum(is_found(one[0]) for one in bench.judge([[pair] for pair in enough]))
        bench.figure(name, share(found, len(enough)), f"% of {len(enough)} quiet pairs of {len(whole)}", limit="95 %",
                     is_met=share(found, len(enough)) >= 95)
    noisy = [pair for pair in whole if statistics.stdev(pair) > quiet]
    kept, broken, beyond = 0, 0, 0
    for pair in noisy:
        said = bench.judge([[pair[:5]]])[0][0]["rounds_needed"]
        if said is None or said > ROUNDS:
            beyond += said is not None
        elif bench.judge([[pair[:said]]])[0][0]["verdict"] == "undecided":
            broken += 1
        else:
            kept += 1
    bench.figure(f"{what}: {percent} %, noisier pairs", len(noisy), f"of which {kept} were decided within the rounds said "
                 f"after the first five, {broken} were not, {beyond} were said to need more than {ROUNDS}")


def measure_null(bench, models):
    for run_ns in (1_000_000,) if bench.quick else (1_000_000, 10_000_000):
        options = [round(run_ns * (1 + percent / 100)) for percent in (0, *PERCENTS)]
        folder = bench.measure(f"null-{run_ns}", {"models": models, "batch_sizes": [1], "threads": 1, "processes": ROUNDS,
                                                  "compilers": [{NULL: {"options": {"run_ns": options}}}]})
        pairs = pairs_by_percent(folder, lambda label, percent, base=run_ns: f"null run_ns={round(base * (1 + percent / 100))}"
                                 if label == f"null run_ns={base}" else None)
        for percent in PERCENTS:
            report(bench, f"null, {run_ns // 1_000_000} ms", percent, pairs[percent])


def measure_slowed(bench, models, name, how, protocol):
    if USUAL not in bench.installed():
        bench.figure(f"{USUAL} slowed{how}", None, reason=f"{USUAL} is not installed")
        return
    compilers = [{"onnxruntime-slowed": {"label": f"delay {percent}", "options": {"delay_percent": percent}}}
                 for percent in (0, *PERCENTS)]
    folder = bench.measure(name, {"models": models, "batch_sizes": [1] if bench.quick else [1, 8], "threads": 1,
                                  "processes": ROUNDS, "compilers": compilers, **protocol}, installation_with_slowed(bench))
    pairs = pairs_by_percent(folder, lambda label, percent: f"delay {percent}" if label == "delay 0" else None)
    for percent in PERCENTS:
        report(bench, f"{USUAL} slowed{how}", percent, pairs[percent])


def main():
    bench = Bench("power", __doc__, part=("null", "slowed", "turns"))
    models = blocks(2 if bench.quick else 10)
    for part in bench.chosen["part"]:
        if part == "null":
            measure_null(bench, models)
        elif part == "slowed":
            measure_slowed(bench, models, "slowed", "", {})
        else:
            measure_slowed(bench, models, "slowed-in-turns", ", in turns", IN_TURNS)
    bench.end()


if __name__ == "__main__":
    main()
