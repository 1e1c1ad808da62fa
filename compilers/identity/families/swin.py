# SPDX-License-Identifier: Apache-2.0
"""Swin transformers from timm."""
from timm.models.swin_transformer import SwinTransformer


def build(parameters):
    return SwinTransformer(
        img_size=parameters["image_size"], embed_dim=parameters["width"], depths=tuple(parameters["depths"]),
        num_heads=tuple(parameters["heads"]), window_size=tuple(parameters["windows"]),
        num_classes=parameters["classes"])
