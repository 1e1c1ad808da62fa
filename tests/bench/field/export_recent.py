# SPDX-License-Identifier: Apache-2.0
"""Each network of recent_modules.py by both of PyTorch's exporters, each written to a path by a function."""
import functools

import recent_modules
import torch


def example(kind, shape, values):
    shape = [2 if extent == "batch" else extent for extent in shape]
    return torch.randn(shape) if values is None else torch.randint(values[0], values[1] + 1, shape)


def export(make, is_traced, path):
    torch.manual_seed(1)
    inputs = recent_modules.INPUTS[make]
    examples = tuple(example(*each) for each in inputs.values())
    if is_traced:
        axes = {name: {0: "batch"} for name in (*inputs, "y")}
        torch.onnx.export(make().eval(), examples, str(path), input_names=list(inputs), output_names=["y"], dynamic_axes=axes,
                          dynamo=False, opset_version=20)
    else:
        shapes = {name: {0: torch.export.Dim("batch", min=1, max=64)} for name in inputs}
        torch.onnx.export(make().eval(), examples, dynamo=True, dynamic_shapes=shapes, input_names=list(inputs),
                          output_names=["y"]).save(path)


def writers():
    for make in recent_modules.INPUTS:
        for is_traced, word in ((True, "traced"), (False, "dynamo")):
            write = functools.partial(export, make, is_traced)
            write.__name__ = f"{make.__name__}_{word}"
            yield write


THIRD = tuple(writers())
