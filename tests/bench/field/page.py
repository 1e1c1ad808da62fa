# SPDX-License-Identifier: Apache-2.0
"""Writes docs/field.md from what field.py has measured: page.py PAGE FIRST.json SECOND_BEFORE.json SECOND.json."""
import collections
import json
import pathlib
import re
import sys

# The first draw before it was mended was counted by hand: {what: number}.
FIRST_BEFORE = {"files": 104, "cells": 522, "measured": 305, "inaccurate": 10, "not": "54 cells of onnxruntime"}
# What was found by hand of files whose outputs are judged inaccurate.
BY_HAND = {
    "embedder.int8.onnx": "right: openvino in plain Python differs from onnxruntime by more than half of the largest value",
    "light_squeezenet.onnx": "right: openvino in plain Python has eight zeros where onnxruntime has 0.001",
}
# Questions that others have asked in public, and what the program answers; tried by hand.
REPORTS = """\
## Public reports

Questions that users of compilers have asked in public, each tried here with a file or a study of the same kind.

| report | tried | what ngb says |
| --- | --- | --- |
| microsoft/onnxruntime#5672: a quantised model gives other results in a batch | bert_dynq.onnx at batch 1 and 2 | all cells agree: each batch size is compared with the reference at the same one |
| openvinotoolkit/openvino#37838, oneTBB#190: a container's quota is ignored | a quota below `threads` | `ngb plan`, `ngb run` and the page say it, not only `ngb doctor` (`tests/cli/threads_test.py`) |
| pytorch/pytorch#4737: slower with each iteration | a module that keeps state | flag `outputs_change`, and in no verdict (`tests/cli/references_test.py`) |
| microsoft/onnxruntime#6424, #10463, pytorch/pytorch#99613: the exporter's batch in a Reshape | batch 1 and 2 of such a file | `ngb plan`: "the file leaves its batch open, but its graph fits batch size 1 and not 2: … set batch_sizes: [1], or export the model again with a dynamic batch" |
| microsoft/onnxruntime#9334: Loop in a batch | a loop of 20 steps | measured, and outputs agree |
| openvinotoolkit/openvino#33806: inputs are dynamic | GPT-2 with past key values | one message with all open dimensions and values that fit together, which can be pasted: `dimensions: {past_sequence: 16, "past_sequence + sequence": 24, sequence: 8}`, and `inputs` with the ranges of tokens and mask |
| microsoft/onnxruntime#20052: int8 is slower than f32 | MobileNetV3 in f32 and in QDQ | below |
| microsoft/onnxruntime#17711, #16135: slower after a pause | `arrivals: {requests_per_s: 4}` | a cell of its own, whose latency is measured with the pauses ([study](study.md#pauses-between-inferences)) |
| microsoft/onnxruntime#18957: the first inference is slower | `ngb show --columns first-inference,latency` | a number of its own (`first_inference_s`), without compiling and the check, which later inferences do not contain; `ngb gate --metric first_inference_s` decides by it |
| openvinotoolkit/openvino#35680: DynamicQuantizeLSTM | seven files of the first draw | each is measured by those that run it |

Is int8 slower than f32? One study with two files, `mnv3_ortopt_all.onnx` (f32) and `mnv3_qdq.onnx` (int8), onnxruntime 1.31.1, one
thread of a virtual machine on which other programs compiled (load 13; the study was given the processors first):

```text
$ ngb compare results --by model --baseline mnv3_ortopt_all --candidate mnv3_qdq
1 slower

  cell                                             verdict       ratio [95 %]  candidate  why

candidate over baseline, compared by model
  mnv3_qdq, batch 1, on local: onnxruntime 1.31.1  slower   0.28 [0.23, 0.35]      389.0
```

So yes, here: int8 runs at a quarter of the speed of f32. The f32 file is one that ONNX Runtime has optimised for this processor
(`com.microsoft.nchwc` operators). Its cell has the flag `weak_check`: the weights are random, and most outputs are below the tolerance.
"""

