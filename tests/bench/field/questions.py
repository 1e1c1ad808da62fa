# SPDX-License-Identifier: Apache-2.0
"""Networks of questions that users of compilers asked in public, for questions.yaml."""
import torch


class Function(torch.nn.Module):
    """A function of one tensor as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def logarithm():
    return Function(lambda x: torch.log(x.abs() + 1e-6))


def tanh():
    return Function(torch.tanh)


def mish():
    return Function(lambda x: x * torch.tanh(torch.nn.functional.softplus(x)))


def padded():
    def doubled(x):
        pad = torch.nn.functional.pad(torch.abs(x), (0, 24, 34, 0), "replicate")
        return torch.add(pad, pad)
    return Function(doubled)


def indexed():
    def doubled(x):
        rows = torch.zeros(2, dtype=torch.int64, device=x.device)
        y = x.clone()
        y[rows] += y[rows]
        return y
    return Function(doubled)
