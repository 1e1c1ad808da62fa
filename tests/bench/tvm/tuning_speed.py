# SPDX-License-Identifier: Apache-2.0
"""Trials per minute of our tuning and of TVM's own script with the same settings, each in a process of its own.

    tuning_speed.py PYTHON SITE MODEL.onnx [--trials N] [--threads N] [--rounds N]

PYTHON and SITE: the tvm toolchain's interpreter and packages. A model with one kernel (ngb models write conv_block)
compares like with like: with several, and few trials, our rounds of tuning are smaller than TVM's. Each round both tune
from nothing, one after the other: who begins changes from round to round."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[3]
OURS = f'{SOURCE / "compilers/tvm/python"}:{SOURCE / "python"}'


def stock(module, target, folder, request):
    from tvm.s_tir import meta_schedule as ms

    ms.relax_integration.tune_relax(
        mod=module, params={}, target=target, work_dir=folder, max_trials_global=request["trials"],
        builder=ms.builder.LocalBuilder(max_workers=request["threads"], timeout_sec=120),
        runner=ms.runner.LocalRunner(
            timeout_sec=60, evaluator_config=ms.runner.EvaluatorConfig(number=1, repeat=3, min_repeat_ms=20)),
        cost_model="xgb", seed=request["seed"])


def ours(module, target, folder, request):
    import tuning

    tuning.tune(module, target, folder, request, print)


def seconds_of(which, path, trials, threads):
    import compile as compiler
    from ngraphbench import onnx_file

    request = {"trials": trials, "threads": threads, "seed": 0, "early_stop": 0}
    model = onnx_file.read(path)
    inputs = [{"name": slot.name, "dtype": "float32", "shape": [dim.dim_value for dim in slot.type.tensor_type.shape.dim]}
              for slot in model.graph.input]
    target = compiler.target_of(threads)
    module = compiler.prepare(compiler.import_model(model, inputs), target)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        {"stock": stock, "ours": ours}[which](module, target, folder, request)
        return time.monotonic() - begin


def trials_per_minute(which, arguments):
    """In a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{OURS}:{arguments.site}", "TVM_NUM_THREADS": str(arguments.threads),
                   "TVM_BIND_THREADS": "0"}
    command = [arguments.python, __file__, arguments.python, arguments.site, arguments.model, "--trials", arguments.trials,
               "--threads", arguments.threads, "--only", which]
    done = subprocess.run(list(map(str, command)), env=environment, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return arguments.trials / float(done.stdout.splitlines()[-1]) * 60


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("site")
    parser.add_argument("model")
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", choices=("ours", "stock"), help=argparse.SUPPRESS)  # seconds, in this process
    arguments = parser.parse_args()
    if arguments.only:
        print(seconds_of(arguments.only, arguments.model, arguments.trials, arguments.threads))
        return
    ratios = []
    for number in range(arguments.rounds):
        order = ("ours", "stock") if number % 2 == 0 else ("stock", "ours")
        rates = {which: trials_per_minute(which, arguments) for which in order}
        ratios.append(rates["ours"] / rates["stock"])
        print(f"{order[0]} first: ours {rates['ours']:.1f}, stock {rates['stock']:.1f} trials per minute, "
              f"ratio {ratios[-1]:.2f}", flush=True)
    print(f"ours / stock: median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