TITLES = {"first": "The first draw", "second": "The second draw, from other packages"}
INTRODUCTION = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
# Files in the field

Does a file run that somebody else has published or exported? Files of packages, of the onnx package's own tests, and small
exports of transformers, torchvision, scikit-learn, LightGBM and XGBoost, each measured with the keys that `ngb plan` advises
and nothing else, at batch sizes 1 and 2 where the file leaves its batch open. Beside it, onnxruntime and openvino ran each
file in plain Python at the same shapes. This page is about results, not about speed.

This page is made by `tests/bench/field/field.py` and `page.py`. The first draw led to what was mended; the second was drawn
afterwards, and *before* is what it gave then.
"""


def counts_of(rows):
    cells = [word for row in rows for _, _, word, _ in row["cells"]]
    kinds = collections.Counter(word.split(":")[0] for word in cells)
    plain = ours = 0
    for row in rows:
        found = {(compiler, batch): word for compiler, batch, word, _ in row["cells"]}
        for library, batch, said in row["plain"]:
            plain += said == "runs"
            ours += said == "runs" and found.get((library, batch)) == "measured"
    unchecked = sum(word == "measured" and reference in ("", "none") for row in rows for _, _, word, reference in row["cells"])
    return {"files": len(rows), "cells": len(cells), "measured": kinds["measured"], "plain": plain, "ours": ours,
            "unchecked": unchecked, "inaccurate": kinds["inaccurate"], "refused": sum(bool(row["refusal"]) for row in rows)}


def table_of_counts(rows):
    """`rows` are (name, counts)."""
    lines = ["| draw | files | refused by `ngb plan` | cells | measured | of these unchecked | cells that plain Python runs | "
             "of these measured | judged inaccurate |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, counts in rows:
        share = f"{counts['ours']} ({100 * counts['ours'] / counts['plain']:.1f} %)" if counts.get("plain") else \
            f"all but {counts['not']}"
        lines.append(f"| {name} | {counts['files']} | {counts.get('refused', '–')} | {counts['cells']} | {counts['measured']} | "
                     f"{counts.get('unchecked', '–')} | {counts.get('plain', '–')} | {share} | {counts['inaccurate']} |")
    return lines


def table_of_files(rows):
    lines = ["| package | file | reference, where it is not the identity | cells that are not measured |",
             "| --- | --- | --- | --- |"]
    for row in rows:
        missing = [f"{compiler}, batch {batch}: {word}" for compiler, batch, word, _ in sorted(row["cells"])
                   if word != "measured"]
        others = sorted({reference or "none" for _, _, word, reference in row["cells"]
                         if word == "measured" and not reference.startswith("identity")})
        short = "<br>".join(_cell(each, 220) for each in missing) or _cell(row["refusal"], 400) or "none"
        lines.append(f"| {row['package']} | {row['file']} | {_cell(', '.join(others), 200)} | {short} |")
    return lines


def verdicts(rows):
    lines = ["## Verdicts", "", "Every file that is judged `inaccurate` was looked at:", ""]
    for row in rows:
        whose = [f"{compiler}, batch {batch}" for compiler, batch, word, _ in row["cells"] if word.startswith("inaccurate")]
        if whose:
            lines.append(f"- {row['file']} ({'; '.join(whose)}): {BY_HAND.get(row['file'], 'not looked at yet')}")
    return [*lines, ""]


def _cell(text, longest):
    text = re.sub(r"/\S*/(?=\S+\.onnx)", "", " ".join(text.split())).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= longest else text[:longest].rstrip("\\") + " …"


def main(page, *paths):
    first, before, second = (json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in paths)
    lines = [INTRODUCTION, "## Counts", "",
             *table_of_counts([("first, before", FIRST_BEFORE), ("first", counts_of(first)),
                               ("second, before", counts_of(before)), ("second", counts_of(second))]), ""]
    lines += [*verdicts(first + second), *REPORTS.splitlines(), ""]
    for name, rows in (("first", first), ("second", second)):
        lines += [f"## {TITLES[name]}", "", *table_of_files(rows), ""]
    pathlib.Path(page).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
