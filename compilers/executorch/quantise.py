# SPDX-License-Identifier: Apache-2.0
"""Quantises the identity's module for XNNPACK by torchao's export path (pt2e), and lowers it to ExecuTorch's file."""
import operator
import os
import sys

from ngraphbench import exporter_module, quantise
from ngraphbench.adaptor import CompilerError

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))


def write(question, batches):
    """Write the file question["output"]. `batches()` yields {input: array} to calibrate with."""
    import compile as compiling

    exporting = compiling.exporter().make(quantise.module_request(question))
    program = exporter_module.export(exporting, "executorch")
    compiling.write_out_tanh_gelu(program)
    import torch
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    is_static = question["how"] == "static"
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True, is_dynamic=not is_static))
    module = program.module()
    make_linear_layers(module)
    observed = prepare_pt2e(module, quantizer)
    if is_static:
        for batch in batches():
            observed(*(torch.from_numpy(batch[name]) for name in exporting.arguments))
    else:
        observed(*exporting.zeros)  # observes the weights
    quantised = torch.export.export(convert_pt2e(observed), tuple(exporting.zeros), strict=False)
    if not any("quantize" in str(node.target) for node in quantised.graph.nodes):
        raise CompilerError("unsupported_operator", "XNNPACK's quantiser finds nothing that it quantises in the model",
                            "it quantises linear layers, products with constant weights and convolutions; or use another tool")
    with open(question["output"], "wb") as file:
        compiling.lower(quantised, True)[0].write_to_file(file)


def make_linear_layers(module):
    """XNNPACK's quantiser knows a product with constant weights, as an ONNX file's MatMul is one, as a linear layer only."""
    import torch

    aten, graph = torch.ops.aten, module.graph
    for node in list(graph.nodes):
        if node.target is not aten.matmul.default or node.args[1].op != "get_attr":
            continue
        x, weight = node.args
        values = operator.attrgetter(weight.target)(module)
        if values.dim() != 2:
            continue
        name = f"{weight.target.replace('.', '_')}_of_{node.name}"
        module.register_buffer(name, values.detach().t().contiguous())
        with graph.inserting_before(node):
            transposed = graph.get_attr(name)
            transposed.meta["val"] = weight.meta["val"].t()
        node.target, node.args = aten.linear.default, (x, transposed)
    graph.eliminate_dead_code()
    module.recompile()
