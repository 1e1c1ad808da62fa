# SPDX-License-Identifier: Apache-2.0
"""Attention of com.microsoft, as ONNX Runtime's optimiser and model builder write it. Queries, keys and values are
[batch, heads, time, size] within this file; a mask is a number that is added to the scores."""
import math

import torch

_LOWEST = torch.finfo(torch.float32).min


def _heads(x, count):
    """Return [batch, time, heads × size] with its heads apart."""
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(1, 2)


def _joined(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


def _after(past, x):
    return x if past is None or past.shape[-2] == 0 else torch.cat([past, x], -2)


def _attend(node, query, key, value, masks):
    scale = node.attribute("scale", 0.0) or 1 / math.sqrt(query.shape[-1])
    scores = torch.matmul(query, key.transpose(-1, -2)) * scale
    for mask in masks:
        scores = scores if mask is None else scores + mask.to(scores.dtype)
    return torch.matmul(torch.softmax(scores, -1), value)


def _causal(query, key):
    """Return the mask that hides later keys; the last query belongs to the last key."""
    queries, keys = query.shape[-2], key.shape[-2]
    hidden = torch.ones(queries, keys, dtype=torch.bool, device=query.device).triu(keys - queries + 1)
    return torch.zeros(queries, keys, device=query.device).masked_fill(hidden, _LOWEST)


def _padding(node, mask, batch, keys):
    """Return the mask of keys that are padding. `mask` has lengths or, for each key, 0 for padding."""
    if mask is None:
        return None
    places = torch.arange(keys, device=mask.device)
    if mask.dim() == 1 and mask.shape[0] == batch:
        is_key = places < mask.reshape(-1, 1)
    elif mask.dim() == 1 and mask.shape[0] == 2 * batch:
        ends, starts = mask.reshape(2, batch, 1)
        is_key = (places < ends) & (places >= starts)
    elif mask.dim() in (2, 3):
        is_key = mask > 0
    else:
        raise node.refusal(f"a mask of shape {list(mask.shape)}")
    is_key = is_key.reshape(batch, 1, -1, keys)
    return torch.zeros(is_key.shape, device=mask.device).masked_fill(~is_key, node.attribute("mask_filter_value", -1e4))


def from_projections(node, query, key, value, mask=None, past=None, added=None):
    """Attend with [batch, time, heads × size] each. `past` and the second output are keys and values in one tensor."""
    query, key, value = (_heads(each, node.attribute("num_heads")) for each in (query, key, value))
    if past is not None:
        key, value = _after(past[0], key), _after(past[1], value)
    masks = [_padding(node, mask, query.shape[0], key.shape[-2]), added,
             _causal(query, key) if node.attribute("unidirectional", 0) else None]
    present = torch.stack([key, value]) if node.outputs > 1 else None
    return _joined(_attend(node, query, key, value, masks)), present


def _attention(node, x, weight, bias=None, mask=None, past=None, added=None, past_length=None):
    if node.attribute("do_rotary", 0) or past_length is not None:
        raise node.refusal("do_rotary or a shared buffer of keys and values")
    sizes = node.attribute("qkv_hidden_sizes") or [weight.shape[1] // 3] * 3
    parts = torch.matmul(x, weight)
    parts = parts if bias is None else parts + bias
    return from_projections(node, *parts.split(list(sizes), -1), mask, past, added)


def _multi_head(node, query, key=None, value=None, bias=None, mask=None, added=None, past_key=None, past_value=None,
                *more):
    if any(each is not None for each in more):
        raise node.refusal("a shared buffer of keys and values")
    count = node.attribute("num_heads")
    if query.dim() == 5:  # [batch, time, heads, 3, size]
        query, key, value = (each.flatten(2) for each in query.unbind(3))
    elif key is not None and key.dim() == 5:
        key, value = (each.flatten(2) for each in key.unbind(3))
    if bias is not None:
        width = query.shape[-1]
        query = query + bias[:width]
        if key.dim() == 3:
            key, value = key + bias[width:2 * width], value + bias[2 * width:]
    query = _heads(query, count)
    key, value = (each if each.dim() == 4 else _heads(each, count) for each in (key, value))
    key, value = _after(past_key, key), _after(past_value, value)
    masks = [_padding(node, mask, query.shape[0], key.shape[-2]), added,
             _causal(query, key) if node.attribute("unidirectional", 0) else None]
    return _joined(_attend(node, query, key, value, masks)), key, value


def _rotated(x, cos, sin, is_interleaved):
    """Rotate pairs of the last axis by angles [batch, 1, time, pairs]; what follows the pairs stays."""
    wide = 2 * cos.shape[-1]
    turned, rest = x[..., :wide], x[..., wide:]
    first, second = (turned[..., ::2], turned[..., 1::2]) if is_interleaved else turned.chunk(2, -1)
    ends = first * cos - second * sin, second * cos + first * sin
    turned = torch.stack(ends, -1).flatten(-2) if is_interleaved else torch.cat(ends, -1)
    return torch.cat([turned, rest], -1)


def _rotary(node, x, places, cos_table, sin_table):
    count, width = node.attribute("num_heads", 0), node.attribute("rotary_embedding_dim", 0)
    is_flat = x.dim() == 3
    if is_flat:  # [batch, time, heads × size]
        x = x.reshape(x.shape[0], x.shape[1], count or x.shape[2] // (2 * cos_table.shape[1]), -1).transpose(1, 2)
    if width and width != 2 * cos_table.shape[1]:
        raise node.refusal(f"rotary_embedding_dim {width} with tables of {cos_table.shape[1]}")
    if places.numel() == 1:
        places = places.reshape(1, 1) + torch.arange(x.shape[2], device=x.device)
    y = _rotated(x, cos_table[places].unsqueeze(1), sin_table[places].unsqueeze(1), node.attribute("interleaved", 0))
    return _joined(y) if is_flat else y


def _window_hidden(node, places, keys):
    """Return which keys each query does not see: later ones, and those before its window. `places` are the queries'."""
    key_places, width = torch.arange(keys, device=places.device), node.attribute("local_window_size", -1)
    hidden = key_places > places.unsqueeze(-1)
    return hidden | (key_places <= places.unsqueeze(-1) - width) if width > 0 else hidden


def _capped(node, scores):
    cap = node.attribute("softcap", 0.0)
    return cap * torch.tanh(scores / cap) if cap else scores


def _group_query(node, query, key, value, past_key, past_value, lengths, total, cos=None, sin=None, places=None,
                 added=None, sink=None):
    """`lengths` are each sequence's number of keys less one, `total` is the longest number of keys."""
    if sink is not None or node.attribute("smooth_softmax", 0):
        raise node.refusal("smooth_softmax")
    count, groups = node.attribute("num_heads"), node.attribute("kv_num_heads")
    if key is None:
        size = query.shape[-1] // (count + 2 * groups)
        query, key, value = query.split([count * size, groups * size, groups * size], -1)
    query, key, value = _heads(query, count), _heads(key, groups), _heads(value, groups)
    new, keys = query.shape[2], int(total)
    have = lengths.reshape(-1).to(torch.int64) + 1 - new if new != keys else torch.zeros_like(lengths.reshape(-1))
    own = have.reshape(-1, 1) + torch.arange(new, device=query.device)  # [batch, time]
    if node.attribute("do_rotary", 0):
        at = own if places is None else places
        turn = cos[at].unsqueeze(1), sin[at].unsqueeze(1), node.attribute("rotary_interleaved", 0)
        query, key = _rotated(query, *turn), _rotated(key, *turn)
    longest = max(keys, 0 if past_key is None else past_key.shape[2])
    key, value = (_placed(past, x, own, longest) for past, x in ((past_key, key), (past_value, value)))
    seen_key, seen_value = (each[:, :, :keys].repeat_interleave(count // groups, 1) for each in (key, value))
    scores = torch.matmul(query, seen_key.transpose(-1, -2)) * (node.attribute("scale", 0.0) or
                                                                1 / math.sqrt(query.shape[-1]))
    scores = _capped(node, scores)
    scores = scores if added is None else scores + added
    scores = scores.masked_fill(_window_hidden(node, own, keys).unsqueeze(1), -math.inf)
    return _joined(torch.matmul(torch.softmax(scores, -1), seen_value)), key, value


def _placed(past, x, places, longest):
    """Return the past, [batch, heads, time, size], with x at these places of its time."""
    whole = torch.zeros(*x.shape[:2], longest, x.shape[3], dtype=x.dtype, device=x.device)
    if past is not None:
        whole[:, :, :past.shape[2]] = past
    return whole.scatter(2, places.reshape(places.shape[0], 1, -1, 1).expand(x.shape), x)


OPERATORS = {f"com.microsoft.{name}": operator for name, operator in {
    "Attention": _attention, "GroupQueryAttention": _group_query, "MultiHeadAttention": _multi_head,
    "RotaryEmbedding": _rotary}.items()}
