# SPDX-License-Identifier: Apache-2.0
"""One step of a language model that generates tokens, over a cache of keys and values: a gpt or a llama."""
import torch
from torch import nn
from torch.nn import functional

_THETA = 10000.0


class RMSNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Rotary(nn.Module):
    """Cosines and sines of the tokens' places [batch, 1, tokens, 1]."""

    def __init__(self, half: int):
        super().__init__()
        self.half = half
        self.register_buffer("frequencies", torch.empty(half), persistent=False)
        self.init_non_persistent_buffers()

    def init_non_persistent_buffers(self):
        powers = torch.arange(self.half, dtype=torch.float64, device="cpu") / self.half
        self.frequencies.copy_((1 / _THETA ** powers).float())

    def forward(self, places):
        half = places.to(torch.float32) * self.frequencies
        angles = torch.cat([half, half], -1)
        return angles.cos(), angles.sin()


def rotated(x, rotation):
    if rotation is None:
        return x
    cosine, sine = rotation
    first, second = x.chunk(2, -1)
    return x * cosine + torch.cat([-second, first], -1) * sine


class Cache:
    """What the blocks of one step share: which columns a token sees, and where new rows go."""

    def __init__(self, form: str, position, places, past, shape):
        self.form, self.past, self.returned = form, past, []
        rows = past[0].shape[2] if past else 0
        self.visible = self._visible(position, places, rows)
        if form in ("scatter", "static"):
            self.rows = places.expand(shape)

    def _visible(self, position, places, rows: int):
        """Return bool [batch, 1, tokens, columns], or None where every token sees every column."""
        tokens = places.shape[2]
        if tokens == 1 and (self.form == "growing" or not rows):
            return None
        fresh = places.transpose(2, 3)
        if self.form == "delta":
            columns = torch.arange(rows, device=places.device).reshape(1, 1, 1, rows)
            filled = (columns < position.reshape(-1, 1, 1, 1)).expand(-1, 1, tokens, rows)
            return torch.cat([filled, fresh <= places], 3)
        count = rows + tokens if self.form == "growing" else rows
        return torch.arange(count, device=places.device) <= places

    def extended(self, place: int, new):
        """Return all rows of the key or value at this place."""
        if not self.past:
            everything = new
        elif self.form in ("delta", "growing"):
            everything = torch.cat([self.past[place], new], 2)
        else:
            everything = self.past[place].scatter(2, self.rows, new)
        self.returned.append(new if self.form == "delta" else everything)
        return everything


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, key_heads: int, bias: bool):
        super().__init__()
        self.heads, self.key_heads, self.head_width = heads, key_heads, width // heads
        self.q = nn.Linear(width, width, bias)
        self.k = nn.Linear(width, key_heads * self.head_width, bias)
        self.v = nn.Linear(width, key_heads * self.head_width, bias)
        self.proj = nn.Linear(width, width, bias)

    def forward(self, x, layer: int, cache: Cache, rotation):
        batch, tokens, width = x.shape
        q = rotated(self._by_head(self.q(x), self.heads), rotation)
        k = cache.extended(2 * layer, rotated(self._by_head(self.k(x), self.key_heads), rotation))
        v = cache.extended(2 * layer + 1, self._by_head(self.v(x), self.key_heads))
        sharing, visible = self.heads // self.key_heads, cache.visible
        if sharing > 1:  # queries that share a key head lie side by side, so that no key is repeated
            q = q.reshape(batch, self.key_heads, sharing * tokens, self.head_width)
            visible = visible.repeat(1, 1, sharing, 1) if visible is not None and tokens > 1 else visible
        attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        if tokens > 1:
            attended = attended.reshape(batch, self.heads, tokens, self.head_width).transpose(1, 2)
        return self.proj(attended.reshape(batch, tokens, width))

    def _by_head(self, x, heads: int):
        batch, tokens, _ = x.shape
        if tokens == 1:
            return x.reshape(batch, heads, 1, self.head_width)
        return x.reshape(batch, tokens, heads, self.head_width).transpose(1, 2)


class GptMlp(nn.Module):
    def __init__(self, width: int, inner: int):
        super().__init__()
        self.up = nn.Linear(width, inner)
        self.act = nn.GELU(approximate="tanh")
        self.down = nn.Linear(inner, width)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


class LlamaMlp(nn.Module):
    def __init__(self, width: int, inner: int):
        super().__init__()
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.act = nn.SiLU()
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        return self.down(self.act(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, parameters):
        super().__init__()
        width, is_llama = parameters["width"], parameters["architecture"] == "llama"
        norm, mlp = (RMSNorm, LlamaMlp) if is_llama else (nn.LayerNorm, GptMlp)
        self.norm1 = norm(width)
        self.attn = Attention(width, parameters["heads"], parameters["key_heads"], bias=not is_llama)
        self.norm2 = norm(width)
        self.mlp = mlp(width, parameters["inner"])

    def forward(self, x, layer: int, cache: Cache, rotation):
        x = x + self.attn(self.norm1(x), layer, cache, rotation)
        return x + self.mlp(self.norm2(x))


class Decoder(nn.Module):
    """forward(ids [batch, tokens], position [batch], key and value of each layer) returns the logits, then a tensor for
    each key and value."""

    def __init__(self, parameters):
        super().__init__()
        width, vocabulary = parameters["width"], parameters["vocabulary"]
        self.form, self.is_llama = parameters["cache"], parameters["architecture"] == "llama"
        if self.form == "open":  # the file leaves the length open, and this module does so anyway
            self.form = "growing"
        head_width = width // parameters["heads"]
        self.row_shape = (parameters["key_heads"], parameters["tokens"], head_width)
        self.embed = nn.Embedding(vocabulary, width)
        if self.is_llama:
            self.rotary = Rotary(head_width // 2)
            self.head = nn.Linear(width, vocabulary, bias=False)
        else:
            self.places = nn.Embedding(parameters["positions"], width)
        self.blocks = nn.ModuleList(Block(parameters) for _ in range(parameters["depth"]))
        self.norm = RMSNorm(width) if self.is_llama else nn.LayerNorm(width)

    def forward(self, ids, position, *past):
        batch, tokens = ids.shape
        places = position.reshape(batch, 1, 1, 1)
        if tokens > 1:
            places = places + torch.arange(tokens, device=ids.device).reshape(1, 1, tokens, 1)
        cache = Cache(self.form, position, places, past, (batch, *self.row_shape))
        x = self.embed(ids)
        if not self.is_llama:
            x = x + self.places(places.reshape(batch, tokens))
        rotation = self.rotary(places) if self.is_llama else None
        for layer, block in enumerate(self.blocks):
            x = block(x, layer, cache, rotation)
        x = self.norm(x)
        logits = self.head(x) if self.is_llama else functional.linear(x, self.embed.weight)
        return (logits, *cache.returned)


def build(parameters) -> nn.Module:
    return Decoder(parameters)
