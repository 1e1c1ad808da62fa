# SPDX-License-Identifier: Apache-2.0
"""Writes what pnnx reads rightly in one form only, and refuses what it reads as something else."""
import math

import numpy as np
from onnx import helper, numpy_helper

from ngraphbench import onnx_constants, onnx_file
from ngraphbench.adaptor import CompilerError

_NEWEST_FORMAT = 10  # of ONNX files that the onnxruntime within pnnx reads
_DEFAULTS = {"Pad": {"mode": "constant"}}  # attributes that pnnx looks for
_LARGEST_POWER = 4  # of those that are written as products
_PAIRWISE = ("Max", "Min", "Sum")  # pnnx takes two operands of them


def write(model) -> None:
    """Change the onnx.ModelProto. Raises CompilerError with the operator's name."""
    model.ir_version = min(model.ir_version, _NEWEST_FORMAT)
    shapes, nodes = onnx_constants.shapes_of(model), []
    for node in model.graph.node:
        if node.domain in onnx_file.STANDARD_DOMAINS:
            _refuse_misread(node, model.graph, shapes)
        given = {attribute.name for attribute in node.attribute}
        node.attribute.extend(helper.make_attribute(name, value) for name, value in _DEFAULTS.get(node.op_type, {}).items()
                              if name not in given)
        if node.op_type == "Pad":
            _pad_finitely(node, model.graph)
        if node.op_type == "InstanceNormalization":
            _of_groups(node, model.graph, nodes, shapes)
        if node.op_type in ("Reshape", "Unsqueeze") and shapes.get(node.input[0], [])[:-1] == [1]:
            nodes += _after_product(node, model.graph, nodes, shapes)
        elif node.op_type == "Pow":
            nodes += _power(node, model.graph, nodes)
        elif node.op_type in _PAIRWISE:
            nodes += _pairs(node)
        elif node.op_type.startswith("Reduce") and len(node.input) == 2:
            nodes += _along_two(node, model.graph, shapes)
        else:
            nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _after_product(node, graph, nodes, shapes) -> list:
    """A product of one row that gets more axes is written with three: pnnx may join it to an attention, whose query ncnn takes for
    another one if it has one axis, as rows have without that of samples."""
    product = next((each for each in nodes if node.input[0] in each.output), None)
    users = [each for each in graph.node if node.input[0] in each.input]
    is_output = any(output.name == node.input[0] for output in graph.output)
    given = {each.name: helper.get_attribute_value(each) for each in product.attribute} if product is not None else {}
    weights = _value(graph, product.input[1]) if product is not None and product.op_type == "Gemm" else None
    is_plain = not given.get("transA") and given.get("alpha", 1) == given.get("beta", 1) == 1
    if weights is None or not is_plain or is_output or len(users) > 1 or len(shapes.get(node.output[0], [])) < 3:
        return [node]
    out, weights = node.output[0], weights.T if given.get("transB") else weights
    for what, value in (("weights", np.ascontiguousarray(weights)), ("row", np.array([1, 1, len(weights)])),
                        ("kept", np.array(shapes[out]))):
        graph.initializer.append(numpy_helper.from_array(value, f"{out}/{what}"))
    nodes.remove(product)
    made = [helper.make_node("Reshape", [product.input[0], f"{out}/row"], [f"{out}/of_row"]),
            helper.make_node("MatMul", [f"{out}/of_row", f"{out}/weights"], [f"{out}/product"], product.name)]
    if len(product.input) > 2:
        made.append(helper.make_node("Add", [f"{out}/product", product.input[2]], [f"{out}/sum"]))
    return [*made, helper.make_node("Reshape", [made[-1].output[0], f"{out}/kept"], [out], node.name)]


def _pairs(node) -> list:
    if len(node.input) == 1:
        return [helper.make_node("Identity", node.input, node.output, node.name)]
    made, left = [], node.input[0]
    for place, right in enumerate(node.input[1:-1]):
        name = f"{node.output[0]}/of_{place + 2}"
        made.append(helper.make_node(node.op_type, [left, right], [name]))
        left = name
    return [*made, helper.make_node(node.op_type, [left, node.input[-1]], node.output, node.name)]


def _along_two(node, graph, shapes) -> list:
    """pnnx drops the axes if they are an operand of one number, not if it has two: an axis of one element is added. The
    other axes are joined before and behind them, because ncnn has four."""
    given, axes = shapes.get(node.input[0]), _value(graph, node.input[1])
    if given is None or axes is None or axes.size != 1 or node.output[0] not in shapes:
        return [node]
    axis, out = int(axes.ravel()[0]) % len(given), node.output[0]
    if node.op_type in ("ReduceMax", "ReduceMin"):
        return _pooled(node, graph, [1, math.prod(given[:axis]), given[axis], math.prod(given[axis + 1:])], shapes[out])
    more = {"shape": [math.prod(given[:axis]), given[axis], 1, math.prod(given[axis + 1:])], "axes": [1, 2],
            "kept": shapes[out]}
    for what, numbers in more.items():
        graph.initializer.append(numpy_helper.from_array(np.array(numbers, np.int64), f"{out}/{what}"))
    node.input[:], name = [f"{out}/with_one", f"{out}/axes"], node.input[0]
    node.output[0] = f"{out}/reduced"
    return [helper.make_node("Reshape", [name, f"{out}/shape"], [f"{out}/with_one"]), node,
            helper.make_node("Reshape", [f"{out}/reduced", f"{out}/kept"], [out])]


