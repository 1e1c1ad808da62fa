# SPDX-License-Identifier: Apache-2.0
"""A model in TVM, timed by TVM's time_evaluator. What compiles it is our own compile.py: the question is what running
it costs.

    time_evaluator.py MODEL.onnx THREADS REPETITIONS

Prints one line for each repetition: nanoseconds."""
import pathlib
import sys
import tempfile

import numpy
import tvm
from tvm import relax

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(SOURCE / "compilers/tvm/python"), str(SOURCE / "python")]
import compile as compiler  # noqa: E402
from ngraphbench import onnx_file  # noqa: E402


def main():
    path, (threads, repetitions) = sys.argv[1], map(int, sys.argv[2:])
    model = onnx_file.read(path)
    inputs = [{"name": slot.name, "dtype": "float32", "shape": [dim.dim_value for dim in slot.type.tensor_type.shape.dim]}
              for slot in model.graph.input]
    target = compiler.target_of(threads)
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/model.so"
        compiler.build(compiler.prepare(compiler.import_model(model, inputs), target), target, None, library)
        machine = relax.VirtualMachine(tvm.runtime.load_module(library), tvm.cpu())
    x = numpy.random.default_rng(1).uniform(-1, 1, inputs[0]["shape"]).astype("float32")
    machine.set_input("main", tvm.runtime.tensor(x))
    # Its own definition: one inference in each repeat, and one before them that does not count.
    result = machine.time_evaluator("invoke_stateful", tvm.cpu(), number=1, repeat=repetitions)("main")
    print(*(round(each * 1e9) for each in result.results), sep="\n")


if __name__ == "__main__":
    main()
