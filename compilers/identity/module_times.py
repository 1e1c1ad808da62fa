# SPDX-License-Identifier: Apache-2.0
"""Notes how long each call of a PyTorch module takes, without the modules that it calls, and which nodes of the ONNX file
a module stands for. PyTorch has hooks for all modules; while there are none, a call costs nothing more."""
from time import perf_counter_ns

import torch
from ngraphbench.adaptor import CompilerError, Kernel


class ModuleTimes:
    """From its construction until `stop`, all calls of `module` and of the modules in it are timed."""

    def __init__(self, module):
        self._paths = {id(each): path for path, each in module.named_modules()}
        self._kinds = {path: getattr(each, "onnx_type", type(each).__name__) for path, each in module.named_modules()}
        # Of modules that were made from a node of an ONNX file each.
        self._onnx_nodes = {path: each.onnx_node for path, each in module.named_modules() if hasattr(each, "onnx_node")}
        self._calls, stack, paths = [], [], self._paths
        calls = self._calls

        def before(each, _inputs):
            stack.append([perf_counter_ns(), 0])

        def after(each, _inputs, _outputs):
            begin, within = stack.pop()
            taken = perf_counter_ns() - begin
            calls.append((paths.get(id(each), ""), taken - within))
            if stack:
                stack[-1][1] += taken

        self._hooks = [torch.nn.modules.module.register_module_forward_pre_hook(before),
                       torch.nn.modules.module.register_module_forward_hook(after)]

    def stop(self):
        """End the timing. May be called more than once."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []

    def kernels(self, inferences, node_names=None):
        """Return a kernel for each call of a module, in the order in which they end. `node_names` are those of the ONNX
        file; None: there is none, and the modules' own paths are reported. Raises CompilerError if not every inference
        called the same modules."""
        count, rest = divmod(len(self._calls), inferences)
        per_inference = [self._calls[i * count:(i + 1) * count] for i in range(inferences)]
        paths = [path for path, _ in self._calls[:count]]
        if rest or any([path for path, _ in each] != paths for each in per_inference):
            raise CompilerError("no_profile", "not every inference of this module calls the same modules in one order",
                                "leave this model out of the profile of PyTorch's eager mode")
        means = [sum(each[place][1] for each in per_inference) / inferences for place in range(count)]
        if self._onnx_nodes:
            found_by, owned = "node name", {path: [node] for path, node in self._onnx_nodes.items() if node in node_names}
        elif node_names is not None:
            found_by, owned = "module path", owned_nodes(paths, node_names)
        else:
            found_by, owned = "module path", {path: [path] for path in paths if path}
        return [Kernel(path or "the whole module", ns, self._kinds.get(path, ""), owned.get(path, ()), (),
                       found_by if path in owned else "")
                for path, ns in zip(paths, means) if path in owned or self._computes(path)]

    def _computes(self, path):
        """Return whether a module that stands for no node may compute something, and not only call others."""
        is_container = path and any(other.startswith(path + ".") for other in self._kinds)
        return not is_container and self._kinds.get(path) != "Identity"


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