def _pooled(node, graph, shape, kept) -> list:
    """pnnx knows ReduceMax and ReduceMin only in forms of an older opset: they are pools of maxima along the third axis."""
    out, x = node.output[0], node.input[0]
    for what, numbers in (("shape", shape), ("kept", kept)):
        graph.initializer.append(numpy_helper.from_array(np.array(numbers, np.int64), f"{out}/{what}"))
    made = [helper.make_node("Reshape", [x, f"{out}/shape"], [f"{out}/image"]),
            helper.make_node("MaxPool", [f"{out}/image"], [f"{out}/most"], node.name, kernel_shape=[shape[2], 1], strides=[1, 1]),
            helper.make_node("Reshape", [f"{out}/most", f"{out}/kept"], [out])]
    if node.op_type == "ReduceMin":
        made[0].input[0] = f"{out}/opposite"
        made[2].output[0] = f"{out}/least"
        made = [helper.make_node("Neg", [x], [f"{out}/opposite"]), *made, helper.make_node("Neg", [f"{out}/least"], [out])]
    return made


def _power(node, graph, nodes) -> list:
    """ncnn's power is exp(y · log(x)), which is 2e38 where x is not positive: small exponents are written as products of roots."""
    base, name = node.input
    value = _value(graph, name)
    exponent = float(value.ravel()[0]) if value is not None and value.size == 1 else math.nan
    if exponent == 2:
        return [node]
    if exponent == -1:
        return [helper.make_node("Reciprocal", [base], node.output, node.name)]
    if 0 < exponent <= _LARGEST_POWER and exponent * 4 % 1 == 0:
        return _product(node, base, int(exponent * 4))
    source = next((each for each in nodes if base in each.output), None)
    low = _value(graph, source.input[1]) if source is not None and source.op_type == "Clip" and len(source.input) > 1 else None
    if low is None or low <= 0:
        _refuse("ncnn computes Pow of what is not positive as 2e38, for exponents other than -1 and multiples of 1/4 "
                "up to 4")
    return [node]


def _product(node, base: str, quarters: int) -> list:
    """x to the quarters / 4"""
    out, made = node.output[0], []

    def add(kind, *operands):
        made.append(helper.make_node(kind, operands, [f"{out}/{kind}_{len(made)}"]))
        return made[-1].output[0]

    powers = [base]  # x, √x, ⁴√x, as many as are needed
    while len(powers) < 3 and quarters % (8 >> len(powers)):
        powers.append(add("Sqrt", powers[-1]))
    factors = [power for place, power in enumerate(powers) if place and quarters & (4 >> place)]
    whole = quarters // 4
    if whole >= 2:
        square = add("Mul", base, base)
        factors += [square] * (whole // 2)
    if whole % 2:
        factors.append(base)
    product = factors[0]
    for factor in factors[1:]:
        product = add("Mul", product, factor)
    made.append(helper.make_node("Identity", [product], [out], node.name))
    return made


def _of_groups(node, graph, nodes, shapes) -> None:
    """pnnx sees a normalisation of groups of channels only where the reshape to these groups is written as [0, groups, -1]."""
    apart = next((each for each in nodes if node.input[0] in each.output), None)
    shape = shapes.get(node.input[0], [])
    if apart is None or apart.op_type != "Reshape" or len(shape) != 3 or shapes.get(apart.input[0], [0])[0] != shape[0]:
        return
    name = f"{apart.output[0]}/groups"
    graph.initializer.append(numpy_helper.from_array(np.array([0, shape[1], -1], np.int64), name))
    apart.input[1] = name
    del apart.attribute[:]


def _pad_finitely(node, graph) -> None:
    """ncnn's files hold no infinite number: what a pool of maxima is given around an image is the lowest number that is one."""
    value = _value(graph, node.input[2]) if len(node.input) > 2 else None
    if value is None or np.isfinite(value).all():
        return
    users = {each.op_type for each in graph.node if node.output[0] in each.input}
    if value.item() > 0 or users != {"MaxPool"}:
        _refuse(f"ncnn's files hold no infinite number, and Pad has {value.item()}")
    name = f"{node.output[0]}/lowest"
    graph.initializer.append(numpy_helper.from_array(np.array(np.finfo(np.float32).min), name))
    node.input[2] = name


def _value(graph, name: str):
    return next((numpy_helper.to_array(each) for each in graph.initializer if each.name == name), None)


def _refuse_misread(node, graph, shapes) -> None:
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    if node.op_type == "Shrink":
        _refuse("pnnx drops the limits of Shrink")
    if node.op_type == "Split" and len(shapes.get(node.input[0], [1, 1])) == 1:
        _refuse("ncnn crashes in Split of values with one axis")
    if node.op_type == "Resize" and attributes.get("mode", b"nearest") == b"nearest" and not _is_floor(node, attributes, graph):
        _refuse("pnnx takes the nearest pixel of Resize by rounding down, the model rounds otherwise")


def _is_floor(node, attributes, graph) -> bool:
    """Whether the nearest pixel is that of rounding down: said so, or the image becomes a whole number of times larger."""
    way = attributes.get("coordinate_transformation_mode", b"half_pixel"), attributes.get("nearest_mode", b"round_prefer_floor")
    if way == (b"asymmetric", b"floor"):
        return True
    scales = _value(graph, node.input[2]) if len(node.input) > 2 else None
    return scales is not None and scales.size > 0 and bool((scales >= 1).all() and (scales % 1 == 0).all())


def _refuse(what: str) -> None:
    raise CompilerError("unsupported_operator", what, "leave this model out for ncnn")
