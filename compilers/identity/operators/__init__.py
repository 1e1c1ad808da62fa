# SPDX-License-Identifier: Apache-2.0
"""ONNX operators as functions of a node and tensors, one file for each family. An operand that is left out is None; an
operator with several outputs returns a tuple."""
from . import (contributed, contributed_attention, contributed_quantized, control, elementwise, geometric, moving,
               normalization, quantized, recurrent, reduction, signal, window)

OPERATORS = {name: operator for family in (contributed, contributed_attention, contributed_quantized, control,
                                           elementwise, geometric, moving, normalization, quantized, recurrent,
                                           reduction, signal, window)
             for name, operator in family.OPERATORS.items()}
# PyTorch has none of these. They are computed for the right value alone: in f64 or f32 where a kernel uses integers of 8 or
# 4 bits, or step by step in Python. Their time is no speed of PyTorch.
EMULATED = {*quantized.OPERATORS, *contributed_quantized.OPERATORS, *recurrent.OPERATORS, "Loop", "Scan"}
