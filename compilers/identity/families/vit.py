# SPDX-License-Identifier: Apache-2.0
"""ViT and DeiT III: timm's VisionTransformer."""
from timm.models.vision_transformer import VisionTransformer


def build(parameters):
    return VisionTransformer(
        img_size=parameters["image_size"], patch_size=parameters["patch"], embed_dim=parameters["width"],
        depth=parameters["depth"], num_heads=parameters["heads"], mlp_ratio=parameters["mlp_ratio"],
        num_classes=parameters["classes"], init_values=1e-6 if parameters["layer_scale"] else None,
        no_embed_class=not parameters["class_position"])
