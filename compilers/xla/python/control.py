# SPDX-License-Identifier: Apache-2.0
"""If, Loop and Scan. `run(body, inputs)` returns the outputs of a graph within the node."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from node import is_known

_UNROLLED = 64  # iterations that become copies of the body, in which what depends on their number only is known


def branch(node, run, condition):
    branches = [node.attribute(name) for name in ("then_branch", "else_branch")]
    if is_known(condition):
        return tuple(run(branches[0 if np.asarray(condition).reshape(-1)[0] else 1], []))

    def taken(body):
        return lambda: tuple(jnp.asarray(each) for each in run(body, []))

    kinds = [jax.eval_shape(taken(body)) for body in branches]
    if any((a.shape, a.dtype) != (b.shape, b.dtype) for a, b in zip(*kinds)):
        raise node.refusal("its condition is computed from the model's inputs, and its branches have different shapes")
    return lax.cond(jnp.asarray(condition).reshape(()), *map(taken, branches))


def loop(node, run, count=None, condition=None, *state):
    body = node.attribute("body")
    kept_count = len(body.output) - 1 - len(state)
    is_endless = count is None
    if not is_endless and is_known(count) and (condition is None or is_known(condition)):
        unrolled = _unrolled(node, run, body, int(np.asarray(count).reshape(-1)[0]), condition, state)
        if unrolled is not None:
            return unrolled
    if kept_count:
        raise node.refusal("the number of its iterations is computed from the model's inputs or above "
                           f"{_UNROLLED}, and outputs of each iteration are kept")
    return _while(run, body, count, condition, state)


def _unrolled(node, run, body, count, condition, state):
    """Return the loop's outputs. None: the condition is computed, or there are too many iterations."""
    if count > _UNROLLED:
        return None
    is_on, rows = np.bool_(True) if condition is None else np.asarray(condition).reshape(-1)[0], None
    for step in range(count):
        if not is_on:
            break
        results = run(body, [np.array(step, np.int64), np.asarray(is_on), *state])
        if not is_known(results[0]):
            return None
        is_on, made = np.asarray(results[0]).reshape(-1)[0], results[1:]
        state, new = made[:len(state)], made[len(state):]
        rows = rows or [[] for _ in new]
        for kept, row in zip(rows, new):
            kept.append(jnp.asarray(row))
    if rows is None and len(body.output) - 1 > len(state):
        raise node.refusal("a loop without an iteration, whose outputs have no known shape")
    return (*state, *(jnp.stack(row) for row in rows or []))


def _while(run, body, count, condition, state):
    most = jnp.asarray(jnp.iinfo(jnp.int64).max if count is None else count).reshape(()).astype(jnp.int64)
    first = (jnp.zeros((), jnp.int64), jnp.asarray(True if condition is None else condition).reshape(()),
             tuple(jnp.asarray(each) for each in state))

    def step(carried):
        number, is_on, values = carried
        results = run(body, [number, is_on, *values])
        made = tuple(jnp.asarray(new).astype(old.dtype) for new, old in zip(results[1:], values))
        return number + 1, jnp.asarray(results[0]).reshape(()), made

    return lax.while_loop(lambda carried: (carried[0] < most) & carried[1], step, first)[2]


def scan(node, run, *operands):
    if node.opset >= 9:
        return _scanned(node, run, operands)
    lengths, own = operands[0], operands[1:]
    if lengths is not None:
        raise node.refusal("lengths of sequences")
    parts = [_scanned(node, run, [each[batch] for each in own]) for batch in range(own[0].shape[0])]
    return tuple(jnp.stack(part) for part in zip(*parts))


def _scanned(node, run, operands):
    body, count = node.attribute("body"), node.attribute("num_scan_inputs")
    state = tuple(jnp.asarray(each) for each in operands[:-count])
    axes = node.attribute("scan_input_axes") or [0] * count
    backwards = node.attribute("scan_input_directions") or node.attribute("directions") or [0] * count
    rows = [jnp.moveaxis(jnp.flip(each, axis) if back else jnp.asarray(each), axis, 0)
            for each, axis, back in zip(operands[-count:], axes, backwards)]

    def step(carried, row):
        results = [jnp.asarray(each) for each in run(body, [*carried, *row])]
        made = tuple(new.astype(old.dtype) for new, old in zip(results, carried))
        return made, tuple(results[len(carried):])

    last, kept = lax.scan(step, state, tuple(rows))
    axes = node.attribute("scan_output_axes") or [0] * len(kept)
    backwards = node.attribute("scan_output_directions") or [0] * len(kept)
    return (*last, *(jnp.moveaxis(jnp.flip(row, 0) if back else row, 0, axis)
                     for row, axis, back in zip(kept, axes, backwards)))


OPERATORS = {"If": branch, "Loop": loop, "Scan": scan}
