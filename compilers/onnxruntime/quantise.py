# SPDX-License-Identifier: Apache-2.0
"""Quantises the weights of matrix products by onnxruntime's MatMulNBits quantiser; the file is ONNX with its operators."""
import onnx
from ngraphbench.adaptor import CompilerError

_BLOCK = 128  # weights that share a scale


def write(question, batches):
    """Write the file question["output"]."""
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    tool = MatMulNBitsQuantizer(onnx.load(question["exact"]), bits=question["bits"], block_size=_BLOCK, is_symmetric=True)
    tool.process()
    made = tool.model.model
    if not any(node.op_type == "MatMulNBits" for node in made.graph.node):
        raise CompilerError("unsupported_operator", "the model has no MatMul with constant weights",
                            "it leaves Gemm and Conv as they are: quantise it statically")
    onnx.save(made, question["output"])
