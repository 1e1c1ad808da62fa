# SPDX-License-Identifier: Apache-2.0
"""The paper's attention block, stacked: torch's multi-head self-attention, addition of the input, LayerNorm, ReLU."""
from torch import nn


class MhaBlock(nn.Module):
    def __init__(self, embed: int, heads: int):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed, heads, batch_first=True)
        self.norm = nn.LayerNorm(embed)
        self.act = nn.ReLU()

    def forward(self, x):
        attended, _ = self.attn(x, x, x, need_weights=False)
        return self.act(self.norm(x + attended))


class MhaBlocks(nn.Module):
    def __init__(self, embed: int, heads: int, depth: int):
        super().__init__()
        self.blocks = nn.Sequential(*(MhaBlock(embed, heads) for _ in range(depth)))

    def forward(self, x):
        return self.blocks(x)


def build(parameters) -> nn.Module:
    return MhaBlocks(parameters["embed"], parameters["heads"], parameters["depth"])
