# SPDX-License-Identifier: Apache-2.0
"""The modules of studies of drawn nets: torchvision's models, and layers of torch.nn with a module around them where
their inputs or outputs need one. A study names this file."""
import inspect

import torch
from torch import nn


class Tail(nn.Module):
    """A layer between two linear ones, so that it has something to do."""

    def __init__(self, layer, width):
        super().__init__()
        self.head, self.layer, self.tail = nn.Linear(width, width), layer, nn.Linear(width, width)

    def forward(self, x):
        x = self.layer(self.head(x))
        return self.tail(x[0] if isinstance(x, tuple) else x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, query, key, value):
        return self.layer(query, key, value)


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)

    def forward(self, x):
        values, indices = self.down(x)
        return self.up(values, indices)


class Named(nn.Module):
    """Returns a dict with a tuple in it, and takes one input by keyword."""

    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(16, 24, batch_first=True)

    def forward(self, x, *, scale):
        outputs, state = self.layer(x * scale)
        return {"outputs": outputs, "rest": (state, outputs.mean(1))}


LAYERS = {  # name: (maker, {argument: shape without the batch})
    "LSTM": (lambda: nn.LSTM(16, 24, num_layers=2, batch_first=True), {"input": (20, 16)}),
    "GRU": (lambda: Tail(nn.GRU(32, 32, batch_first=True, bidirectional=False), 32), {"x": (20, 32)}),
    "RNN": (lambda: Tail(nn.RNN(32, 32, batch_first=True), 32), {"x": (20, 32)}),
    "GRU of a dict": (Named, {"x": (20, 16), "scale": (20, 16)}),
    "MultiheadAttention": (Attention, {"query": (12, 32), "key": (9, 32), "value": (9, 32)}),
    "TransformerEncoder": (lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2, enable_nested_tensor=False), {"src": (12, 32)}),
    "TransformerDecoder": (lambda: nn.TransformerDecoder(
        nn.TransformerDecoderLayer(32, 4, 64, batch_first=True), 2), {"tgt": (12, 32), "memory": (9, 32)}),
    "Transformer": (lambda: nn.Transformer(32, 4, 1, 1, 64, batch_first=True), {"src": (12, 32), "tgt": (9, 32)}),
    "Conv1d": (lambda: nn.Sequential(nn.Conv1d(8, 16, 5, stride=2), nn.GELU(), nn.InstanceNorm1d(16)), {"input": (8, 64)}),
    "Conv3d": (lambda: nn.Sequential(nn.Conv3d(3, 8, 3), nn.BatchNorm3d(8), nn.ReLU6()), {"input": (3, 8, 24, 24)}),
    "ConvTranspose2d": (lambda: nn.Sequential(nn.ConvTranspose2d(8, 4, 4, 2, 1), nn.Hardswish()), {"input": (8, 16, 16)}),
    "MaxUnpool2d": (Pool, {"x": (4, 16, 16)}),
    "AdaptiveAvgPool2d": (lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.AdaptiveAvgPool2d((5, 7))), {"input": (3, 32, 32)}),
    "Bilinear": (lambda: nn.Bilinear(16, 12, 8), {"input1": (16,), "input2": (12,)}),
    "GroupNorm": (lambda: nn.Sequential(nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16), nn.SiLU()), {"input": (3, 24, 24)}),
    "LocalResponseNorm": (lambda: nn.Sequential(nn.Conv2d(3, 16, 3), nn.LocalResponseNorm(5)), {"input": (3, 24, 24)}),
    "PixelShuffle": (lambda: nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.PixelShuffle(4)), {"input": (3, 24, 24)}),
    "Upsample": (lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.Upsample(scale_factor=2, mode="bicubic")), {"input": (3, 16, 16)}),
    "Unfold": (lambda: nn.Sequential(nn.Unfold(3, stride=2), nn.Tanh(), nn.Fold((17, 17), 3, stride=2)), {"input": (4, 17, 17)}),
    "Softplus": (lambda: Tail(nn.Sequential(nn.Softplus(), nn.LogSoftmax(-1)), 32), {"x": (9, 32)}),
    "PReLU": (lambda: Tail(nn.Sequential(nn.PReLU(), nn.RMSNorm(32)), 32), {"x": (9, 32)}),
    "CosineSimilarity": (lambda: nn.CosineSimilarity(dim=2), {"x1": (9, 32), "x2": (9, 32)}),
}


def layer(name):
    torch.manual_seed(0)
    return LAYERS[name][0]().eval()


def torchvision_model(name):
    """Random weights, and batch normalisation by the statistics of two random images: with its initial ones, some nets'
    activations grow with every layer, and outputs of 200,000 differ by their rounding alone."""
    import torchvision

    module = torchvision.models.get_model(name, weights=None, **weightless(name)).eval()
    norms = [each for each in module.modules() if isinstance(each, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = None  # the plain mean of what it sees
        norm.train()
    if norms:
        with torch.no_grad():
            module(2 * torch.rand(2, *shapes_of(name, (224,))[-1]) - 1)  # the largest: s3d has no smaller one
    return module.eval()


def weightless(name):
    """Return the arguments without which a model would download weights of its backbone."""
    from torchvision.models import get_model_builder

    return {"weights_backbone": None} if "weights_backbone" in inspect.signature(get_model_builder(name)).parameters else {}


def shapes_of(name, sides):
    """Return shapes to try, without the batch: videos have frames, and networks of optical flow take two images."""
    from torchvision.models import get_model_builder

    if ".video" in get_model_builder(name).__module__:
        return [(3, 16, side, side) for side in (112, 224)]
    return [(3, side, side) for side in sides]


def arguments(module):
    return inspect.signature(module.forward).parameters
