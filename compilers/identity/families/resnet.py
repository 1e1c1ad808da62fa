# SPDX-License-Identifier: Apache-2.0
"""ResNets are timm's: by name where timm has one, its class with other layers and channels otherwise."""
import timm
from timm.models.resnet import BasicBlock, Bottleneck, ResNet

_BLOCKS = {"basic": BasicBlock, "bottleneck": Bottleneck}
_TIMM_CHANNELS = (64, 128, 256, 512)
_TIMM_NAMES = {
    ("basic", (2, 2, 2, 2)): "resnet18",
    ("bottleneck", (3, 4, 6, 3)): "resnet50",
    ("bottleneck", (3, 4, 23, 3)): "resnet101",
}


def build(parameters):
    layers, channels = tuple(parameters["layers"]), tuple(parameters["channels"])
    name = _TIMM_NAMES.get((parameters["block"], layers))
    if name is not None and channels == _TIMM_CHANNELS:
        return timm.create_model(name, num_classes=parameters["classes"])
    return ResNet(_BLOCKS[parameters["block"]], layers, num_classes=parameters["classes"], channels=channels)
