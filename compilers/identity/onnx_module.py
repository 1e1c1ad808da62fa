# SPDX-License-Identifier: Apache-2.0
"""An ONNX graph as a PyTorch module, a torch.fx graph. A node becomes the module of onnx2torch's converter, which is
one of PyTorch's usual ones (Conv2d, Linear, …). If onnx2torch has no converter, or none for this form, or a wrong one,
the node becomes an operator of the folder operators. onnx2torch's own builder of graphs is not used, because it knows
neither several outputs nor graphs within nodes."""
import inspect
from operator import getitem

import numpy
import onnx
import torch
from ngraphbench import onnx_functions
from ngraphbench.adaptor import CompilerError
from ngraphbench.onnx_file import STANDARD_DOMAINS, opset_of
from onnx import defs, numpy_helper
from onnx2torch.node_converters import get_converter
from onnx2torch.onnx_graph import OnnxGraph
from onnx2torch.onnx_node import OnnxNode

from . import recurrent_modules  # noqa: F401
from .operators import EMULATED, OPERATORS
from .operators.node import Node, key_of, to_tensor

# onnx2torch's results differ from the standard's: CumSum begins at the end, Flatten fails at the outer axes, IsInf
# ignores its attributes, NonZero is transposed, Resize ignores the coordinates, ScatterND keeps the indices with which it
# was traced, TopK orders equal elements by chance.
_WRONG = ("CumSum", "Flatten", "GatherElements", "GatherND", "IsInf", "NonMaxSuppression", "NonZero", "Range", "Resize",
          "ScatterND", "TopK", "Upsample")
_BY_RANK = ("AveragePool", "BatchNormalization", "GlobalAveragePool", "InstanceNormalization", "LayerNormalization",
            "MaxPool")  # onnx2torch takes an unknown rank for 0
