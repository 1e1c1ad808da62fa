# SPDX-License-Identifier: Apache-2.0
"""Compares what ngb measures of compiled files with a bare loop over the library's own Python package, in turns, on one thread.
Prints a Markdown table: both medians of repetitions of 0.1 s, and their ratio. Each library makes its file of the same small
network of convolutions. With --size 112 an inference takes half a millisecond, and a call from Python is up to a tenth of that.

    NGB_BIN=build/dev/bin python3 tests/bench/compiled_files.py [--rounds 5] [--repetitions 30] [--size 448] [--compilers openvino …]
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import compiled_files_test  # noqa: E402
import compiled_kinds_test  # noqa: E402
from export_test import installed, site  # noqa: E402
from ngb_program import BIN, TOOLCHAINS  # noqa: E402

MODULE = """
import torch
from torch import nn
torch.manual_seed(1)
layers = [each for a, b in ((3, 32), (32, 64), (64, 128)) for each in (nn.Conv2d(a, b, 3, 2, 1), nn.ReLU())]
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 1000)).eval()
x = torch.zeros(SHAPE)
"""
ONNX = MODULE + 'torch.onnx.export(net, (x,), "net.onnx", dynamo=False, input_names=["x"], output_names=["y"])\n'
LITERT = MODULE + 'import litert_torch\nlitert_torch.convert(net, (x,)).export("net.tflite")\n'
FILES = [("net.xml", "openvino", compiled_files_test.OPENVINO, ""), ("net.ort", "onnxruntime", compiled_files_test.ORT, ""),
         ("net.tflite", "litert", LITERT, ""), *compiled_kinds_test.KINDS]
# Each defines `infer` of the file "net…" for the array x.
BARE = {
    "openvino": """
