# SPDX-License-Identifier: Apache-2.0
"""Trials per minute of our tuning and of TVM's own script with the same settings, each in a process of its own.

usage: tuning_speed.py PYTHON SITE MODEL.onnx [TRIALS] [THREADS]
PYTHON and SITE: the tvm toolchain's interpreter and packages. A model with one kernel (ngb models write conv_block)
compares like with like: with several, and few trials, our rounds are smaller than TVM's."""
import os
import pathlib
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


def run(which, path, trials, threads):
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
        seconds = time.monotonic() - begin
    print(f"{which}: {trials} trials in {seconds:.0f} s, {trials / seconds * 60:.1f} per minute")


def main():
    python, site, model, trials, threads = (sys.argv[1:] + ["64", "1"])[:5]
    environment = {**os.environ, "PYTHONPATH": f"{OURS}:{site}", "TVM_NUM_THREADS": threads, "TVM_BIND_THREADS": "0"}
    for which in ("ours", "stock"):
        done = subprocess.run([python, __file__, "--run", which, model, trials, threads], env=environment, check=False,
                              capture_output=True, text=True)
        print(done.stdout.splitlines()[-1] if done.returncode == 0 else done.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main()
