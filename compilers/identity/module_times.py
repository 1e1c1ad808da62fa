# SPDX-License-Identifier: Apache-2.0
"""Notes how long each call of a PyTorch module takes, without the modules that it calls, and which nodes of the ONNX file
a module stands for. PyTorch has hooks for all modules; while there are none, a call costs nothing more."""
from time import perf_counter_ns

import torch
from ngraphbench.adaptor import CompilerError, Kernel


class ModuleTimes:
    """From its construction until `stop`, all calls of `module` and of the modules in it are timed: on the CPU from when a
    call begins until it returns, on a GPU from when the GPU comes to a call's work until it is done with it."""

    def __init__(self, module, gpu=None):
        """`gpu` is the Gpu on which the module computes."""
        self._paths = {id(each): path for path, each in module.named_modules()}
        self._kinds = {path: getattr(each, "onnx_type", type(each).__name__) for path, each in module.named_modules()}
        self._between_ns = _difference if gpu is None else gpu.between_ns
        mark = perf_counter_ns if gpu is None else gpu.marker()
        self._calls, stack, paths = [], [], self._paths  # of each call: its module's path, (begin, end), those of calls in it
        calls = self._calls

        def before(each, _inputs):
            stack.append((mark(), []))

        def after(each, _inputs, _outputs):
            begin, within = stack.pop()
            span = begin, mark()
            calls.append((paths.get(id(each), ""), span, within))
            if stack:
                stack[-1][1].append(span)

        self._hooks = [torch.nn.modules.module.register_module_forward_pre_hook(before),
                       torch.nn.modules.module.register_module_forward_hook(after)]

    def stop(self):
        """End the timing. May be called more than once."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def kernels(self, inferences, modules):
        """Return a kernel for each call of a module, in the order in which they end. `modules` is a ModuleNodes. Raises
        CompilerError if not every inference called the same modules."""
        count, rest = divmod(len(self._calls), inferences)
        per_inference = [self._calls[i * count:(i + 1) * count] for i in range(inferences)]
        paths = [path for path, *_ in self._calls[:count]]
        if rest or any([path for path, *_ in each] != paths for each in per_inference):
            raise CompilerError("no_profile", "not every inference of this module calls the same modules in one order",
                                "leave this model out of the profile of PyTorch's eager mode")
        means = [sum(self._own_ns(*each[place][1:]) for each in per_inference) / inferences for place in range(count)]
        owned = modules.of_paths(paths)
        return [Kernel(path or "the whole module", ns, self._kinds.get(path, ""), owned.get(path, ()), (),
                       modules.found_by if path in owned else "")
                for path, ns in zip(paths, means) if path in owned or self._computes(path)]

    def _own_ns(self, span, within):
        return self._between_ns(*span) - sum(self._between_ns(*each) for each in within)

    def _computes(self, path):
        """Return whether a module that stands for no node may compute something. One that only calls others takes time as
        well, between operators."""
        is_container = any(other.startswith(path + "." if path else "") and other != path for other in self._kinds)
        return not is_container and self._kinds.get(path) != "Identity"


def _difference(begin_ns, end_ns):
    return end_ns - begin_ns


class ModuleNodes:
    """Which nodes of an ONNX file a module stands for. Without a file (`graph` is None) it is the module's own path."""

    def __init__(self, module, graph, names):
        """`names` are those of the graph's nodes."""
        # These modules were each made from a node of the file.
        self._made_from = {path: each.onnx_node for path, each in module.named_modules() if hasattr(each, "onnx_node")}
        self._names = None if graph is None else list(names)
        self._paths = {path for path, _ in module.named_modules()}
        self._normalizes = {}  # the normalisation behind a convolution
        if graph is not None:
            writers = {output: name for name, node in zip(names, graph.node) for output in node.output}
            self._normalizes = {writers[node.input[0]]: name for name, node in zip(names, graph.node)
                                if node.op_type == "BatchNormalization" and node.input[0] in writers}
        self.found_by = "node name" if self._made_from else "module path"

    def of_paths(self, paths):
        """Return {path: names of nodes} of the modules that are called."""
        if self._made_from:
            return {path: [node] for path, node in self._made_from.items() if node in self._names}
        if self._names is None:
            return {path: [path] for path in paths if path}
        return owned_nodes(paths, self._names)

    def of_program(self, path, weights):
        """Return the nodes of an operator, from the path of its module and the names of the weights that it uses."""
        owners = [self._owner(weight) for weight in weights]
        path = next((owner for owner in owners if owner), path)
        owned = list(self.of_paths(self._paths).get(path, ())) if path else []
        if any("fused_bn" in weight for weight in weights):
            owned += [self._normalizes[node] for node in owned if node in self._normalizes]
        return owned

    def _owner(self, weight):
        """Return the module that has a weight."""
        while weight and weight not in self._paths:
            weight = weight.rpartition(".")[0]
        return weight


def owned_nodes(paths, node_names):
    """Return {module path: names of the nodes that are its own}: those whose name is the path or continues it, and is
    that of no module within it. The built-in models name nodes so: layer1.0.conv1, blocks.0.mlp.fc1/product."""
    known, owned = set(paths), {}
    for name in node_names:
        owner = name
        while owner and owner not in known:
            owner = owner[:max(owner.rfind("."), owner.rfind("/"), 0)]
        if owner in known:
            owned.setdefault(owner, []).append(name)
    return owned
