# SPDX-License-Identifier: Apache-2.0
"""EfficientNet from timm, with its multipliers of channels and blocks."""
from timm.models.efficientnet import _gen_efficientnet


def build(parameters):
    return _gen_efficientnet("efficientnet_b0", channel_multiplier=parameters["width"],
                             depth_multiplier=parameters["depth"], num_classes=parameters["classes"])
