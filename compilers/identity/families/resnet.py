# SPDX-License-Identifier: Apache-2.0
"""ResNet from timm: by name if timm has that one, else its class with other depths and widths."""
import timm
from timm.layers import make_divisible
from timm.models.resnet import BasicBlock, Bottleneck, ResNet

_BLOCKS = {"basic": BasicBlock, "bottleneck": Bottleneck}
_TIMM_NAMES = {
    ("basic", (2, 2, 2, 2)): "resnet18",
    ("bottleneck", (3, 4, 6, 3)): "resnet50",
    ("bottleneck", (3, 4, 23, 3)): "resnet101",
}


def build(parameters):
    depths, width = tuple(parameters["depths"]), parameters["width"]
    name = _TIMM_NAMES.get((parameters["block"], depths))
    if name is not None and width == 1:
        return timm.create_model(name, num_classes=parameters["classes"])
    channels = tuple(make_divisible(64 * 2 ** stage * width) for stage in range(4))
    return ResNet(_BLOCKS[parameters["block"]], depths, num_classes=parameters["classes"], channels=channels)