import openvino as ov
request = ov.Core().compile_model("net.xml", "CPU", {"INFERENCE_NUM_THREADS": 1, "PERFORMANCE_HINT": "LATENCY",
                                                     "INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
request.set_input_tensor(ov.Tensor(x))
infer = request.infer""",
    "onnxruntime": """
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession("net.ort", options, providers=["CPUExecutionProvider"])
infer = lambda: session.run(None, {"x": x})""",
    "litert": """
from ai_edge_litert.interpreter import Interpreter
interpreter = Interpreter("net.tflite", num_threads=1)
interpreter.allocate_tensors()
interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
infer = interpreter.invoke""",
    "executorch": """
import torch
from executorch.runtime import Runtime
torch.set_num_threads(1)
from executorch.extension.pybindings import portable_lib
portable_lib._unsafe_reset_threadpool(1)
program = Runtime.get().load_program("net.pte")
method, inputs = program.load_method("forward"), [torch.from_numpy(x)]
infer = lambda: method.execute(inputs)""",
    "mnn": """
import MNN.expr as expr, MNN.nn
runtime = MNN.nn.create_runtime_manager(({"backend": "CPU", "numThread": 1, "precision": "high"},))
net = MNN.nn.load_module_from_file("net.mnn", [], [], runtime_manager=runtime)
value = expr.const(x, list(x.shape), expr.NCHW, expr.float)
infer = lambda: net.forward([value])[0].read()""",
    "ncnn": """
import ncnn
net = ncnn.Net()
net.opt.num_threads = 1
for name in dir(net.opt):
    if name.startswith(("use_fp16_", "use_bf16_")):
        setattr(net.opt, name, False)
net.opt.use_winograd63_convolution = False
net.load_param("ncnn.param")
net.load_model("ncnn.bin")
value = ncnn.Mat(x[0]).clone()
def infer():
    extractor = net.create_extractor()
    extractor.input("image", value)
    return extractor.extract("score")""",
    "iree": """
import iree.runtime as runtime
config = runtime.Config("local-sync")
module = runtime.load_vm_flatbuffer_file("net.vmfb", driver="local-sync")
function = next(getattr(module, name) for name in module.vm_module.function_names if "$" not in name and name != "__init")
value = runtime.asdevicearray(config.device, x)
infer = lambda: function(value)""",
    "aotinductor": """
import torch
torch.set_num_threads(1)
net, value = torch._inductor.aoti_load_package("net.pt2"), torch.from_numpy(x)
def infer():
    with torch.inference_mode():
        net(value)""",
    "torchscript": """
import torch
torch.set_num_threads(1)
net, value = torch.jit.load("net.pt").eval(), torch.from_numpy(x)
def infer():
    with torch.inference_mode():
        net(value)""",
}
LOOP = """
import os, statistics, sys, time
os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
import numpy
x = numpy.random.default_rng(1).standard_normal(SHAPE, numpy.float32)
%s
ends = time.perf_counter() + 0.5
while time.perf_counter() < ends:
    infer()
took = []
for _ in range(%d):
    count, begun = 0, time.perf_counter()
    while time.perf_counter() < begun + 0.1:
        infer()
        count += 1
    took.append((time.perf_counter() - begun) / count)
print("median", statistics.median(took))
"""


def python(compiler, program, folder):
    done = subprocess.run(["/usr/bin/python3", "-c", program], cwd=folder, capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([site(compiler), site("identity")]),
                               "HOME": str(folder), "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        raise RuntimeError(f"{compiler}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout


def by_ngb(folder, file, compiler, keys, repetitions, size):
    shaped = keys.replace("64]", f"3, {size}, {size}]").replace("{x:", "{input:")  # as Sequential calls it
    folder.joinpath("study.yaml").write_text(f"models: [{{file: {file}, {shaped}}}]\ncompilers: [{compiler}]\nthreads: 1\n"
                                             f"processes: 1\nrepetitions: {repetitions}\nmin_repetition_ms: 100\n"
                                             "disturbance: {max_wait_percent: 100}\n"
                                             "output: results\n")
    subprocess.run(["rm", "-rf", folder / "results"], check=True)
    environment = {**os.environ, "NGB_TOOLCHAINS": str(TOOLCHAINS)}
    subprocess.run([BIN / "ngb", "run", "study.yaml", "--no-report"], cwd=folder, env=environment, capture_output=True)
    shown = json.loads(subprocess.run([BIN / "ngb", "show", "results", "--json"], cwd=folder, env=environment,
                                      capture_output=True, text=True).stdout)
    return shown["cells"][0]["metrics"]["latency_p50_s"]["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=30, help="of 0.1 s each")
    parser.add_argument("--size", type=int, default=448, help="of the image, in pixels")
    parser.add_argument("--compilers", nargs="+", default=list(BARE), choices=BARE)
    given = parser.parse_args()
    shape = f"(1,3,{given.size},{given.size})"
    print("| file | compiler | ngb, ms | bare loop, ms | ngb / bare |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python("identity", ONNX.replace("SHAPE", shape), folder)
        for file, compiler, program, keys in FILES:
            if compiler not in given.compilers or not installed(compiler):
                continue
            made = program.replace(compiled_kinds_test.MODULE, MODULE).replace("SHAPE", shape).replace("[1,64]", f"[{shape[1:-1]}]")
            try:
                python(compiler, made.replace(" 0=64", f" 0={given.size} 1={given.size} 2=3"), folder)
                ours, bare = [], []
                for _ in range(given.rounds):
                    ours.append(by_ngb(folder, file, compiler, keys, given.repetitions, given.size))
                    said = python(compiler, LOOP.replace("SHAPE", shape) % (BARE[compiler], given.repetitions), folder)
                    bare.append(float(re.search(r"median (\S+)", said)[1]))
            except (RuntimeError, KeyError, IndexError, ValueError) as error:
                print(f"| {file} | {compiler} | {error} | | |", flush=True)
                continue
            a, b = statistics.median(ours), statistics.median(bare)
            print(f"| {file} | {compiler} | {1e3 * a:.4f} | {1e3 * b:.4f} | {a / b:.3f} |", flush=True)


if __name__ == "__main__":
    main()
