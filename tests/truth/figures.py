#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often what ngb says is true, in simulated studies whose truth is known. A line for each figure.

    NGB_BIN=build/dev/bin figures.py [--studies N] [FIGURE …]

N scales how much is simulated (40: some minutes). Each line has the figure, what was counted, and what it must reach.
"""

import argparse
import sys

import judged
import memory
import serving
import studies
from noise import Noise
from studies import QUIET


def ratio_by_time(count):
    for name, noise in studies.BY_REPETITION.items():
        holds, _ = studies.coverage(noise, 7, max(1, count // 4), 24)
        yield f"ratio by time held by its 95 % interval, 7 rounds: {name}", holds, "≥ 93 %"


def percentiles(count):
    for name, noise in studies.BY_PROCESS.items():
        for percent in (90, 95):
            holds = studies.percentiles(noise, percent, 7, 5 * count)
            yield f"p{percent} held by its interval, 7 processes of 64: {name}", holds, "≥ 90 %"


def one_sided_modes(count):
    for rounds in (3, 5, 7):
        holds, is_safe = studies.coverage(studies.MODES, rounds, max(1, count // 4), 24)
        yield f"modes 80/20 on one side, {rounds} rounds: the interval holds the truth", holds, ""
        yield f"modes 80/20 on one side, {rounds} rounds: it does, or the pair is undecided", is_safe, "≥ 90 %"


def other_noise(count):
    """What a ratio within a round is promised for."""
    for name, noise in {"5 % of processes 1.5 times as slow": Noise(mode_share=0.05, mode_factor=1.5),
                        "processes that differ by 3 %": Noise(process_deviation=0.03),
                        "a drift of the machine": QUIET,
                        "a drift of one side, AR(1) .5": Noise(process_deviation=0.03, correlation=0.5)}.items():
        is_shared = name.startswith("5 %") or name.startswith("processes")
        holds, _ = studies.coverage(noise, 7, max(1, count // 4), 24, of_candidate=noise if is_shared else QUIET,
                                    drift=0.9 if "machine" in name else 0)
        yield f"ratio held by its 95 % interval, 7 rounds: {name}", holds, ""


def calibrated(count):
    for rounds in (5, 10):
        yield (f"a difference that a plan of {rounds} rounds calls large enough is found",
               studies.calibrated(rounds, 0.02, 2 * count), "95 %")


def gate(count):
    """Of studies with a fixed number of rounds."""
    yield "gate, 8 models, 15 rounds of sd 2 %, one 8 % slower: passes", studies.gate(0.08, 0.02, 15, count, 8), "0 %"
    yield "gate, 8 models, 15 rounds of sd 2 %, none slower: fails", failing(studies.gate(0, 0.02, 15, count, 8)), "≤ 5 %"


def gate_that_measures(count):
    """It takes three seconds or so for each."""
    passes, passes_early, rounds = studies.gate_that_measures(0.08, 0.02, max(1, count // 4))
    yield "gate that measures, 8 models, sd 2 %, one 8 % slower: passes with rounds left", passes_early, "0 %"
    yield f"the same: passes ({rounds:.1f} of 15 rounds)", passes, ""


def measuring_gate(count):
    for slower, models in ((0.08, 8), (0.05, 8), (0.08, 24)):
        passes, left, rounds = studies.measuring_gate(slower, 0.02, count, models)
        name = f"gate that measures, {models} models, sd 2 %, one {slower:.0%} slower ({rounds:.1f} rounds of it)"
        yield f"{name}: passes", passes, ""
        yield f"{name}: passes with rounds left", left, "0 %"


def leaks(count):
    for kind in memory.NO_LEAKS + memory.LEAKS:
        is_leak = kind in memory.LEAKS
        yield (f"memory that is {kind.__name__}, 5 processes: a leak is told", memory.leaks_told(kind, 5 * count // 2),
               "100 %" if is_leak else "≤ 5 %")


def metrics_judged(count):
    for metric, (false, found) in judged.verdicts(2 * count, 5).items():
        yield f"{metric}, 5 rounds, equal sides: worse or better", false, "≤ 5 %"
        yield f"{metric}, 5 rounds, {judged.WORSE[metric]}: worse", found, "≥ 80 %"


def failing(passes):
    passes.hits = passes.all - passes.hits
    return passes


def fastest(count):
    for compilers in (2, 3, 6, 14):
        contains, named = studies.race(compilers, 0, 7, count)
        yield f"{compilers} compilers equal: the answer names a given one ({named:.1f} named)", contains, "≥ 95 %"
    for rounds in (5, 7):
        contains, named = studies.race(14, 0.01, rounds, count)
        yield f"one of 14 is 1 % faster, {rounds} rounds: the answer names it ({named:.1f} named)", contains, "≥ 95 %"


def claims(count):
    misses, held = studies.blocks_of_equal_compilers(count)
    yield "depth raises BSR, where nothing differs: the 95 % interval misses 1", misses, "≤ 5 %"
    yield "depth raises BSR, where nothing differs: \"holds\"", held, "≤ 2.5 %"
    for cells in (30, 60):
        held = studies.highest_of_many(cells, 4.9, count)
        yield f"the highest of {cells} speed-ups that are all 4.9 is above 5: \"holds\"", held, "≤ 2.5 %"


def arrivals(count):
    for load in (0.3, 0.5, 0.7, 0.9):
        holds, is_safe, wrongly = serving.confirmations(99, load, count)
        yield f"p99 under arrivals at load {load}: the interval holds the truth", holds, ""
        yield f"p99 under arrivals at load {load}: it does, or is open", is_safe, "≥ 90 %"
        yield f"p99 under arrivals at load {load}, 5 % above the limit: \"held\"", wrongly, "≤ 2.5 %"


def choices(count):
    """Servers of which a limit is 3 % below the simulated percentile, and of which requests pile up."""
    for what, loads, limit in (("3 % above the limit: \"holds\"", (0.1, 0.3, 0.5, 0.7, 0.9), ""),
                               ("1.3 times the limit: \"holds\"", (0.1, 0.3, 0.5, 0.7, 0.9), "0 %"),
                               ("requests pile up: \"holds\"", (1.05, 1.2), "0 %")):
        wrong, which = studies.Counted(), []
        beyond = 1.3 if "1.3" in what else 1.03
        for server, load, percent, is_said in serving.choices_beyond_the_limit(loads, (50, 90, 95), beyond=beyond,
                                                                               requests=2500 * count):
            wrong.add(is_said)
            which += [f"{server} {load} p{percent}"] * is_said
        yield f"simulated percentile {what}", f"{wrong} {'; '.join(which)}", limit


FIGURES = {function.__name__: function for function in (
    ratio_by_time, percentiles, one_sided_modes, other_noise, calibrated, gate, measuring_gate, gate_that_measures, fastest,
    claims, arrivals, choices, leaks, metrics_judged)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(FIGURES))
    parser.add_argument("--studies", type=int, default=40)
    given = parser.parse_args()
    if unknown := set(given.figures) - set(FIGURES):
        sys.exit(f"figures.py: there is no figure {', '.join(sorted(unknown))}: give some of {', '.join(FIGURES)}")
    print("| figure | counted | must be |\n| --- | --- | --- |")
    for name in given.figures or FIGURES:
        for row in FIGURES[name](given.studies):
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
