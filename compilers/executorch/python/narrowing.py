# SPDX-License-Identifier: Apache-2.0
"""The identity's module in f16 or bf16, with inputs and outputs of its own types."""
from collections import Counter

from ngraphbench.adaptor import CompilerError

_TYPES = {"f16": "float16", "bf16": "bfloat16"}


def narrowed(module, zeros, precision):
    """Return the module itself in f32, else one that computes in the precision. Its outputs have the types that the module
    returns for `zeros`."""
    import torch

    if precision == "f32":
        return module
    found = module(*zeros)
    is_tuple = isinstance(found, tuple)
    types = [each.dtype for each in (found if is_tuple else (found,))]
    narrow = getattr(torch, _TYPES[precision])

    class Narrowed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.module = module.to(narrow)

        def forward(self, *inputs):
            made = self.module(*(each.to(narrow) if each.is_floating_point() else each for each in inputs))
            made = tuple(each.to(dtype) for each, dtype in zip(made if is_tuple else (made,), types))
            return made if is_tuple else made[0]

    return Narrowed().eval()


def facts(program, precision):
    """Return {"f32_operators": the operators of the program that compute in f32 all the same, "mul 2", or "none"}; {} in f32.
    Raises CompilerError if nothing computes in the precision."""
    import torch

    if precision == "f32":
        return {}
    copies = (torch.ops.aten._to_copy.default, torch.ops.aten.to.dtype)
    types = {}
    for node in program.graph.nodes:
        value = node.meta.get("val")
        if node.op == "call_function" and node.target not in copies and isinstance(value, torch.Tensor) and value.is_floating_point():
            types.setdefault(value.dtype, []).append(str(node.target).split(".")[1])
    if getattr(torch, _TYPES[precision]) not in types:
        raise CompilerError("fallback", f"no operator of this model computes in {precision}", "measure executorch in f32")
    wide = Counter(types.get(torch.float32, ()))
    return {"f32_operators": ", ".join(f"{name} {count}" for name, count in sorted(wide.items())) or "none"}
