# SPDX-License-Identifier: Apache-2.0
"""What `ngb calibrate --peak` measures, as modules of a study: products of two square matrices by two of PyTorch's
libraries, two ways to move arrays that exceed the caches, and a way to read arrays. All write to memory that is there already."""
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


class OnednnProduct(torch.nn.Module):
    """The same product by oneDNN, whose kernels for a processor do not depend on who made it."""

    def __init__(self, extent):
        super().__init__()
        self.extent, self.operands = extent, None

    def forward(self, x):
        if self.operands is None:  # at the first inference: nothing can move such tensors to a device
            shapes = ((self.extent, self.extent), (self.extent, self.extent), (self.extent,))
            self.operands = [torch.rand(shape).to_mkldnn() for shape in shapes]
        torch.nn.functional.linear(*self.operands)
        return x + 1


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


class Read(Moved):
    def __init__(self, elements, times):
        super().__init__(elements, ("a",))
        self.register_buffer("made", torch.zeros(1), persistent=False)
        self.times = times

    def forward(self, x):
        for _ in range(self.times):
            torch.sum(self.a, dim=0, keepdim=True, out=self.made)
        return self.made + x


def mm(extent):
    return Product(extent)


def onednn(extent):
    return OnednnProduct(extent)


def copy(elements):
    return Copy(elements, ("a", "b"))


def triad(elements):
    return Triad(elements, ("a", "b", "c"))


def read(elements, times):
    return Read(elements, times)
