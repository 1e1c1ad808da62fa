#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real compilers against themselves: how often does ngb see a difference where there is none, and how many pairs are quiet?

    same_build_pairs.py BUILD [--quick] [--part usual|variants|turns] [--output FOLDER] [--json FILE]

Each cell has ten processes; 2r and 2r + 1 are the two sides of round r. Small blocks and nets at
four batch sizes, on every native compiler that is installed: at least 200 pairs on one thread and 100 on two. Studies of
100 cells are made up from these pairs: cells drawn with repetition, the sides of each round drawn anew. Variants measure
some of the pairs again in ways that may make them quieter. In turns, the sides are the two cells of a compiler
that is listed twice. At most 20 and 12 minutes on an idle machine, and 8 for each variant."""

import random

from trust import Bench, IN_TURNS, NULL, blocks, deviations, equal_sides, query, share, sides, speeds

ROUNDS = 5
QUIET = 0.016  # standard deviation of a round's log ratio
BATCHES = [1, 2, 4, 8]
NATIVE = ("onnxruntime", "openvino")
VARIANTS = {
    "repetitions of 10 ms": {"min_repetition_ms": 10},
    "60 repetitions": {"repetitions": 60},
    "a steady allocator": {"allocator": "steady"},
}


def study(compilers, models, threads, batches, **protocol):
    return {"models": models, "compilers": compilers, "batch_sizes": batches, "threads": threads,
            "processes": 2 * ROUNDS, "order": "groups", **protocol}  # the two sides of a round are neighbours in time


def pairs_of(folder):
    found = {cell: equal_sides(of_cell, repr(cell)) for cell, of_cell in speeds(folder).items()}
    return [each for each in found.values() if len(each) == ROUNDS], len(found)


def study_in_turns(compilers, models, threads, batches):
    """The two sides of a round are the two cells of a compiler that is listed twice."""
    twice = [{name: {"label": f"{name} {side}"}} for name in compilers for side in ("left", "right")]
    return {"models": models, "compilers": twice, "batch_sizes": batches, "threads": threads, "processes": ROUNDS, **IN_TURNS}


def pairs_in_turns(folder):
    cells = speeds(folder)
    found = [sides(of_cell, cells.get((*cell, label.replace(" left", " right"), threads), {}))
             for (*cell, label, threads), of_cell in cells.items() if label.endswith(" left")]
    return [each for each in found if len(each) == ROUNDS]


def made_up_studies(pairs, studies, cells=100):
    """Sides are alike, so a round may change them: each study is new data with the spread of real pairs."""
    random_sign = random.Random(7)
    return [[[random_sign.choice((1, -1)) * value for value in random_sign.choice(pairs)] for _ in range(cells)]
            for _ in range(studies)]


def is_false(judged):
    return judged["verdict"] in ("faster", "slower")


def judge_threads(bench, threads, folder, least):
    pairs, cells = pairs_of(folder)
    of = f"{threads} thread{'s' if threads > 1 else ''}"
    bench.figure(f"pairs, {of}", len(pairs), f"of {cells} cells whole, in {bench.seconds(folder) / 60:.1f} min",
                 limit=f"at least {least}", is_met=None if bench.quick else len(pairs) >= least)
    if not pairs:
        bench.figure(f"false verdicts, {of}", None, reason="no cell has five undisturbed rounds")
        return
    false = sum(is_false(each) for each in bench.judge([pairs])[0])
    bench.figure(f"false faster or slower, {of}", share(false, len(pairs)), "% of cells, as one comparison", limit="1 %",
                 is_met=share(false, len(pairs)) <= 1)
    alone = sum(is_false(judged) for one in bench.judge([[pair] for pair in pairs]) for judged in one)
    bench.figure(f"false if each were the only comparison, {of}", share(alone, len(pairs)), "% of cells (nominal: 5 %)")
    studies = bench.judge(made_up_studies(pairs, 100 if bench.quick else 1000))
    any_false = sum(any(map(is_false, each)) for each in studies)
    bench.figure(f"made-up studies of 100 cells with any false verdict, {of}", share(any_false, len(studies)), "%",
                 limit="5 %", is_met=share(any_false, len(studies)) <= 5)
    report_quiet(bench, f"pairs, {of}", pairs)


def report_quiet(bench, what, pairs, limit=None):
    spread = sorted(deviations(pairs))
    quiet = share(sum(each <= QUIET for each in spread), len(spread))
    bench.figure(f"quiet {what}: sd of a round at most 1.6 %", quiet, f"% of {len(spread)}; median sd "
                 f"{100 * spread[len(spread) // 2]:.2f} %", limit=limit, is_met=None if limit is None else quiet >= 80)


def main():
    bench = Bench("same_build_pairs", __doc__, part=("usual", "variants", "turns"))
    compilers = [name for name in NATIVE if name in bench.installed()] or [NULL]
    for part in bench.chosen["part"]:
        {"usual": measure_usual, "variants": measure_variants, "turns": measure_turns}[part](bench, compilers)
    bench.end()


def measure_usual(bench, compilers):
    batches = BATCHES[:1] if bench.quick else BATCHES
    for threads, models, least in ((1, 26, 200), (2, 13, 100)):
        folder = bench.measure(f"threads-{threads}", study(compilers, blocks(3 if bench.quick else models), threads, batches))
        judge_threads(bench, threads, folder, least)
        disturbed, = query(folder, "SELECT count(*) FROM failure WHERE kind = 'disturbed'")[0]
        bench.figure(f"disturbed attempts, {threads} thread{'s' if threads > 1 else ''}", disturbed)


def measure_variants(bench, compilers):
    for name, settings in list(VARIANTS.items())[:1 if bench.quick else None]:
        folder = bench.measure("variant-" + name.replace(" ", "-"),
                               study(compilers, blocks(2 if bench.quick else 13), 1, BATCHES[:2], **settings))
        pairs, _ = pairs_of(folder)
        if pairs:
            report_quiet(bench, f"pairs, 1 thread, {name}", pairs, limit="80 % in the best variant")
        else:
            bench.figure(f"quiet pairs, 1 thread, {name}", None, reason="no cell has five undisturbed rounds")


def measure_turns(bench, compilers):
    for threads in (1,) if bench.quick else (1, 2):
        folder = bench.measure(f"turns-{threads}",
                               study_in_turns(compilers, blocks(2 if bench.quick else 13), threads, BATCHES[:2]))
        of = f"{threads} thread{'s' if threads > 1 else ''}, in turns"
        pairs = pairs_in_turns(folder)
        if not pairs:
            bench.figure(f"quiet pairs, {of}", None, reason="no cell has five undisturbed rounds")
            continue
        report_quiet(bench, f"pairs, {of}", pairs, limit="80 % in the best variant")
        false = sum(is_false(each) for each in bench.judge([pairs])[0])
        bench.figure(f"false faster or slower, {of}", share(false, len(pairs)), f"% of {len(pairs)} cells, as one comparison, "
                     f"in {bench.seconds(folder) / 60:.1f} min", limit="1 %", is_met=share(false, len(pairs)) <= 1)


if __name__ == "__main__":
    main()
