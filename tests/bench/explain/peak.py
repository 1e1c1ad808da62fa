# SPDX-License-Identifier: Apache-2.0
"""How near `ngb calibrate --peak` comes to what tuned libraries reach in the same minutes, and how well it repeats.

    python3 peak.py NGB [--threads 1] [--repeats 3] [--rounds 5] [--quick]

calibrates and asks the libraries by turns. A line for each repeat has the multiply-adds a second of ngb, of NumPy's OpenBLAS and of
PyTorch's product (oneDNN or MKL), and the bytes a second of ngb's copy and triad and of NumPy's copy. The last lines are the ratio of
ngb to the best library, and the largest difference of two repeats. OpenBLAS chooses its code and its blocks itself: variables that
override it are removed. `--quick` is one repeat of two rounds.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import attributed

LIBRARIES = """
import json, sys, time
import numpy, torch
threads = int(sys.argv[1])
torch.set_num_threads(threads)
torch.set_float32_matmul_precision("highest")

def best(call, seconds=1.5):
    call()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2]

told = {"openblas": 0, "torch": 0}
for extent in (512, 1024, 2048):
    a, b = numpy.random.rand(2, extent, extent).astype(numpy.float32)
    made = numpy.empty_like(a)
    told["openblas"] = max(told["openblas"], extent ** 3 / best(lambda: numpy.matmul(a, b, out=made)))
    x, y, z = torch.from_numpy(a), torch.from_numpy(b), torch.from_numpy(made)
    told["torch"] = max(told["torch"], extent ** 3 / best(lambda: torch.mm(x, y, out=z)))
source = numpy.ones(1 << 26, numpy.float32)
target = numpy.zeros_like(source)
told["copy"] = 2 * source.nbytes / best(lambda: numpy.copyto(target, source))
x, y = torch.from_numpy(source), torch.from_numpy(target)
told["torch_copy"] = 2 * source.nbytes / best(lambda: y.copy_(x))
print(json.dumps(told))
"""


def of_libraries(python, site, threads):
    """Returns the rates of the libraries on as many processors as there are threads."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    environment |= {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads), "PYTHONPATH": site}
    processors = sorted(os.sched_getaffinity(0))[:threads]
    done = subprocess.run([python, "-c", LIBRARIES, str(threads)], env=environment, capture_output=True, text=True, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, processors))
    return json.loads(done.stdout)


def of_ngb(ngb, threads, rounds):
    with tempfile.TemporaryDirectory(prefix="ngb-peak-") as folder:
        done = subprocess.run([ngb, "calibrate", "--peak", "--threads", str(threads), "--rounds", str(rounds), "--format", "json",
                               "-o", folder], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    peak, = (each for each in json.loads(done.stdout)["peaks"] if each["threads"] == threads and each["compute_device"] == "cpu")
    return peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    source = pathlib.Path(__file__).resolve().parents[3]
    toolchain = attributed.toolchain_of(str(source), str(given.ngb.resolve().parents[1]), "identity")
    if toolchain is None:
        sys.exit("peak.py needs the toolchain identity: ngb toolchain install identity")
    repeats, rounds = (1, 2) if given.quick else (given.repeats, given.rounds)
    products, copies, ratios, moved = [], [], [], []
    print("product, 10^9 multiply-adds/s: ngb (by), OpenBLAS, torch.mm; GB/s: ngb's copy, triad; NumPy's copy, torch's copy")
    for _ in range(repeats):
        peak = of_ngb(given.ngb, given.threads, rounds)
        told = of_libraries(*toolchain, given.threads)
        products.append(peak["macs_per_s"]["value"])
        copies.append(max(peak["copy_bytes_per_s"]["value"], peak["triad_bytes_per_s"]["value"]))
        ratios.append(products[-1] / max(told["openblas"], told["torch"]))
        moved.append(copies[-1] / max(told["copy"], told["torch_copy"]))
        print(f"{products[-1] / 1e9:.1f} ({peak['product']}), {told['openblas'] / 1e9:.1f}, {told['torch'] / 1e9:.1f}; "
              f"{peak['copy_bytes_per_s']['value'] / 1e9:.2f}, {peak['triad_bytes_per_s']['value'] / 1e9:.2f}; "
              f"{told['copy'] / 1e9:.2f}, {told['torch_copy'] / 1e9:.2f}", flush=True)
    print(f"ngb / best library: product {statistics.median(ratios):.3f}, bytes {statistics.median(moved):.3f}")
    if repeats > 1:
        print(f"largest difference of two repeats: product {100 * (max(products) / min(products) - 1):.1f} %, "
              f"bytes {100 * (max(copies) / min(copies) - 1):.1f} %")


if __name__ == "__main__":
    main()
