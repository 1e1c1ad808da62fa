# SPDX-License-Identifier: Apache-2.0
"""Which activations ONNX's RNN, GRU and LSTM name, for compilers that NGraphBench translates ONNX for."""
from typing import Callable, List, Mapping

USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"],
         "DynamicQuantizeLSTM": ["Sigmoid", "Tanh", "Tanh"]}
_WITH_ALPHA = ("Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu")
_WITH_BETA = ("Affine", "ScaledTanh", "HardSigmoid")


def activations(node, directions: int, known: Mapping[str, Callable]) -> List[List[Callable]]:
    """Return, for each direction, its activations as functions of an array. Those in `known` take the array, alpha and
    beta, which are None if the node gives none. `node` has op_type, attribute(name) and refusal(what)."""
    names = node.attribute("activations") or USUAL[node.op_type] * directions
    names = [name.decode() if isinstance(name, bytes) else name for name in names]
    alphas, betas = (list(node.attribute(f"activation_{which}") or []) for which in ("alpha", "beta"))
    made = []
    for name in names:
        if name not in known:
            raise node.refusal(f'activation "{name}"')
        alpha = alphas.pop(0) if alphas and name in _WITH_ALPHA else None
        beta = betas.pop(0) if betas and name in _WITH_BETA else None
        made.append(lambda x, own=known[name], a=alpha, b=beta: own(x, a, b))
    count = len(USUAL[node.op_type])
    return [made[direction * count:(direction + 1) * count] for direction in range(directions)]
