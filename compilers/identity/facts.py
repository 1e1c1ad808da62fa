# SPDX-License-Identifier: Apache-2.0
"""Reports PyTorch's versions, libraries and settings."""
import re
import sys
from typing import Dict, Optional

import torch
from ngraphbench import emulation


def of_torch() -> Dict[str, str]:
    build = torch.__config__.parallel_info()
    facts = {
        "version": torch.__version__,
        "threads": str(torch.get_num_threads()),
        "interop_threads": str(torch.get_num_interop_threads()),
        "precision": "f32" if not reduced_precision() else f"reduced: {reduced_precision()}",
        "matmul_precision": torch.get_float32_matmul_precision(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "onednn": _found(r"MKL-DNN (v[0-9.]+)", build) if torch.backends.mkldnn.is_available() else "none",
        "mkl": _found(r"Math Kernel Library Version (\S+)", build) if torch.backends.mkl.is_available() else "none",
        "library": torch.__file__,
    }
    for name in ("timm", "torchvision", "onnx2torch"):
        if name in sys.modules:
            facts[f"{name}_version"] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return facts


def of_module(module: torch.nn.Module) -> Dict[str, str]:
    values = module.state_dict().values()
    floats = {str(value.dtype) for value in values if value.is_floating_point()}
    return {
        "weights_device": " ".join(sorted({value.device.type for value in values})) or "none",
        "module": f"{type(module).__module__}.{type(module).__qualname__}",
        "eval_mode": _word(not any(part.training for part in module.modules())),
        "weights": " ".join(sorted(floats)) or "none",
        **of_emulations(module),
    }


def of_emulations(module: torch.nn.Module) -> Dict[str, str]:
    """Return the fact `emulated` of the module of an ONNX file, which knows its nodes (onnx_module.py)."""
    nodes = [part for part in module.modules() if hasattr(part, "onnx_type")]
    return emulation.fact([part.onnx_type for part in nodes if getattr(part, "is_emulated", False)], len(nodes))


def of_mode() -> Dict[str, str]:
    """Return how inference would run now."""
    return {"gradients": _word(torch.is_grad_enabled()), "inference_mode": _word(torch.is_inference_mode_enabled())}


def use_strict_f32() -> None:
    """Forbid tf32 and bf16 inside f32 operators, on the CPU and on a GPU."""
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False  # the older setting, which PyTorch requires to agree with those below
    for settings in _fp32_settings():
        settings.fp32_precision = "ieee"


def reduced_precision() -> Optional[str]:
    """Return what computes in less than f32, or None."""
    if torch.get_float32_matmul_precision() != "highest":
        return torch.get_float32_matmul_precision()
    for settings in _fp32_settings():
        if settings.fp32_precision not in ("ieee", "none"):
            return settings.fp32_precision
    if not _fp32_settings() and torch.backends.cudnn.allow_tf32:
        return "tf32"
    return None


def _fp32_settings():
    """Return the settings per library and kind of operator. Before 2.9, products and cuDNN have one each."""
    backends = torch.backends
    parts = [getattr(library, name, None) for library, name in (
        (backends.mkldnn, "conv"), (backends.mkldnn, "matmul"), (backends.mkldnn, "rnn"), (backends.cuda, "matmul"),
        (backends.cudnn, "conv"), (backends.cudnn, "rnn"))]
    return [part for part in parts if hasattr(part, "fp32_precision")]


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match.group(1) if match else "unknown"


def _word(value: bool) -> str:
    return "true" if value else "false"
