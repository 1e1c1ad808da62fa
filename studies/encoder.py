# SPDX-License-Identifier: Apache-2.0
"""The encoder of a compressing network, for studies/encoder.yaml: an image in, a latent of 48 channels out, at a sixteenth
of its height and width. What follows it in such a network, quantisation and entropy coding, is not part of it."""
from torch import nn


def encoder(width: int, depth: int):
    """`depth` convolutions of `width` channels, each of which halves height and width, and one that makes the latent."""
    layers = []
    channels = 3
    for _ in range(depth):
        layers += [nn.Conv2d(channels, width, 5, stride=2, padding=2), nn.ReLU()]
        channels = width
    layers.append(nn.Conv2d(channels, 48, 5, stride=2, padding=2))
    return nn.Sequential(*layers)
