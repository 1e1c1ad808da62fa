# SPDX-License-Identifier: Apache-2.0
"""Converters of LSTM, GRU and RNN to PyTorch's own modules, for the forms that those have. Importing this file
registers them. Other forms run step by step (operators/recurrent.py)."""
import torch
from ngraphbench import onnx_recurrent
from onnx2torch.node_converters.registry import add_converter
from onnx2torch.utils.common import OnnxMapping, OnnxToTorchModule, OperationConverterResult, get_const_value

_GATES = {"RNN": (0,), "GRU": (1, 0, 2), "LSTM": (0, 2, 3, 1)}  # the place in ONNX of each of PyTorch's gates
_MODULES = {"RNN": torch.nn.RNN, "GRU": torch.nn.GRU, "LSTM": torch.nn.LSTM}


class Recurrent(torch.nn.Module, OnnxToTorchModule):
    """A layer of PyTorch's with ONNX's order of axes: [time, direction, batch, hidden] for the outputs of all steps."""

    def __init__(self, kind: str, weight, recurrence, bias, outputs: int):
        super().__init__()
        directions, rows, features = weight.shape
        hidden, self._directions = recurrence.shape[2], directions
        self._has_cell, self._outputs = kind == "LSTM", outputs
        self.layer = _MODULES[kind](features, hidden, bias=bias is not None, bidirectional=directions == 2)
        state = {}
        for each in range(directions):
            suffix = "_l0_reverse" if each else "_l0"
            state["weight_ih" + suffix] = _reordered(kind, weight[each])
            state["weight_hh" + suffix] = _reordered(kind, recurrence[each])
            if bias is not None:
                state["bias_ih" + suffix], state["bias_hh" + suffix] = (
                    _reordered(kind, part) for part in bias[each].chunk(2))
        self.layer.load_state_dict(state)

    def forward(self, x, hidden=None, cell=None):
        state = hidden
        if self._has_cell and (hidden is not None or cell is not None):
            given = hidden if hidden is not None else cell
            state = tuple(torch.zeros_like(given) if each is None else each for each in (hidden, cell))
        outputs, last = self.layer(x, state)
        time, batch, _ = outputs.shape
        outputs = outputs.reshape(time, batch, self._directions, -1).transpose(1, 2)
        ends = last if self._has_cell else (last,)
        return outputs if self._outputs == 1 else (outputs, *ends)


def _reordered(kind: str, rows):
    parts = rows.chunk(len(_GATES[kind]))
    return torch.cat([parts[place] for place in _GATES[kind]])


def _convert(node, graph):
    kind, inputs = node.operation_type, list(node.input_values) + [""] * 8
    attributes = node.attributes
    count = 2 if attributes.get("direction", "forward") == "bidirectional" else 1
    usual = onnx_recurrent.USUAL[kind] * count
    is_usual = (attributes.get("activations", usual) == usual
                and not set(attributes) & {"clip", "activation_alpha", "activation_beta"}
                and not attributes.get("layout", 0) and not attributes.get("input_forget", 0)
                and attributes.get("direction", "forward") != "reverse" and not inputs[4] and not inputs[7]
                and (kind != "GRU" or attributes.get("linear_before_reset", 0)))
    if not is_usual:
        raise NotImplementedError(f"this form of {kind}")
    weight, recurrence = get_const_value(inputs[1], graph), get_const_value(inputs[2], graph)
    bias = get_const_value(inputs[3], graph) if inputs[3] else None
    states = inputs[5:7] if kind == "LSTM" else inputs[5:6]
    while states and not states[-1]:
        states.pop()
    return OperationConverterResult(Recurrent(kind, weight, recurrence, bias, len(node.output_values)),
                                    OnnxMapping((inputs[0], *states), node.output_values))


for _kind in _MODULES:
    for _version in (7, 14, 22):
        try:
            add_converter(_kind, _version)(_convert)
        except ValueError:  # onnx2torch has it
            pass
