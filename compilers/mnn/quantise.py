# SPDX-License-Identifier: Apache-2.0
"""Quantises weights by MNN's converter. Its calibration tool (`_tools.mnnquant` of MNN 3.6.1) aborts on samples that are not
images, so nothing is calibrated."""
import os

from ngraphbench import onnx_file

_BLOCK = 64  # weights of 4 bits that share a scale


def write(question, batches):
    """Write the file question["output"]."""
    from . import mnn_adaptor

    exact = os.path.join(question["scratch"], "fixed.onnx")
    _write_fixed(question, exact)
    inputs = [{"name": each["name"], "dtype": each["type"], "shape": each["shape"]} for each in question["inputs"]]
    flags = ["--weightQuantBits", str(question["bits"])]
    if question["bits"] < 8:
        flags += ["--weightQuantBlock", str(_BLOCK)]
    mnn_adaptor.convert(exact, inputs, question["output"], flags)


def _write_fixed(question, path):
    """Write the ONNX file with the shapes of this batch size."""
    import onnx

    model = onnx.load(question["exact"])
    shapes = {each["name"]: each["shape"] for each in question["inputs"]}
    for slot in onnx_file.inputs_of(model):
        for dim, extent in zip(slot.type.tensor_type.shape.dim, shapes[slot.name]):
            dim.dim_value = extent
    onnx.save(model, path)
