# SPDX-License-Identifier: Apache-2.0
"""ConvNeXt from timm."""
from timm.models.convnext import ConvNeXt


def build(parameters):
    return ConvNeXt(depths=tuple(parameters["depths"]), dims=tuple(parameters["channels"]),
                    num_classes=parameters["classes"])
