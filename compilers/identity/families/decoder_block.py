# SPDX-License-Identifier: Apache-2.0
"""Blocks of a decoder-only transformer over a whole sequence at once, with causal attention."""
from torch import nn
from torch.nn import functional


class CausalAttention(nn.Module):
    def __init__(self, embed: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(embed, 3 * embed)
        self.proj = nn.Linear(embed, embed)

    def forward(self, x):
        batch, sequence, embed = x.shape
        qkv = self.qkv(x).reshape(batch, sequence, 3, self.heads, embed // self.heads).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(*qkv.unbind(0), is_causal=True)
        return self.proj(attended.transpose(1, 2).reshape(batch, sequence, embed))


class Mlp(nn.Module):
    def __init__(self, embed: int, hidden: int):
        super().__init__()
        self.fc1 = nn.Linear(embed, hidden)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, embed)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class DecoderBlock(nn.Module):
    def __init__(self, embed: int, heads: int, hidden: int):
        super().__init__()
        self.norm1 = nn.LayerNorm(embed)
        self.attn = CausalAttention(embed, heads)
        self.norm2 = nn.LayerNorm(embed)
        self.mlp = Mlp(embed, hidden)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class DecoderBlocks(nn.Module):
    def __init__(self, embed: int, heads: int, hidden: int, depth: int):
        super().__init__()
        self.blocks = nn.Sequential(*(DecoderBlock(embed, heads, hidden) for _ in range(depth)))

    def forward(self, x):
        return self.blocks(x)


def build(parameters) -> nn.Module:
    hidden = int(parameters["embed"] * parameters["mlp_ratio"])
    return DecoderBlocks(parameters["embed"], parameters["heads"], hidden, parameters["depth"])
