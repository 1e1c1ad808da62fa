# SPDX-License-Identifier: Apache-2.0
"""Writes transposes of many axes with few. ncnn's values have four axes and a batch at the most, and exporters write windows of
an image as a reshape to six axes, a transpose, and a reshape. Axes of extent 1, and those that stay together, need not be
told apart: then four are enough, for one transpose or for some that follow each other."""
import collections
import functools
import itertools
import math
from typing import List, Optional, Sequence, Tuple

import numpy as np
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants

_PREFIX = "ngraphbench_low_rank_"
_MOST_AXES = 4
_MOST_MOVED = 6  # of axes; each more makes the search for steps some ten times longer


def write(model) -> None:
    """Change the onnx.ModelProto, whose shapes are known. Transposes that cannot be written with fewer axes stay."""
    graph = model.graph
    shapes = onnx_constants.shapes_of(model)
    nodes = []
    for node in graph.node:
        change = {"Transpose": _transposed, "Slice": _of_first_axis}.get(node.op_type)
        nodes += change(graph, node, shapes, len(nodes)) if change else [node]
    is_changed = _without_first_axis(graph, nodes, shapes)
    if len(nodes) == len(graph.node) and not is_changed:
        return
    _skip_reshapes(graph, nodes)
    del graph.node[:]
    graph.node.extend(onnx_constants.used(nodes, {output.name for output in graph.output}))


def merged(shape: Sequence[int], order: Sequence[int]) -> Tuple[List[int], List[int]]:
    """Return the shape and order of the same transpose with as few axes as possible. A first axis of extent 1 that stays is
    kept, because it may count samples."""
    is_kept = shape[0] == 1 and order[0] == 0
    moved = [axis for axis in order if shape[axis] != 1]
    runs = []  # of axes that follow each other before and after
    for axis in moved:
        if runs and all(shape[between] == 1 for between in range(runs[-1][-1] + 1, axis)) and axis > runs[-1][-1]:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    before = sorted(runs)
    extents = [int(np.prod([shape[axis] for axis in run], dtype=np.int64)) for run in before]
    places = [before.index(run) for run in runs]
    return ([1, *extents], [0, *(place + 1 for place in places)]) if is_kept else (extents, places)


def steps(shape: Sequence[int], order: Sequence[int]) -> List[Tuple[List[int], List[int]]]:
    """Return the fewest transposes that together are this one: the shape and the order of each. A transpose has four axes at the
    most, not counting a first axis of extent 1 that stays. Empty if too many axes move."""
    few, few_order = merged(shape, order)
    is_kept = int(few[:1] == [1])
    if len(few) - is_kept <= _MOST_AXES:
        return [(few, few_order)]
    if len(few) - is_kept > _MOST_MOVED:
        return []
    path = _arrangements(tuple(range(is_kept, len(few))), tuple(few_order[is_kept:]))
    return [merged([1] * is_kept + [few[axis] for axis in before], [0] * is_kept + [before.index(axis) + is_kept for axis in after])
            for before, after in zip(path, path[1:])]


@functools.lru_cache(maxsize=None)  # a net has the same windows in each block
def _arrangements(first: tuple, last: tuple) -> Tuple[tuple, ...]:
    """Return arrangements of axes from the first to the last; four runs of axes at the most change places from each to the next."""
    before, reached = {first: None}, [first]
    while last not in before:
        further = []
        for each in reached:
            for cuts in itertools.combinations(range(1, len(each)), _MOST_AXES - 1):
                runs = [each[begin:end] for begin, end in zip((0, *cuts), (*cuts, len(each)))]
                for order in itertools.permutations(runs):
                    moved = tuple(itertools.chain(*order))
                    if moved not in before:
                        before[moved] = each
                        further.append(moved)
        reached = further
    found = [last]
    while before[found[-1]] is not None:
        found.append(before[found[-1]])
    return tuple(found[::-1])


def _transposed(graph, node, shapes, index: int) -> list:
    shape = shapes.get(node.input[0])
    if shape is None or len(shape) <= _MOST_AXES or 0 in shape:
        return [node]
    order = next((list(each.ints) for each in node.attribute if each.name == "perm"), list(range(len(shape)))[::-1])
    made, given = [], node.input[0]
    for place, (few, few_order) in enumerate(steps(shape, order)):
        before, after = (f"{_PREFIX}{what}_{index}_{place}" for what in ("before", "after"))
        made += [helper.make_node("Reshape", [given, _constant(graph, before, few)], [before]),
                 helper.make_node("Transpose", [before], [after], f"{node.name}_{place}" if place else node.name, perm=few_order)]
        given = after
    if not made:
        return [node]
    return [*made, helper.make_node("Reshape", [given, _constant(graph, given, [shape[axis] for axis in order])], node.output)]


