# SPDX-License-Identifier: Apache-2.0
"""Quantises the identity's module for XNNPACK by torchao's export path (pt2e), and lowers it to ExecuTorch's file."""
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
    observed = prepare_pt2e(program.module(), quantizer)
    if is_static:
        for batch in batches():
            observed(*(torch.from_numpy(batch[name]) for name in exporting.arguments))
    else:
        observed(*exporting.zeros)  # observes the weights
    quantised = torch.export.export(convert_pt2e(observed), tuple(exporting.zeros), strict=False)
    if not any("quantize" in str(node.target) for node in quantised.graph.nodes):
        raise CompilerError("unsupported_operator", "XNNPACK's quantiser finds nothing that it quantises in the model",
                            "a MatMul of an ONNX file is nothing for it, a Gemm and a convolution are; or use another tool")
    with open(question["output"], "wb") as file:
        compiling.lower(quantised, True)[0].write_to_file(file)
