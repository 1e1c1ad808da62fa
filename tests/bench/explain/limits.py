# SPDX-License-Identifier: Apache-2.0
"""The share of the limit that compilers reach, by processor time: for machines on which other programs never stop.

    python limits.py --build BUILD --work WORK.json [--models a,b] [--compilers a,b] [--rounds 1] [--inferences 5]

WORK.json is `ngb explain RESULTS --fusions --json` of profiles of the models: it has their multiply-adds and least bytes. The
peak (oneDNN's product, a copy and a triad, as `ngb calibrate --peak` has them) and the models are measured in turns, with one
thread: the peak counts as the median of all its turns. Times are medians of the processor time of single inferences, so that waiting for a processor does not count; shared caches
and memory do. It prints a Markdown table: the least time at the peak, and for each compiler its share and its time."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import attributed

PEAK = """
import json, sys, time
import torch
sys.path.insert(0, sys.argv[1])
import peak

torch.set_num_threads(1)

def busy_s(module, count):
    x = torch.zeros(1)
    with torch.inference_mode():
        for _ in range(2):
            module(x)
        times = []
        for _ in range(count):
            begin = time.process_time()
            module(x)
            times.append(time.process_time() - begin)
    return sorted(times)[len(times) // 2]

elements = 64 << 20
rates = {"macs_per_s": max(n ** 3 / busy_s(peak.onednn(extent=n), 9) for n in (512, 1024, 2048)),
         "bytes_per_s": max(8 * elements / busy_s(peak.copy(elements=elements), 9),
                            12 * elements / busy_s(peak.triad(elements=elements), 9))}
print(json.dumps(rates))
"""


def peak_of(bench):
    """Returns {"macs_per_s", "bytes_per_s"} of one thread."""
    python, site = bench.identity
    modules = os.path.join(bench.source, "src", "campaign")
    environment = {**os.environ, "PYTHONPATH": site, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run([python, "-c", PEAK, modules], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def busy_ms(bench, compiler, model, inferences):
    """Returns the median processor time of an inference in milliseconds, or the reason why there is none."""
    path, recipe = bench.write(model)
    told = bench.profile(compiler, path, recipe, rounds=1, inferences=inferences)
    os.remove(path)
    if "failure" in told:
        return told["failure"]["kind"]
    return statistics.median(busy for each in told["rounds"] for key in ("plain", "again") for _, busy in each[key]) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--models")
    parser.add_argument("--compilers", default="onnxruntime,openvino,identity")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--inferences", type=int, default=5)
    given = parser.parse_args()
    with open(given.work, encoding="utf-8") as file:
        work = {row["model"]: (row["macs"]["value"], row["least_bytes"]["value"]) for row in json.load(file)["rows"]}
    models = given.models.split(",") if given.models else list(work)
    compilers = given.compilers.split(",")
    times, peaks = {}, []
    with tempfile.TemporaryDirectory(prefix="ngb-limits-") as folder:
        bench = attributed.Bench(given.build, folder)
        sys.path[:0] = [bench.identity[1], os.path.join(bench.lib, "python")]
        for _ in range(given.rounds):
            for model in models:
                peaks.append(peak_of(bench))
                for compiler in compilers:
                    times.setdefault((model, compiler), []).append(busy_ms(bench, compiler, model, given.inferences))
    macs_per_s, bytes_per_s = (statistics.median(each[key] for each in peaks) for key in ("macs_per_s", "bytes_per_s"))
    for key, unit in (("macs_per_s", "10⁹ multiply-adds/s"), ("bytes_per_s", "GB/s")):
        rates = sorted(each[key] / 1e9 for each in peaks)
        print(f"peak: {statistics.median(rates):.1f} {unit} ({rates[0]:.1f} to {rates[-1]:.1f})")
    print("| model | least, ms | " + " | ".join(compilers) + " |")
    print("| --- | ---: |" + " ---: |" * len(compilers))
    for model in models:
        macs, least_bytes = work[model]
        least_ms = 1e3 * max(macs / macs_per_s, least_bytes / bytes_per_s)
        cells = []
        for compiler in compilers:
            told = times[model, compiler]
            reasons = [each for each in told if isinstance(each, str)]
            cells.append(reasons[0] if reasons else f"{100 * least_ms / statistics.median(told):.0f} % of "
                                                    f"{statistics.median(told):.0f} ms")
        print(f"| {model} | {least_ms:.1f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
