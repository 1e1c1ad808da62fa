# SPDX-License-Identifier: Apache-2.0
"""Imports a user's PyTorch module through torch.export, without an ONNX file. PyTorch and the module's maker are those
of the identity: its packages are in NGB_MODULE_SITE, behind TVM's own on the path."""
import json
import os
import sys
import traceback

from ngraphbench.adaptor import CompilerError
from ngraphbench.hosting import Host
from ngraphbench.reasons import last_line

_ADVICE = "leave this model out for tvm, or use frontend: onnx"
_IDENTITY = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "identity")


def import_module(request):
    """Return the module as a Relax module that contains the weights as constants, and the names of its outputs."""
    recipe = json.loads(request["recipe"]) if request["recipe"] else {}
    if "module" not in recipe:
        raise CompilerError("invalid_option", "frontend: torch is for PyTorch modules, and this model is none",
                            "use frontend: onnx for it")
    _find_torch()
    import torch

    torch.set_num_threads(request["threads"])
    host = Host(_IDENTITY)
    module = host.module("user_module").make(recipe["module"])
    names = [tensor["name"] for tensor in request["inputs"]]
    flat = host.module("module_call").Flat(module, names).eval()
    inputs = tuple(torch.zeros(tensor["shape"], dtype=getattr(torch, tensor["dtype"]))
                   for tensor in request["inputs"])
    with torch.no_grad():
        outputs = [name for name, _ in flat.named(inputs)]
    return _to_relax(flat, inputs), outputs


def _find_torch():
    site = os.environ.get("NGB_MODULE_SITE", "")
    if site and site not in sys.path:
        sys.path.append(site)
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise CompilerError("toolchain_missing", f"frontend: torch needs PyTorch, which is in the identity's toolchain: "
                                                 f"{last_line(error)}",
                            "ngb toolchain install identity") from None


def _to_relax(flat, inputs):
    import torch
    from tvm.relax.frontend.torch import from_exported_program

    try:
        with torch.no_grad():
            program = torch.export.export(flat, inputs, strict=False)
            program = program.run_decompositions()
        return from_exported_program(program, keep_params_as_input=False)
    except MemoryError:
        raise
    except Exception as error:  # both raise many types
        traceback.print_exc()
        what = "TVM's PyTorch front end does not support this model"
        raise CompilerError("unsupported_operator", f"{what}: {type(error).__name__}: {last_line(error)}",
                            _ADVICE) from None
