# SPDX-License-Identifier: Apache-2.0
"""MobileNetV3 from timm, with its multiplier of channels."""
from timm.models.mobilenetv3 import _gen_mobilenet_v3


def build(parameters):
    return _gen_mobilenet_v3(f"mobilenetv3_{parameters['size']}_100", channel_multiplier=parameters["width"],
                             num_classes=parameters["classes"])
