# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of ncnn: an extractor of the net that pnnx makes, as ncnn_adaptor.py runs it."""
import os

from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts, infer_with

from . import conversion
from .ncnn_adaptor import HELD_AS, Ncnn


def parts(cell) -> Parts:
    cell.require_f32()
    Ncnn.preload()
    settings, model = cell.for_adaptor("model.zip")
    Ncnn(settings).compile(model)
    layers, weights, axes = conversion.read(model.artifact_path)
    os.remove(model.artifact_path)
    if axes["samples"] > 1:
        raise CompilerError("unsupported_operator", "its batch is computed sample by sample, for which programs are not "
                                                    "written yet", "choose the cell of batch 1")
    for name, content in (("model.param", layers.encode()), ("model.bin", weights)):
        with open(os.path.join(cell.folder, name), "wb") as file:
            file.write(content)
    held = [HELD_AS[row["type"]] for row in cell.inputs]
    shapes = ", ".join(f"({tuple(row['shape'])}, {axis})" for row, axis in zip(cell.outputs, axes["outputs"]))
    lines = ["net = ncnn.Net()",
             f"net.opt.num_threads = {cell.threads}  # the default: every large core",
             "net.opt.use_vulkan_compute = False  # the default",
             "net.opt.use_winograd63_convolution = False  # the default: True, with 50 times the rounding errors",
             'for name in [each for each in dir(net.opt) if each.startswith(("use_fp16_", "use_bf16_", "use_int8_"))]:',
             "    setattr(net.opt, name, False)  # f32 stays f32; the defaults depend on the processor",
             "allocators = net.opt.blob_allocator, net.opt.workspace_allocator = ncnn.UnlockedPoolAllocator(), ncnn.PoolAllocator()",
             *(f"net.opt.{name} = {value!r}  # as the study sets it" for name, value in cell.settings.items()),
             'net.load_param(os.path.join(FOLDER, "model.param"))',
             'net.load_model(os.path.join(FOLDER, "model.bin"))',
             f"INPUTS, OUTPUTS = {list(zip(held, axes['inputs']))!r}, [{shapes}]",
             "",
             "def mats_of(values):",
             "    return [ncnn.Mat(np.ascontiguousarray(array.astype(word)), batch_index=axis).clone()",
             "            for array, (word, axis) in zip(values, INPUTS)]",
             "",
             "def run():",
             "    global results",
             "    extractor = net.create_extractor()",
             "    for i, mat in enumerate(mats):",
             '        extractor.input(f"in{i}", mat)',
             '    results = [extractor.extract(f"out{i}") for i in range(len(OUTPUTS))]',
             *infer_with("mats", "[mat.numpy(batch_index=axis).reshape(shape) "
                                 "for (_, mat), (shape, axis) in zip(results, OUTPUTS)]")]
    return Parts(imports="from importlib import metadata\nimport ncnn",
                 is_version=f'metadata.version("ncnn") == "{cell.version}"', session="\n".join(lines), file="model.param")
