# SPDX-License-Identifier: Apache-2.0
"""RNN, GRU and LSTM as a scan over time."""
import jax
import jax.numpy as jnp
from jax import lax
from ngraphbench import onnx_recurrent
from window import F32

_ACTIVATIONS = {
    "Relu": lambda x, a, b: jnp.maximum(x, 0), "Tanh": lambda x, a, b: jnp.tanh(x),
    "Sigmoid": lambda x, a, b: jax.nn.sigmoid(x), "Affine": lambda x, a, b: a * x + b,
    "LeakyRelu": lambda x, a, b: jnp.where(x >= 0, x, (0.01 if a is None else a) * x),
    "ThresholdedRelu": lambda x, a, b: jnp.where(x > (1.0 if a is None else a), x, 0),
    "ScaledTanh": lambda x, a, b: a * jnp.tanh(b * x),
    "HardSigmoid": lambda x, a, b: jnp.clip((0.2 if a is None else a) * x + (0.5 if b is None else b), 0, 1),
    "Elu": lambda x, a, b: jnp.where(x > 0, x, (1.0 if a is None else a) * jnp.expm1(x)),
    "Softsign": lambda x, a, b: jax.nn.soft_sign(x), "Softplus": lambda x, a, b: jax.nn.softplus(x),
}


def _clipped(node):
    bound = node.attribute("clip")
    return (lambda x: x) if bound is None else (lambda x: jnp.clip(x, -bound, bound))


def _by(hidden, recurrence):
    return jnp.matmul(hidden, recurrence.T, precision=F32)


def _rnn_step(node, recurrence, biases, activations, peepholes):
    (f,), clip = activations, _clipped(node)
    return lambda gates, state: (f(clip(gates + _by(state[0], recurrence) + biases)),)


def _gru_step(node, recurrence, biases, activations, peepholes):
    (f, g), clip = activations, _clipped(node)
    (r_z, r_r, r_h), (b_z, b_r, b_h) = jnp.split(recurrence, 3), jnp.split(biases, 3)
    is_after = node.attribute("linear_before_reset", 0)

    def step(gates, state):
        (hidden,), (z, r, h) = state, jnp.split(gates, 3, -1)
        z = f(clip(z + _by(hidden, r_z) + b_z))
        r = f(clip(r + _by(hidden, r_r) + b_r))
        h = h + (r * (_by(hidden, r_h) + b_h) if is_after else _by(r * hidden, r_h) + b_h)
        return ((1 - z) * g(clip(h)) + z * hidden,)

    return step


def _lstm_step(node, recurrence, biases, activations, peepholes):
    (f, g, h), clip = activations, _clipped(node)
    p_i, p_o, p_f = (0, 0, 0) if peepholes is None else jnp.split(peepholes, 3)
    is_coupled = node.attribute("input_forget", 0)

    def step(gates, state):
        hidden, cell = state
        i, o, forget, c = jnp.split(gates + _by(hidden, recurrence) + biases, 4, -1)
        i = f(clip(i + p_i * cell))
        forget = 1 - i if is_coupled else f(clip(forget + p_f * cell))
        cell = forget * cell + i * g(clip(c))
        return f(clip(o + p_o * cell)) * h(cell), cell

    return step


def _along(step, gates, state, lengths, is_reverse):
    """Return every step's output and the last state. Past its length a sequence keeps its state and has output 0."""
    def scanned(carried, at):
        time, row = at
        made = tuple(new.astype(old.dtype) for new, old in zip(step(row, carried), carried))
        if lengths is None:
            return made, made[0]
        is_inside = (time < lengths).reshape(-1, 1)
        return (tuple(jnp.where(is_inside, new, old) for new, old in zip(made, carried)),
                jnp.where(is_inside, made[0], 0))

    last, outputs = lax.scan(scanned, state, (jnp.arange(gates.shape[0]), gates), reverse=is_reverse)
    return outputs, last


def _recurrent(gate_count, make_step, states):
    def operator(node, x, weight, recurrence, bias=None, lengths=None, *given):
        x, weight, recurrence = jnp.asarray(x), jnp.asarray(weight), jnp.asarray(recurrence)
        peepholes = given[states] if len(given) > states else None
        is_batch_first = bool(node.attribute("layout", 0))
        x = jnp.swapaxes(x, 0, 1) if is_batch_first else x  # [time, batch, features]
        directions, hidden = recurrence.shape[0], recurrence.shape[2]
        bias = jnp.zeros((directions, 2 * gate_count * hidden), x.dtype) if bias is None else jnp.asarray(bias)
        first = []
        for place in range(states):
            state = given[place] if place < len(given) else None
            if state is None:
                state = jnp.zeros((directions, x.shape[1], hidden), x.dtype)
            elif is_batch_first:
                state = jnp.swapaxes(state, 0, 1)
            first.append(jnp.asarray(state))
        activations = onnx_recurrent.activations(node, directions, _ACTIVATIONS)
        how = node.attribute("direction", "forward")
        outputs, last = [], []
        for each in range(directions):
            of_input, of_state = jnp.split(bias[each], 2)
            gates = jnp.matmul(x, weight[each].T, precision=F32) + of_input
            step = make_step(node, recurrence[each], of_state, activations[each],
                             None if peepholes is None else jnp.asarray(peepholes)[each])
            made, state = _along(step, gates, tuple(state[each] for state in first), lengths,
                                 how == "reverse" or each == 1)
            outputs.append(made)
            last.append(state)
        y = jnp.stack(outputs, 1)  # [time, direction, batch, hidden]
        ends = [jnp.stack([state[place] for state in last]) for place in range(states)]
        if is_batch_first:
            y, ends = jnp.transpose(y, (2, 0, 1, 3)), [jnp.swapaxes(end, 0, 1) for end in ends]
        return (y, *ends)

    return operator


OPERATORS = {"GRU": _recurrent(3, _gru_step, 1), "LSTM": _recurrent(4, _lstm_step, 2),
             "RNN": _recurrent(1, _rnn_step, 1)}
