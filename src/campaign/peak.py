# SPDX-License-Identifier: Apache-2.0
"""What `ngb calibrate --peak` measures, as modules of a study: products of two square matrices by two functions of
PyTorch's libraries, and two ways to move arrays that exceed the caches. All write to memory that is there already."""
import torch


class Product(torch.nn.Module):
    def __init__(self, extent):
        super().__init__()
        self.register_buffer("a", torch.rand(extent, extent), persistent=False)
        self.register_buffer("b", torch.rand(extent, extent), persistent=False)
        self.register_buffer("made", torch.zeros(extent, extent), persistent=False)

    def forward(self, x):
        torch.mm(self.a, self.b, out=self.made)
        return self.made[0, :1] + x


class Convolution(torch.nn.Module):
    """The same product as a convolution of 1 x 1, which other code of the libraries computes."""

    def __init__(self, extent):
        super().__init__()
        self.register_buffer("image", torch.rand(1, extent, extent // 32, 32), persistent=False)
        self.register_buffer("weight", torch.rand(extent, extent, 1, 1), persistent=False)

    def forward(self, x):
        made = torch.nn.functional.conv2d(self.image, self.weight)
        return made[0, 0, 0, :1] + x


class Moved(torch.nn.Module):
    def __init__(self, elements, names):
        super().__init__()
        for name in names:
            self.register_buffer(name, torch.ones(elements), persistent=False)


class Copy(Moved):
    def forward(self, x):
        self.a.copy_(self.b)
        return self.a[:1] + x


class Triad(Moved):
    def forward(self, x):
        torch.add(self.b, self.c, alpha=3, out=self.a)
        return self.a[:1] + x


def mm(extent):
    return Product(extent)


def convolution(extent):
    return Convolution(extent)


def copy(elements):
    return Copy(elements, ("a", "b"))


def triad(elements):
    return Triad(elements, ("a", "b", "c"))
