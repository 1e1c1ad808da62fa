# SPDX-License-Identifier: Apache-2.0
"""Notes how long the kernels of a program that Inductor has compiled take, by PyTorch's profiler. Under freezing, Inductor's
own record of which nodes a kernel stands for names wrong ones; what is used instead is the order of convolutions and
products, which Inductor keeps, if their number and the shapes of their weights are those of the ONNX file."""
import re

import torch
from ngraphbench.adaptor import CompilerError, Kernel

PROFILED = {"cpp.enable_kernel_profile": True}  # Inductor's configuration: kernels announce themselves to the profiler
_KERNEL = re.compile(r"(graph_\d+_)?(cpp_|triton_|extern_kernels|mkldnn::|mkl::|aten::|at::|aoti_torch_|onednn::)")
# Kernels of libraries. The name of a kernel that Inductor writes itself also has operators that are not in it.
_CONVOLUTION = re.compile(r"(\w+::|aoti_torch_)\w*convolution")
_PRODUCT = re.compile(r"(\w+::|aoti_torch_)\w*(linear|mm)(_|$)")
_BATCHED_PRODUCT = re.compile(r"(\w+::|aoti_torch_)\w*bmm(_|$)")
# Operators of which Inductor makes a kernel, and their names in its name.
_WRITTEN = ((re.compile(r".*max_pool2d"), "MaxPool"), (re.compile(r".*native_layer_norm"), "LayerNormalization"),
            (re.compile(r".*(_softmax|scaled_dot_product\w*attention_for_cpu$)"), "Softmax"))


class InductorTimes:
    """Kernels are timed from the construction until `stop`."""

    def __init__(self):
        self._profile = torch.autograd.profiler.profile(use_kineto=True, record_shapes=True)
        self._profile.__enter__()

    def stop(self):
        if self._profile is not None:
            self._profile.__exit__(None, None, None)
            self._events = outermost(self._profile.kineto_results.events())
            self._profile = None

    def kernels(self, inferences, graph):
        """Return the kernels of one inference. `graph` is the onnx.GraphProto, or None. Raises CompilerError."""
        count, rest = divmod(len(self._events), inferences)
        parts = [self._events[i * count:(i + 1) * count] for i in range(inferences)]
        names = [event.name() for event in self._events[:count]]
        if rest or any([event.name() for event in part] != names for part in parts):
            raise CompilerError("no_profile", "not every inference calls the same kernels in one order",
                                "leave this model out of the profile")
        if not names:
            raise CompilerError("no_profile", "this version of Inductor does not announce its kernels to the profiler")
        nodes = {} if graph is None else anchors(graph, parts[0])
        return [Kernel(name, sum(part[place].duration_ns() for part in parts) / inferences, _kind(name),
                       [nodes[place]] if place in nodes else [], (), "order" if place in nodes else "")
                for place, name in enumerate(names)]


def _kind(name):
    return re.sub(r"^graph_\d+_", "", name).partition("::")[2] or re.sub(r"_\d+$", "", re.sub(r"^graph_\d+_", "", name))


def outermost(events):
    """Return the events of kernels that are within no other kernel's, in their order."""
    found, end = [], 0
    kernels = [event for event in events if _KERNEL.match(event.name()) and not event.is_async()]
    for event in sorted(kernels, key=lambda each: (each.start_ns(), -each.duration_ns())):
        if event.start_ns() >= end:
            found.append(event)
            end = event.start_ns() + event.duration_ns()
    return found


def anchors(graph, events):
    """Return {place of an event: name of its node} for convolutions, products and a few others, each kind only if all of
    it agrees with the file in number, and convolutions in the shapes of their weights."""
    shapes = {each.name: tuple(each.dims) for each in graph.initializer}
    found = {}
    convolutions = [node for node in graph.node if node.op_type == "Conv"]
    places = [place for place, event in enumerate(events) if _CONVOLUTION.match(event.name())]
    if len(places) == len(convolutions) and all(
            _has(events[place], shapes.get(node.input[1])) for place, node in zip(places, convolutions)):
        found.update({place: node.name for place, node in zip(places, convolutions)})
    products = [node for node in graph.node if node.op_type in ("Gemm", "MatMul")]
    of_weights = [node for node in products if node.input[1] in shapes]
    of_values = [node for node in products if node.input[1] not in shapes]  # as attention has
    batched = [place for place, event in enumerate(events) if _BATCHED_PRODUCT.match(event.name())]
    places = [place for place, event in enumerate(events) if _PRODUCT.match(event.name())]
    if of_values:
        places = [place for place in places if place not in batched]
        if len(batched) == len(of_values):
            found.update({place: node.name for place, node in zip(batched, of_values)})
    if len(places) == len(of_weights):
        found.update({place: node.name for place, node in zip(places, of_weights)})
    for pattern, op_type in _WRITTEN:
        written = [node for node in graph.node if node.op_type == op_type]
        places = [place for place, event in enumerate(events) if pattern.match(event.name())]
        if len(places) == len(written) and not set(places) & set(found):
            found.update({place: node.name for place, node in zip(places, written)})
    return found


def _has(event, shape):
    """Return whether an operand has this shape. Weights that are packed keep the shape that they had."""
    return shape is None or tuple(shape) in [tuple(each) for each in event.shapes()]
