# SPDX-License-Identifier: Apache-2.0
"""How often `ngb explain` explains a difference, and how often it names a region where nothing differs.

    python3 repeated.py NGB [--models resnet18,…] [--pairs onnxruntime:openvino,…] [--repeats 10] [--rounds 5] [--quick] [--busy]

prints a line for each run: seconds, the plain times, the share of the slower side by which the regions miss their difference,
the share of a profiled inference that kernels have, what profiling costs, and the regions told. With `--same` both sides are
onnxruntime, one of them with a setting at its default: a region that is told is false. `--quick` is one run on a small block. `--busy` also counts
processes that other programs disturbed: on a machine that is never quiet nothing else counts. A run without an explanation is a
line with the reason. The last line says how many runs were explained.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

COLUMNS = ("model", "baseline", "candidate", "seconds", "baseline_ms", "candidate_ms", "gap_percent", "explained",
           "attributed_percent", "cost_percent", "regions", "told", "first", "reason")
SAME = ({"onnxruntime": {"label": "plain"}},
        {"onnxruntime": {"label": "same", "settings": {"session.disable_prepacking": "0"}}})


def name_of(side):
    return side if isinstance(side, str) else next(iter(side.values()))["label"]


def study(model, sides, output, busy):
    models = [{"zoo": {model: {"width": 16, "depth": 2, "image_size": 32}} if model == "conv_block" else model}]
    made = {"name": "why", "models": models, "compilers": list(sides), "batch_sizes": [1], "threads": 1, "output": str(output)}
    return made | ({"disturbance": {"max_wait_percent": 100}} if busy else {})


def explain(given, folder, model, sides):
    """Runs `ngb explain` on a study of the model. Returns its JSON or, without an explanation, its last words; and the seconds."""
    path = folder / "study.json"
    path.write_text(json.dumps(study(model, sides, folder / "results", given.busy)))
    names = [name_of(side) for side in sides]
    begin = time.monotonic()
    done = subprocess.run(
        [given.ngb, "explain", path, "--baseline", names[0], "--candidate", names[1], "--rounds", str(given.rounds), "--json",
         "-o", folder / "profiles"], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    told = json.loads(done.stdout) if done.stdout.strip() else {}
    is_explained = bool(told.get("pairs")) and told["pairs"][0].get("gap_ratio") is not None
    return told if is_explained else done.stderr.strip().splitlines()[-1], seconds


def line(model, pair, told, seconds):
    if isinstance(told, str):
        empty = dict.fromkeys(COLUMNS, "")
        return empty | {"model": model, "baseline": name_of(pair[0]), "candidate": name_of(pair[1]),
                        "seconds": round(seconds, 1), "reason": told}
    names = [told["pairs"][0][side]["name"] for side in ("baseline", "candidate")]
    rows = {row["kind"]: row for row in told["rows"] if row["kind"] != "region"}
    regions = [row for row in told["rows"] if row["kind"] == "region"]
    plain, operators, cost = rows["plain time"], rows["all regions"], rows["cost of profiling"]
    sides = []
    for side in ("baseline_ns", "candidate_ns"):
        profiled = plain[side] + cost[side]
        sides.append((plain[side] / 1e6, 100 * operators[side] / profiled, 100 * cost[side] / plain[side]))
    named = [row["region"] for row in regions if row["adjusted_p"] is not None and row["adjusted_p"] < 0.05]
    return {
        "reason": "",
        "model": model, "baseline": names[0], "candidate": names[1], "seconds": round(seconds, 1),
        "baseline_ms": round(sides[0][0], 3), "candidate_ms": round(sides[1][0], 3),
        "gap_percent": round(100 * told["pairs"][0]["gap_ratio"], 2), "explained": told["pairs"][0]["is_explained"],
        "attributed_percent": "/".join(f"{each[1]:.1f}" for each in sides),
        "cost_percent": "/".join(f"{each[2]:.1f}" for each in sides), "regions": len(regions), "told": len(named),
        "first": regions[0]["region"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb")
    parser.add_argument("--models", default="resnet18,deit3_small_patch16_224,efficientnet_b3,convnext_tiny,conv_block")
    parser.add_argument("--pairs", default="onnxruntime:openvino,identity:onnxruntime,identity:openvino")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--busy", action="store_true")
    given = parser.parse_args()
    models = ["conv_block"] if given.quick else given.models.split(",")
    pairs = [SAME] if given.same else [tuple(pair.split(":")) for pair in given.pairs.split(",")]
    repeats = 1 if given.quick else given.repeats
    writer = csv.DictWriter(sys.stdout, COLUMNS)
    writer.writeheader()
    explained = []
    for model in models:
        for pair in pairs[: 1 if given.quick else None]:
            for _ in range(repeats):
                with tempfile.TemporaryDirectory(prefix="ngb-why-") as folder:
                    told, seconds = explain(given, pathlib.Path(folder), model, pair)
                row = line(model, pair, told, seconds)
                writer.writerow(row)
                sys.stdout.flush()
                explained.append(row["explained"] is True)
    print(f"{sum(explained)} of {len(explained)} runs are explained")


if __name__ == "__main__":
    main()
