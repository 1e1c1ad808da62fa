# SPDX-License-Identifier: Apache-2.0
"""RNN, GRU and LSTM, step by step, because ONNX knows activations, peepholes, clipping and lengths that PyTorch's own
modules lack. Layers of the usual form are PyTorch's modules (recurrent_modules.py)."""
import torch
from ngraphbench import onnx_recurrent
from torch.nn import functional

ACTIVATIONS = {
    "Relu": lambda x, a, b: torch.relu(x), "Tanh": lambda x, a, b: torch.tanh(x),
    "Sigmoid": lambda x, a, b: torch.sigmoid(x), "Affine": lambda x, a, b: a * x + b,
    "LeakyRelu": lambda x, a, b: functional.leaky_relu(x, 0.01 if a is None else a),
    "ThresholdedRelu": lambda x, a, b: torch.where(x > (1.0 if a is None else a), x, 0),
    "ScaledTanh": lambda x, a, b: a * torch.tanh(b * x),
    "HardSigmoid": lambda x, a, b: torch.clamp((0.2 if a is None else a) * x + (0.5 if b is None else b), 0, 1),
    "Elu": lambda x, a, b: torch.where(x > 0, x, (1.0 if a is None else a) * torch.expm1(x)),
    "Softsign": lambda x, a, b: functional.softsign(x), "Softplus": lambda x, a, b: functional.softplus(x),
}


def _clipped(node):
    bound = node.attribute("clip")
    return (lambda x: x) if bound is None else (lambda x: torch.clamp(x, -bound, bound))


def _rnn_step(node, recurrence, biases, activations, peepholes):
    (f,), clip = activations, _clipped(node)

    def step(gates, state):
        return (f(clip(gates + state[0] @ recurrence.t() + biases)),)

    return step


def _gru_step(node, recurrence, biases, activations, peepholes):
    (f, g), clip = activations, _clipped(node)
    (r_z, r_r, r_h), (b_z, b_r, b_h) = recurrence.chunk(3), biases.chunk(3)
    is_after = node.attribute("linear_before_reset", 0)

    def step(gates, state):
        (hidden,), (z, r, h) = state, gates.chunk(3, -1)
        z = f(clip(z + hidden @ r_z.t() + b_z))
        r = f(clip(r + hidden @ r_r.t() + b_r))
        h = h + (r * (hidden @ r_h.t() + b_h) if is_after else (r * hidden) @ r_h.t() + b_h)
        return ((1 - z) * g(clip(h)) + z * hidden,)

    return step


def lstm_step(node, multiply, biases, activations, peepholes):
    """`multiply` returns the product of the hidden state and the recurrent weights."""
    (f, g, h), clip = activations, _clipped(node)
    p_i, p_o, p_f = (0, 0, 0) if peepholes is None else peepholes.chunk(3)
    is_coupled = node.attribute("input_forget", 0)

    def step(gates, state):
        hidden, cell = state
        i, o, forget, c = (gates + multiply(hidden) + biases).chunk(4, -1)
        i = f(clip(i + p_i * cell))
        forget = 1 - i if is_coupled else f(clip(forget + p_f * cell))
        cell = forget * cell + i * g(clip(c))
        return f(clip(o + p_o * cell)) * h(cell), cell

    return step


def _along(step, gates, state, lengths, is_reverse):
    """Return every step's output and the last state. Past its length a sequence keeps its state and has output 0."""
    outputs = []
    for time in reversed(range(gates.shape[0])) if is_reverse else range(gates.shape[0]):
        made = step(gates[time], state)
        if lengths is None:
            state = made
            outputs.append(state[0])
            continue
        is_inside = (time < lengths).reshape(-1, 1)
        state = tuple(torch.where(is_inside, new, old) for new, old in zip(made, state))
        outputs.append(torch.where(is_inside, made[0], 0))
    return torch.stack(outputs[::-1] if is_reverse else outputs), state


def recurrent_with(node, x, weights, states, operands, multiply, make_step):
    """Run a layer. `weights` are its directions, gates and hidden size, `operands` those after the weights.
    `multiply(x, direction)` returns the product with the weights of the inputs, `make_step(direction, biases,
    activations, peepholes)` the function of one step."""
    (directions, gate_count, hidden), (bias, lengths, *given) = weights, operands
    peepholes = given[states] if len(given) > states else None
    is_batch_first = bool(node.attribute("layout", 0))
    x = x.transpose(0, 1) if is_batch_first else x  # [time, batch, features]
    if bias is None:
        bias = torch.zeros(directions, 2 * gate_count * hidden, dtype=x.dtype, device=x.device)
    first = []
    for place in range(states):
        state = given[place] if place < len(given) else None
        if state is None:
            state = torch.zeros(directions, x.shape[1], hidden, dtype=x.dtype, device=x.device)
        elif is_batch_first:
            state = state.transpose(0, 1)
        first.append(state)
    activations = onnx_recurrent.activations(node, directions, ACTIVATIONS)
    how = node.attribute("direction", "forward")
    outputs, last = [], []
    for each in range(directions):
        of_input, of_state = bias[each].chunk(2)
        gates = multiply(x, each) + of_input
        step = make_step(each, of_state, activations[each], None if peepholes is None else peepholes[each])
        made, state = _along(step, gates, tuple(state[each] for state in first), lengths,
                             how == "reverse" or each == 1)
        outputs.append(made)
        last.append(state)
    y = torch.stack(outputs, 1)  # [time, direction, batch, hidden]
    ends = [torch.stack([state[place] for state in last]) for place in range(states)]
    if is_batch_first:
        y, ends = y.permute(2, 0, 1, 3), [end.transpose(0, 1) for end in ends]
    return (y, *ends)


def _recurrent(gate_count, make_step, states):
    def operator(node, x, weight, recurrence, bias=None, lengths=None, *given):
        directions, _, hidden = recurrence.shape
        return recurrent_with(node, x, (directions, gate_count, hidden), states, (bias, lengths, *given),
                              lambda x, each: torch.matmul(x, weight[each].t()),
                              lambda each, *rest: make_step(node, recurrence[each], *rest))

    return operator


def _usual_lstm_step(node, recurrence, *rest):
    return lstm_step(node, lambda hidden: hidden @ recurrence.t(), *rest)


OPERATORS = {"GRU": _recurrent(3, _gru_step, 1), "LSTM": _recurrent(4, _usual_lstm_step, 2),
             "RNN": _recurrent(1, _rnn_step, 1)}
