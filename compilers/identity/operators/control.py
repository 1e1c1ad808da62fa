# SPDX-License-Identifier: Apache-2.0
"""If, Loop and Scan. A body is a module; it receives its own inputs, then the values that it uses from around it."""
import torch


def _if(node, condition, *captured):
    """`captured` are the values that the branches use, those of then_branch first."""
    first, second = node.bodies["then_branch"], node.bodies["else_branch"]
    if bool(condition):
        return first(*captured[:first.captured])
    return second(*captured[first.captured:])


def _loop(node, count, condition, *operands):
    body = node.bodies["body"]
    state, captured = _parted(operands, body)
    rows, step, device = None, 0, state[0].device if state else None
    while (count is None or step < int(count)) and (condition is None or bool(condition)):
        is_on = torch.tensor(True, device=device) if condition is None else condition
        results = body(torch.tensor(step, device=device), is_on, *state, *captured)
        condition, made = results[0], results[1:]
        state, new = made[:len(state)], made[len(state):]
        rows = rows or [[] for _ in new]
        for kept, row in zip(rows, new):
            kept.append(row)
        step += 1
    if rows is None and node.outputs > len(state):
        raise node.refusal("a loop without an iteration, whose outputs have no known shape")
    return (*state, *(torch.stack(row) for row in rows or []))


def _parted(operands, body):
    """Split the operands: (own, captured)."""
    end = len(operands) - body.captured
    return operands[:end], operands[end:]


def _scan(node, *operands):
    body = node.bodies["body"]
    own, captured = _parted(operands, body)
    if node.opset < 9:
        lengths, own = own[0], own[1:]
        if lengths is not None:
            raise node.refusal("lengths of sequences")
        parts = [_scan_once(node, body, [each[batch] for each in own], captured) for batch in range(own[0].shape[0])]
        return tuple(torch.stack(part) for part in zip(*parts))
    return _scan_once(node, body, own, captured)


def _scan_once(node, body, own, captured):
    count = node.attribute("num_scan_inputs")
    state, sequences = list(own[:-count]), list(own[-count:])
    axes = node.attribute("scan_input_axes") or [0] * count
    backwards = node.attribute("scan_input_directions") or node.attribute("directions") or [0] * count
    rows = [(each.flip(axis) if back else each).unbind(axis) for each, axis, back in zip(sequences, axes, backwards)]
    kept = None
    for step in zip(*rows):
        results = body(*state, *step, *captured)
        state, new = list(results[:len(state)]), results[len(state):]
        kept = kept or [[] for _ in new]
        for row, value in zip(kept, new):
            row.append(value)
    if kept is None:
        raise node.refusal("a scan over nothing")
    axes = node.attribute("scan_output_axes") or [0] * len(kept)
    backwards = node.attribute("scan_output_directions") or [0] * len(kept)
    return (*state, *(torch.stack(row[::-1] if back else row, axis)
                      for row, axis, back in zip(kept, axes, backwards)))


OPERATORS = {"If": _if, "Loop": _loop, "Scan": _scan}
