# SPDX-License-Identifier: Apache-2.0
"""A sentence encoder of MiniLM's shape (a BERT of 6 layers of 384 features), for studies/text_encoder.yaml: token ids
and an attention mask in, one vector for each sentence out."""
import torch
from torch import nn
from torch.nn import functional


class Layer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.output_norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, hidden, bias):
        batch, sequence, width = hidden.shape
        qkv = self.qkv(hidden).reshape(batch, sequence, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=bias)
        attended = attended.transpose(1, 2).reshape(batch, sequence, width)
        hidden = self.attention_norm(hidden + self.out(attended))
        return self.output_norm(hidden + self.down(functional.gelu(self.up(hidden))))


class TextEncoder(nn.Module):
    def __init__(self, vocabulary: int, width: int, layers: int, heads: int, positions: int):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))

    def forward(self, input_ids, attention_mask):
        """Both [batch, sequence]; the mask is 1 for a token and 0 for padding."""
        position = torch.arange(input_ids.shape[1], device=input_ids.device)
        hidden = self.norm(self.words(input_ids) + self.positions(position))
        mask = attention_mask.to(hidden.dtype)
        bias = (1 - mask)[:, None, None, :] * -1e9
        for layer in self.layers:
            hidden = layer(hidden, bias)
        weights = mask.unsqueeze(-1)
        return (hidden * weights).sum(1) / weights.sum(1)


def encoder(vocabulary=30522, width=384, layers=6, heads=12, positions=512):
    return TextEncoder(vocabulary, width, layers, heads, positions)
