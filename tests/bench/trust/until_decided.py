#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much time `rounds: {until: decided}` saves, and whether it says the same as a fixed number of rounds.

    until_decided.py BUILD [--quick] [--study NAME] [--question NAME] [--output FOLDER] [--json FILE]

Two studies, each against the identity: that of the quickstart on one thread, and fifteen nets at batch 1 on two, with
onnxruntime and openvino. Each is measured with 5 rounds of 20 repetitions, with 20 of 20, and twice until it is decided, with
`repetitions: auto`: against the baseline only, and the two fastest against each other as well; the latter also in turns.
--quick measures the
quickstart's convolution block, and 10 rounds of 5 instead of 20 of 20."""

import statistics

from trust import Bench, sides, speeds, zoo

BASELINE = "identity"
MODELS = ("resnet18", "resnet50", "resnet101", "efficientnet_b3", "efficientnet_b4", "efficientnet_b5",
          "deit3_small_patch16_224", "deit3_medium_patch16_224", "deit3_base_patch16_224", "swin_s3_tiny_224",
          "swin_s3_small_224", "swin_s3_base_224", "convnext_tiny", "convnext_small", "convnext_base")
AUTO = {"repetitions": "auto"}
MOST_ROUNDS = 15


def studies(quick):
    block = zoo("conv_block", width=64, depth=1, image_size=56)
    if quick:
        return {"quickstart": {"models": [block], "batch_sizes": [1], "threads": 1}}
    return {"quickstart": {"models": [zoo("resnet18"), block], "batch_sizes": [1, 8], "threads": 1},
            "fifteen": {"models": [zoo(name) for name in MODELS], "batch_sizes": [1], "threads": 2}}


def protocols(quick):
    many = {"processes": 10, "repetitions": 5} if quick else {"processes": 20, "repetitions": 20}
    until = {"until": "decided_against_baseline", "max": MOST_ROUNDS}
    return {"five": {"processes": 5, "repetitions": 20}, "many": many, "against": {"rounds": until, **AUTO},
            "decided": {"rounds": {**until, "until": "decided"}, **AUTO},
            "turns": {"rounds": {**until, "until": "decided"}, **AUTO, "turns": 20}}


def verdicts(bench, folder, looks):
    """{(model, batch, compiler): verdict} against the baseline, and {(model, batch): (the two fastest, verdict)}."""
    cells = speeds(folder)
    rules = {"max_rounds": MOST_ROUNDS} if looks else {}

    def verdict(baseline, candidate):
        return bench.judge([[sides(baseline, candidate)]], **rules)[0][0]["verdict"]

    against, fastest = {}, {}
    for model, batch, threads in sorted({(model, batch, threads) for model, batch, _, threads in cells}):
        here = {each[2]: of_cell for each, of_cell in cells.items() if each == (model, batch, each[2], threads)}
        for compiler, of_cell in here.items():
            if compiler != BASELINE and BASELINE in here:
                against[model, batch, compiler] = verdict(here[BASELINE], of_cell)
        first, second = sorted(here, key=lambda name: -statistics.fmean(here[name].values()))[:2]
        fastest[model, batch] = (frozenset((first, second)), verdict(here[second], here[first]))
    return against, fastest


def report(bench, name, which, fixed, until, seconds, limit):
    """Compares the answers of a fixed number of rounds with those of rounds that end when they are decided."""
    clear = [key for key, said in fixed.items() if "undecided" not in str(said)]
    other = [f"{key}: {fixed[key]}, {until.get(key)}" for key in clear if until.get(key) != fixed[key]]
    bench.figure(f"{name}, {which}: answers that differ from the fixed rounds'", len(other),
                 f"of {len(clear)} decided ones", limit="0", is_met=not other, reason="; ".join(other))
    bench.figure(f"{name}, {which}: time", seconds, "of the fixed rounds'", limit=limit, is_met=seconds <= limit)


def main():
    bench = Bench("until_decided", __doc__, study=("quickstart", "fifteen"), question=("against", "decided"))
    compilers = [name for name in (BASELINE, "onnxruntime", "openvino") if name in bench.installed()]
    if len(compilers) < 2 or compilers[0] != BASELINE:
        raise SystemExit("until_decided: install identity, onnxruntime and openvino first: ngb toolchain install NAME")
    for name, study in studies(bench.quick).items():
        if name not in bench.chosen["study"]:
            continue
        asked = protocols(bench.quick)
        for question, fixed, which, said_of, limit in (("against", "five", "each against the baseline", 0, 1 / 2),
                                                       ("decided", "many", "and the two fastest", 1, 1 / 3)):
            if question not in bench.chosen["question"]:
                continue
            folders = {key: bench.measure(f"{name}-{key}", {**study, "compilers": compilers, **asked[key]})
                       for key in (fixed, question, *(["turns"] if question == "decided" else []))}
            said = {key: verdicts(bench, folder, key != fixed)[said_of] for key, folder in folders.items()}
            seconds = {key: bench.seconds(folder) for key, folder in folders.items()}
            for key in list(folders)[1:]:
                report(bench, name, which + (", in turns" if key == "turns" else ""), said[fixed], said[key],
                       seconds[key] / seconds[fixed], limit)
    bench.end()


if __name__ == "__main__":
    main()
