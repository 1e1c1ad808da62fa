# SPDX-License-Identifier: Apache-2.0
"""The model families that recipes name, as PyTorch modules. A new family is one file here and one row in FAMILIES.

Each file has build(parameters) -> torch.nn.Module with the recipe's parameters. The names and shapes of its state_dict
are those of the recipe's initializers. Importing the file imports what it needs."""
import importlib
from typing import Any, Iterable, Mapping

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
    "decoder": "decoder",
    "mlp": "mlp",
}


def build(family: str, parameters: Mapping[str, Any]):
    """Raises KeyError if the family or a parameter is unknown."""
    return importlib.import_module(f".{FAMILIES[family]}", __name__).build(parameters)


def preload(families: Iterable[str]) -> None:
    """Import the files of those that are known."""
    for family in FAMILIES.keys() & set(families):
        importlib.import_module(f".{FAMILIES[family]}", __name__)
