# SPDX-License-Identifier: Apache-2.0
"""The model families that recipes name, as PyTorch modules. A new family is one file here and one row in FAMILIES.

Each file has build(parameters) -> torch.nn.Module, with parameters as in the recipe. Its state_dict has the names and
shapes of the recipe's initializers. What it needs is imported when the file is."""
import importlib
from typing import Any, Mapping

FAMILIES = {
    # family: file
    "resnet": "resnet",
    "efficientnet": "efficientnet",
    "vit": "vit",
    "swin": "swin",
    "convnext": "convnext",
    "mobilenet_v3": "mobilenet_v3",
    "conv_block": "conv_block",
    "mha_block": "mha_block",
    "decoder_block": "decoder_block",
    "mlp": "mlp",
}


def build(family: str, parameters: Mapping[str, Any]):
    """Raises KeyError for a family, or a parameter, that is not there."""
    return importlib.import_module(f".{FAMILIES[family]}", __name__).build(parameters)


def preload() -> None:
    for file in FAMILIES.values():
        importlib.import_module(f".{file}", __name__)