def _of_first_axis(graph, node, shapes, index: int) -> list:
    """Of several values that lie along the first axis one is taken along the second: pnnx may read the first as that of samples."""
    shape, kept = shapes.get(node.input[0], [1]), shapes.get(node.output[0], [0])
    begins, _, axes, strides = [*(_numbers(graph, name) for name in node.input[1:]), None, None, None, None][:4]
    if shape[0] == 1 or kept != [1, *shape[1:]] or begins is None or axes != [0] or strides not in (None, [1]):
        return [node]
    begin = max(begins[0] + shape[0], 0) if begins[0] < 0 else begins[0]
    given, taken = f"{_PREFIX}rows_{index}", f"{_PREFIX}row_{index}"
    numbers = [_constant(graph, f"{taken}_{what}", [value]) for what, value in (("begin", begin), ("end", begin + 1), ("axis", 1))]
    rows = _constant(graph, given, [1, shape[0], math.prod(shape[1:])])
    return [helper.make_node("Reshape", [node.input[0], rows], [given]),
            helper.make_node("Slice", [given, *numbers], [taken], node.name),
            helper.make_node("Reshape", [taken, _constant(graph, taken, kept)], node.output)]


def _numbers(graph, name: str) -> Optional[List[int]]:
    return next((numpy_helper.to_array(each).ravel().tolist() for each in graph.initializer if each.name == name), None)


def _without_first_axis(graph, nodes, shapes) -> bool:
    """A first axis of extent 1 of five is left out where only sums with constants lie between two reshapes, as in an attention with
    a mask for each window."""
    constants = {each.name: each for each in graph.initializer}
    users = collections.defaultdict(list)
    for node in nodes:
        for name in node.input:
            users[name].append(node)
    outputs, whole, is_changed = {output.name for output in graph.output}, _whole_shapes(graph, nodes), False
    for node in nodes:
        shape = shapes.get(node.output[0], [])
        if node.op_type != "Reshape" or len(shape) != _MOST_AXES + 1 or shape[0] != 1:
            continue
        sums = users[node.output[0]]
        ends = [user for each in sums for user in users[each.output[0]]]
        masks = [(each, place) for each in sums for place, name in enumerate(each.input) if name in constants]
        is_between = all(each.op_type == "Reshape" and each.input[1] in whole for each in ends) and len(masks) == len(sums)
        made = {node.output[0], *(each.output[0] for each in sums)}
        if {each.op_type for each in sums} != {"Add"} or not ends or not is_between or outputs & made:
            continue
        node.input[1] = _constant(graph, f"{_PREFIX}{node.output[0]}", shape[1:])
        for each, place in masks:
            value = numpy_helper.to_array(constants[each.input[place]])
            if value.ndim == len(shape):
                name = f"{_PREFIX}{each.output[0]}_mask"
                graph.initializer.append(numpy_helper.from_array(value[0], name))
                each.input[place] = name
        is_changed = True
    return is_changed


def _constant(graph, name: str, shape: Sequence[int]) -> str:
    graph.initializer.append(numpy_helper.from_array(np.asarray(shape, np.int64), f"{name}_shape"))
    return f"{name}_shape"


def _skip_reshapes(graph, nodes) -> None:
    """Of reshapes that follow each other the last one counts, unless an extent of it is 0, which is that of its operand."""
    whole, sources = _whole_shapes(graph, nodes), {}
    for node in nodes:
        if node.op_type == "Reshape":
            if node.input[1] in whole:
                node.input[0] = sources.get(node.input[0], node.input[0])
            sources[node.output[0]] = node.input[0]


def _whole_shapes(graph, nodes) -> set:
    """Return the names of constants that tell reshapes every extent but one at the most."""
    shapes = {node.input[1] for node in nodes if node.op_type == "Reshape"}
    return {each.name for each in graph.initializer if each.name in shapes and numpy_helper.to_array(each).all()}
