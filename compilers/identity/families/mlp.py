# SPDX-License-Identifier: Apache-2.0
"""Fully connected layers with ReLU, then a last one with an output per class."""
from torch import nn


class Layer(nn.Module):
    def __init__(self, features: int, width: int):
        super().__init__()
        self.fc = nn.Linear(features, width)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(x))


class Mlp(nn.Module):
    def __init__(self, features: int, width: int, depth: int, classes: int):
        super().__init__()
        self.layers = nn.Sequential(*(Layer(width if index else features, width) for index in range(depth)))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.layers(x))


def build(parameters) -> nn.Module:
    return Mlp(parameters["features"], parameters["width"], parameters["depth"], parameters["classes"])