_REAL = (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
_ONE_OUTPUT = ("BatchNormalization", "Dropout", "LayerNormalization", "MaxPool")  # onnx2torch has only the first


def convert(model) -> torch.fx.GraphModule:
    """Return the module. Raises CompilerError; unsupported_operator names all operators that have no equivalent."""
    model = onnx_functions.inline(model, lambda name: name in OPERATORS)
    try:
        model = onnx.shape_inference.infer_shapes(model)  # some of onnx2torch's converters use the shapes
    except Exception:  # a model above 2 GB, or one that its converters can do without
        pass
    versions = {each.domain: each.version for each in model.opset_import}
    versions[""] = opset_of(model)
    missing = sorted(_without_equivalent(model.graph, versions))
    if missing:
        raise CompilerError("unsupported_operator", f"no PyTorch equivalent of operator {', '.join(missing)}", ADVICE)
    return _Builder(model.graph, versions, {}).module()


ADVICE = "leave this model out for the compilers of PyTorch's family; the others are checked against another reference"


def _without_equivalent(graph, versions) -> set:
    missing = set()
    for node in graph.node:
        if key_of(node) not in OPERATORS and _converter(node, versions) is None:
            missing.add(key_of(node))
        for attribute in node.attribute:
            if attribute.HasField("g"):
                missing |= _without_equivalent(attribute.g, versions)
    return missing


def _converter(node, versions):
    """Return onnx2torch's converter of the node's operator, perhaps that of an older version of which the node uses
    nothing newer. None: it has none."""
    domain = "" if node.domain in STANDARD_DOMAINS else node.domain
    version = versions.get(domain, 1)
    while version > 0:
        try:
            schema = defs.get_schema(node.op_type, version, domain)
        except defs.SchemaError:
            return None
        is_expressible = len(node.input) <= schema.max_input and all(
            attribute.name in schema.attributes for attribute in node.attribute)
        if not is_expressible:
            return None
        try:
            return get_converter(node.op_type, schema.since_version, domain)
        except NotImplementedError:
            version = schema.since_version - 1
    return None


class _Operator(torch.nn.Module):
    """One operator of the folder operators. `numbers` are its operands that are constants, by place."""

    def __init__(self, node, numbers, bodies):
        super().__init__()
        self._node, self._operator, self._numbers = node, OPERATORS[node.key], numbers
        self.is_emulated = node.key in EMULATED
        for name, body in bodies.items():
            self.add_module(name, body)
            node.bodies[name] = body

    def forward(self, *operands):
        if self._numbers:
            operands = [self._numbers.get(place, operand) for place, operand in enumerate(operands)]
        made = self._operator(self._node, *operands)
        if isinstance(made, tuple):
            return made if self._node.outputs > 1 else made[0]
        return made


class _Body(torch.nn.Module):
    """A graph within a node. `captured` counts the values that it receives from around it, after its own inputs."""

    def __init__(self, module, names):
        super().__init__()
        self._module, self.names, self.captured = module, names, len(names)

    def forward(self, *operands):
        made = self._module(*operands)
        return made if isinstance(made, (tuple, list)) else (made,)


class _Builder:
    """Makes one graph's module. `outer` maps names of the graphs around it to None, or to the constants among them."""

    def __init__(self, graph, versions, outer):
        self._proto, self._versions, self._outer = graph, versions, outer
        self._graph, self._root = torch.fx.Graph(), torch.nn.Module()
        self._root.add_module("initializers", torch.nn.Module())
        self._known = {each.name: each for each in graph.initializer}  # constants, read when they are needed
        self._for_converters = OnnxGraph(graph)
        self._values, self._places, self.captured = {}, {}, []

    def module(self) -> torch.fx.GraphModule:
        inputs = [slot.name for slot in self._proto.input if slot.name not in self._known]
        for number, name in enumerate(inputs, 1):
            self._values[name] = self._graph.placeholder(f"input_{number}")
        self._last_input = self._values[inputs[-1]] if inputs else None
        for proto in self._proto.node:
            self._add(proto)
        outputs = [self._value(slot.name) for slot in self._proto.output]
        self._graph.output(outputs[0] if len(outputs) == 1 else tuple(outputs))
        self._graph.lint()
        return torch.fx.GraphModule(self._root, self._graph)

    def _value(self, name: str):
        """Return the fx node that holds a value."""
        if not name:
            return None
        if name in self._values:
            return self._values[name]
        if name in self._known:
            return self._constant(name)
        if name not in self._outer:
            raise CompilerError("invalid_model", f'a node needs "{name}", which no earlier node makes',
                                "check the file with onnx.checker")
        self.captured.append(name)
        with self._graph.inserting_after(self._last_input) if self._last_input else self._graph.inserting_before():
            self._values[name] = self._last_input = self._graph.placeholder(f"captured_{len(self.captured)}")
        return self._values[name]

    def _constant(self, name: str):
        attribute = f"onnx_initializer_{len(list(self._root.initializers.buffers()))}"
        self._root.initializers.register_buffer(attribute, to_tensor(self._known[name]))
        self._values[name] = self._graph.get_attr(f"initializers.{attribute}")
        return self._values[name]

    def _add(self, proto) -> None:
        if proto.op_type == "Constant" and proto.domain in STANDARD_DOMAINS:
            tensor = _tensor_of(proto)
            if tensor is not None:
                self._known[proto.output[0]] = tensor
                self._for_converters._initializers[proto.output[0]] = _OnnxTensor(tensor)
                return
        name = self._unique(proto)
        module, operands = self._by_converter(proto, name) or self._own(proto)
        module.onnx_node, module.onnx_type = proto.name, proto.op_type
        self._root.add_module(name, module)
        arguments, named = self._arguments(module, operands)
        made = self._graph.call_module(name, arguments, named)
        if len(proto.output) == 1:
            self._values[proto.output[0]] = made
        else:
            for place, output in enumerate(proto.output):
                if output:
                    self._values[output] = self._graph.call_function(getitem, (made, place))

    def _unique(self, proto) -> str:
        """Return a name of the module as onnx2torch gives it, which no other has."""
        name = (f"{proto.domain}/".lstrip("/") + (proto.name or proto.op_type)).replace(".", "/")
        count = self._places.setdefault(name, 0)
        self._places[name] += 1
        unique = f"{name}_{count}" if count else name
        while hasattr(self._root, unique):
            unique += "_"
        return unique

    def _by_converter(self, proto, name):
        """Return onnx2torch's module and the names of its operands. None: this node is not onnx2torch's."""
        own = key_of(proto) in OPERATORS
        if own and self._is_wrong(proto):
            return None
        converter = _converter(proto, self._versions)
        if converter is None:
            return None
        try:
            module, mapping = converter(OnnxNode(proto, name), self._for_converters)
        except Exception:  # onnx2torch raises many types
            if own:
                return None
            raise
        return module, list(mapping.inputs)

    def _is_wrong(self, proto) -> bool:
        """Return whether onnx2torch's module would compute something else than the standard, or fail when it runs."""
        kind, given = proto.op_type, {each.name: onnx.helper.get_attribute_value(each) for each in proto.attribute}
        if kind in _ONE_OUTPUT and len(proto.output) > 1:
            return True
        if kind in _BY_RANK and not self._has_rank(proto.input[0]):
            return True
        if kind == "Split":  # one output would be a tuple
            return len(proto.output) == 1
        if kind == "Pad":  # only some ranks have the other modes
            return given.get("mode", b"constant") != b"constant"
        if kind in ("AveragePool", "MaxPool"):
            is_wide = any(2 * pad > size for pad, size in zip(given.get("pads", ()), 2 * given["kernel_shape"]))
            return is_wide or (kind == "AveragePool" and bool(set(given) & {"dilations", "ceil_mode"}))
        if kind == "Shape":
            return "start" in given or "end" in given
        if kind == "Pow":  # its result would have the exponent's type
            return self._type_of(proto.input[0]) in (None, onnx.TensorProto.INT32, onnx.TensorProto.INT64)
        if kind.startswith("Reduce"):  # integers would become PyTorch's 64-bit sums, or be refused
            return self._type_of(proto.input[0]) not in _REAL
        return kind in _WRONG

    def _type_of(self, name: str):
        """Return ONNX's element type of a value. None: it is not known."""
        slot = self._for_converters.value_info.get(name)
        return None if slot is None else slot.type.tensor_type.elem_type

    def _has_rank(self, name: str) -> bool:
        slot = self._for_converters.value_info.get(name)
        return slot is not None and slot.type.tensor_type.HasField("shape")

    def _own(self, proto):
        operator, operands = OPERATORS[key_of(proto)], list(proto.input)
        numbers = {}
        for place in getattr(operator, "takes_numbers", ()):
            name = operands[place] if place < len(operands) else ""
            constant = self._known.get(name) if name not in self._values else None
            if constant is not None:
                numbers[place], operands[place] = numpy_helper.to_array(constant).reshape(-1).tolist(), ""
        bodies = {each.name: self._body(each.g) for each in proto.attribute if each.HasField("g")}
        order = ("then_branch", "else_branch", "body")
        for name in sorted(bodies, key=order.index):
            operands += bodies[name].names
        return _Operator(Node(proto, self._versions[""]), numbers, bodies), operands

    def _body(self, graph) -> _Body:
        around = {**self._outer, **dict.fromkeys(self._known), **dict.fromkeys(self._values)}
        builder = _Builder(graph, self._versions, around)
        return _Body(builder.module(), builder.captured)

    def _arguments(self, module, operands):
        """Return arguments by position, and by name behind one that is left out of onnx2torch's module."""
        values = [self._value(name) for name in operands]
        if isinstance(module, _Operator) or None not in values:
            return tuple(values), {}
        first = values.index(None)
        names = list(inspect.signature(module.forward).parameters)[first:len(values)]
        return tuple(values[:first]), {name: value for name, value in zip(names, values[first:]) if value is not None}


class _OnnxTensor:
    """A constant as onnx2torch's converters read it."""

    def __init__(self, proto):
        self.proto, self.name = proto, proto.name

    def to_numpy(self):
        return numpy_helper.to_array(self.proto)

    def to_torch(self):
        return to_tensor(self.proto)


def _tensor_of(proto):
    """Return the tensor of a Constant. None: it holds text or is sparse."""
    (attribute,) = proto.attribute
    if attribute.name == "value":
        return attribute.t
    kinds = {"value_int": "int64", "value_ints": "int64", "value_float": "float32", "value_floats": "float32"}
    if attribute.name not in kinds:
        return None
    value = onnx.helper.get_attribute_value(attribute)
    return numpy_helper.from_array(numpy.array(value, kinds[attribute.name]), proto.output[0])
