# SPDX-License-Identifier: Apache-2.0
"""The paper's convolution block, stacked: convolution with bias, BatchNorm, ReLU. A stem maps the image's 3 channels to the
width, or the first block does."""
from torch import nn

IMAGE_CHANNELS = 3


def convolution(in_channels: int, width: int, kernel_size: int) -> nn.Module:
    return nn.Conv2d(in_channels, width, kernel_size=kernel_size, padding=kernel_size // 2, bias=True)


class ConvBlock(nn.Module):
    def __init__(self, in_channels: int, width: int, kernel_size: int):
        super().__init__()
        self.conv = convolution(in_channels, width, kernel_size)
        self.bn = nn.BatchNorm2d(width)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class ConvBlocks(nn.Module):
    def __init__(self, width: int, depth: int, kernel_size: int):
        super().__init__()
        inputs = [IMAGE_CHANNELS] + [width] * (depth - 1)
        self.blocks = nn.Sequential(*(ConvBlock(channels, width, kernel_size) for channels in inputs))

    def forward(self, x):
        return self.blocks(x)


class StemmedConvBlocks(nn.Module):
    def __init__(self, width: int, depth: int, kernel_size: int):
        super().__init__()
        self.stem = convolution(IMAGE_CHANNELS, width, kernel_size)
        self.blocks = nn.Sequential(*(ConvBlock(width, width, kernel_size) for _ in range(depth)))

    def forward(self, x):
        return self.blocks(self.stem(x))


def build(parameters) -> nn.Module:
    blocks = StemmedConvBlocks if parameters["stem"] else ConvBlocks
    return blocks(parameters["width"], parameters["depth"], parameters["kernel_size"])
