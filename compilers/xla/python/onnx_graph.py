# SPDX-License-Identifier: Apache-2.0
"""An ONNX graph as a function of JAX arrays. What depends on no input is computed once, with numpy."""
import control
import elementwise
import normalization
import quantized
import recurrent
import reduction
import resizing
import sampling
import shaping
import signal_processing
import window
from ngraphbench import emulation, onnx_constants, onnx_file, onnx_functions
from ngraphbench.adaptor import CompilerError
from node import Node, is_known
from onnx import numpy_helper

OPERATORS = {name: operator for module in (elementwise, normalization, quantized, recurrent, reduction, resizing,
                                           sampling, shaping, signal_processing, window)
             for name, operator in module.OPERATORS.items()}


def _is_known_operator(name):
    return name in OPERATORS or name in control.OPERATORS or name == "Constant"


class Graph:
    """Refers to the model's initializers without copying them."""

    def __init__(self, model):
        model = onnx_functions.inline(model, _is_known_operator)
        self._graph = model.graph
        self._opset = onnx_file.opset_of(model)
        self._weights = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
        self.inputs = [each.name for each in model.graph.input if each.name not in self._weights]
        self.outputs = [each.name for each in model.graph.output]
        self._computed = {}  # operators of what a program computes, by their first output
        for proto in model.graph.node:
            self._refuse_unknown(proto)

    def __call__(self, *inputs):
        return self._run(self._graph, {**self._weights, **dict(zip(self.inputs, inputs))})

    def facts(self):
        """Return the fact `emulated` of the calls so far: XLA has no quantised operators, and no user has these."""
        kinds = list(self._computed.values())
        return emulation.fact([kind for kind in kinds if kind in quantized.OPERATORS], len(kinds))

    def _refuse_unknown(self, proto):
        if proto.domain in onnx_file.STANDARD_DOMAINS and _is_known_operator(proto.op_type):
            return
        name = f"{proto.domain}.{proto.op_type}" if proto.domain else proto.op_type
        raise CompilerError("unsupported_operator", f"xla has no translation of {name} to StableHLO",
                            "leave this model out for xla")

    def _run(self, graph, values):
        """Return the graph's outputs. `values` holds all names that its nodes may use, and receives their outputs."""
        for proto in graph.node:
            self._refuse_unknown(proto)
            try:
                operands = [values[name] if name else None for name in proto.input]
            except KeyError as missing:
                raise CompilerError("invalid_model", f"{proto.op_type} needs {missing}, which no earlier node makes",
                                    "check the file with onnx.checker") from None
            results = self._results(proto, operands, values)
            values.update((name, value) for name, value in zip(proto.output, results) if name)
        return [values[each.name] for each in graph.output]

    def _results(self, proto, operands, values):
        if proto.op_type in control.OPERATORS:
            return control.OPERATORS[proto.op_type](
                Node(proto, self._opset), lambda body, inputs: self._body(body, inputs, values), *operands)
        if all(operand is None or is_known(operand) for operand in operands):
            return onnx_constants.evaluate(proto, operands, self._opset)
        self._computed[proto.output[0]] = proto.op_type
        while operands and operands[-1] is None:
            operands.pop()
        result = OPERATORS[proto.op_type](Node(proto, self._opset), *operands)
        return result if isinstance(result, tuple) else (result,)

    def _body(self, body, inputs, values):
        """Return the outputs of a graph within a node, which uses `values` from around it."""
        weights = {each.name: numpy_helper.to_array(each) for each in body.initializer}
        given = {slot.name: value for slot, value in zip(body.input, inputs)}
        return self._run(body, {**values, **weights, **given})
