# SPDX-License-Identifier: Apache-2.0
"""Notes how long each operator of a TorchScript program takes, by PyTorch's profiler, and which module it comes from, by
the scopes and the names of weights in the graph that was executed."""
import torch
from ngraphbench.adaptor import CompilerError, Kernel

_SCOPE = "__module."
_ALLOCATION = "aten::empty"
_BLOCKS = "the program has branches or loops, whose operators cannot be told apart"


class ProgramTimes:
    """Operators are timed from the construction until `stop`."""

    def __init__(self):
        self._profile = torch.autograd.profiler.profile(use_kineto=True)
        self._profile.__enter__()

    def stop(self):
        if self._profile is not None:
            self._profile.__exit__(None, None, None)
            self._events = [_Event(each) for each in self._profile.kineto_results.events() if not each.is_async()]
            self._profile = None

    def kernels(self, inferences, modules):
        """Return the kernels of one inference. `modules` is a ModuleNodes. Raises CompilerError."""
        inferences_events = _of_inferences(self._events)[-inferences:]
        if len(inferences_events) < inferences:
            raise CompilerError("no_profile", "PyTorch's profiler has not recorded every inference")
        nodes = _nodes(torch._C._last_executed_optimized_graph())
        times = [_times(nodes, events, end) for events, end in inferences_events]
        kernels = []
        for index, node in enumerate(nodes):
            groups = [each[index] for each in times]
            if None in groups:
                continue  # not an operator of its own
            members = max((group for _, group in groups), key=len)
            names = [name for each in members for name in modules.of_program(*_origin(each))]
            kernels.append(Kernel("+".join(each.kind() for each in members), sum(taken for taken, _ in groups) / inferences,
                                  node.kind().partition("::")[2], names, (), "module path" if names else ""))
        return kernels


class _Event:
    def __init__(self, event):
        self.name, self.begin, self.end = event.name(), event.start_ns(), event.start_ns() + event.duration_ns()


def _of_inferences(events):
    """Return [(events called by the program itself, end)] of each inference."""
    inferences, end, within = [], 0, 0
    for event in sorted(events, key=lambda each: (each.begin, -each.end)):
        if event.begin >= end:  # of nothing else
            if event.name == "forward":
                inferences.append(([], event.end))
            end = within = event.end
            within = event.begin
        elif inferences and event.end <= inferences[-1][1] and event.begin >= within:
            inferences[-1][0].append(event)
            within = event.end
    return inferences


def _nodes(graph):
    """Return the nodes that return a tensor, in the order of execution."""
    nodes = list(graph.nodes())
    if any(list(node.blocks()) for node in nodes):
        raise CompilerError("no_profile", _BLOCKS)
    idle = ("prim::Constant", "prim::GetAttr", "prim::ConstantMKLDNNTensor", "prim::BroadcastMKLDNNTensors")
    return [node for node in nodes if node.kind() not in idle
            and any(output.type().kind() == "TensorType" for output in node.outputs())]


def _times(nodes, events, end):
    """Return for each node (its time, [node]), with its neighbours if their times cannot be told apart. None: it calls no
    operator that is recorded, or belongs to the node before it."""
    names = {event.name for event in events}
    places, place = [], 0  # of the nodes' events
    for node in nodes:
        match = None
        if node.kind() in names and node.kind() != _ALLOCATION:
            match = next((i for i in range(place, len(events)) if events[i].name == node.kind()), None)
            if match is None:
                raise CompilerError("no_profile", f"PyTorch's profiler has not recorded every {node.kind()}")
            place = match + 1
        places.append(match)
    times = [None if match is None else (events[match].end - events[match].begin, [node])
             for match, node in zip(places, nodes)]
    unknown = [index for index, node in enumerate(nodes) if places[index] is None and node.kind().startswith("prim::")]
    while unknown:
        first = last = unknown.pop(0)
        while unknown and unknown[0] == last + 1:
            last = unknown.pop(0)
        before = next((place for place in reversed(places[:first]) if place is not None), -1)
        after = next((place for place in places[last:] if place is not None), len(events))
        limits = _limits(events, before, after, end, last - first + 1)
        times[first] = limits[-1] - limits[0], nodes[first:last + 1]
        if len(limits) == last - first + 2:
            times[first:last + 1] = [(limits[i + 1] - limits[i], [nodes[first + i]]) for i in range(last - first + 1)]
    return times


def _limits(events, before, after, end, count):
    """Return when each of `count` neighbours begins and the last one ends, of those that are not recorded themselves, such
    as convolutions of oneDNN. They took all time between the operators around them. Each begins with allocating its
    output; if there are other allocations, only the first begin and the last end are known."""
    allocations = [each.begin for each in events[before + 1:after] if each.name == _ALLOCATION]
    begin = events[before].end if before >= 0 else allocations[0] if allocations else events[0].begin
    between = allocations[1:] if len(allocations) == count else []
    return [begin, *between, events[after].begin if after < len(events) else end]


def _origin(node):
    """Return the path of the module that the operator was traced in, and the names of the weights that it uses. PyTorch
    makes a product and a sum of a linear module, and keeps only the sum's."""
    if node.kind() == "aten::matmul" and not _path(node) and not _weights(node):
        users = [use.user for use in node.output().uses()]
        if len(users) == 1 and users[0].kind() in ("aten::add", "aten::add_"):
            return _path(users[0]), _weights(users[0])
    return _path(node), _weights(node)


def _path(node):
    """Return the path of the module that the operator was traced in; "" for the outermost, or if it is unknown."""
    return node.scopeName().rpartition(_SCOPE)[2] if _SCOPE in node.scopeName() else ""


def _weights(node):
    """Return the names of the weights that the operator uses: self.layer1.0.conv1.weight_fused_bn."""
    return [each.debugName()[len("self."):] for each in node.inputs() if each.debugName().startswith("self.")]
