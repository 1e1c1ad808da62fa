# SPDX-License-Identifier: Apache-2.0
"""A user's PyTorch module: a function of a Python file or a model of timm, with the weights that the study names or
seeded random ones. Every process makes the same module. With "decoder" it is a step over a cache (transformers_step.py).

A description is as the plan has it, with paths of files: {"file", "factory"} or {"timm"}; "parameters", keyword
arguments; "state_dict", a file (optional); "seed"; "inputs", those that the study gives."""
import difflib
import importlib.util
import os
import random
import sys
import traceback

import torch
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import USER_MODULE, cause, first_line


def make(description) -> torch.nn.Module:
    """Return the module in evaluation mode. Raises CompilerError: invalid_model."""
    _seed(description["seed"])
    module = _from_timm(description) if "timm" in description else _from_file(description)
    if not isinstance(module, torch.nn.Module):
        raise CompilerError("invalid_model", f"{name_of(description)} returned {_kind(module)}, not a torch.nn.Module")
    if description.get("state_dict"):
        _load_weights(module, description["state_dict"])
    if description.get("decoder"):
        from . import transformers_step

        module = transformers_step.wrap(module, description["decoder"], name_of(description))
    return module.eval()


def name_of(description) -> str:
    if "timm" in description:
        return f"timm's {description['timm']}"
    return f"{os.path.basename(description['file'])}:{description['factory']}"


def source(description):
    """Return the user's file as a module, which is imported once."""
    path = description["file"]
    if USER_MODULE not in sys.modules:
        sys.path.insert(0, os.path.dirname(path))  # for files beside it
        spec = importlib.util.spec_from_file_location(USER_MODULE, path)
        if spec is None:
            raise CompilerError("invalid_model", f"{path} is not a Python file", "name a .py file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[USER_MODULE] = module
        try:
            call_user(f"{os.path.basename(path)} cannot be imported", lambda: spec.loader.exec_module(module))
        except CompilerError:
            del sys.modules[USER_MODULE]
            raise
    return sys.modules[USER_MODULE]


def call_user(what: str, call):
    """Return what the user's code returns. An exception becomes a CompilerError that ends with its cause; the traceback is in
    the log."""
    try:
        return call()
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        raise CompilerError("invalid_model", f"{what}: {cause(error)}", "the traceback is in the log") from None


def _seed(seed: int) -> None:
    torch.manual_seed(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _from_file(description):
    user, factory = source(description), description["factory"]
    function = getattr(user, factory, None)
    path = os.path.basename(description["file"])
    if not callable(function):
        raise CompilerError("invalid_model", f"{path} has no function {factory}",
                            "write it as FILE.py:FUNCTION in the study")
    return call_user(f"{path}:{factory} failed", lambda: function(**description["parameters"]))


def _from_timm(description):
    import timm

    name, parameters = description["timm"], description["parameters"]
    if not timm.is_model(name):
        near = ", ".join(difflib.get_close_matches(name, timm.list_models(), 3))
        raise CompilerError("invalid_model", f"timm {timm.__version__} has no model {name}",
                            f"did you mean one of {near}?" if near else "timm.list_models() lists them")
    return call_user(f"timm could not make {name}", lambda: timm.create_model(name, **parameters))


def _load_weights(module, path: str) -> None:
    where = os.path.basename(path)
    try:
        weights = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch.load may raise any type
        raise CompilerError("invalid_model", f"{where} is not a file of weights: {first_line(error)}",
                            "save it with torch.save(module.state_dict(), …)") from None
    if isinstance(weights, dict) and isinstance(weights.get("state_dict"), dict):
        weights = weights["state_dict"]  # training scripts often store it so
    if not isinstance(weights, dict):
        raise CompilerError("invalid_model", f"{where} holds {_kind(weights)}, not a state_dict",
                            "save it with torch.save(module.state_dict(), …)")
    try:
        module.load_state_dict(weights)
    except (RuntimeError, TypeError) as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        shown = "; ".join(lines[:4]) + ("; …" if len(lines) > 4 else "")
        raise CompilerError("invalid_model", f"{where} does not fit the module: {shown}") from None


def _kind(value) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
