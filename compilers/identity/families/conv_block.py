# SPDX-License-Identifier: Apache-2.0
"""The paper's convolution block, stacked: 3x3 convolution with bias, BatchNorm, ReLU."""
from torch import nn


class ConvBlock(nn.Module):
    def __init__(self, in_channels: int, width: int):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, width, kernel_size=3, padding=1, bias=True)
        self.bn = nn.BatchNorm2d(width)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class ConvBlocks(nn.Module):
    def __init__(self, width: int, depth: int):
        super().__init__()
        self.blocks = nn.Sequential(*(ConvBlock(3 if index == 0 else width, width) for index in range(depth)))

    def forward(self, x):
        return self.blocks(x)


def build(parameters) -> nn.Module:
    return ConvBlocks(parameters["width"], parameters["depth"])
