# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms and what spectra are made with."""
import numpy as np
import torch
from torch.nn import functional

from .node import TYPES, axis_of, numbers, takes_numbers


@takes_numbers(1, 2)
def _dft(node, x, length=None, axis=None):
    along = node.attribute("axis", 1) if node.opset < 20 else -2 if axis is None else numbers(axis)[0]
    along, is_inverse = axis_of(along, x.dim()), node.attribute("inverse", 0)
    count = None if length is None else numbers(length)[0]
    signal = torch.view_as_complex(x.contiguous()) if x.shape[-1] == 2 else x.squeeze(-1)
    if node.attribute("onesided", 0):
        made = torch.fft.irfft(signal, count, along) if is_inverse else torch.fft.rfft(signal.real, count, along)
    else:
        made = (torch.fft.ifft if is_inverse else torch.fft.fft)(signal, count, along)
    return torch.view_as_real(made) if made.is_complex() else made.unsqueeze(-1)


@takes_numbers(1, 3)
def _stft(node, x, step, window=None, length=None):
    count = window.shape[0] if length is None else numbers(length)[0]
    is_complex = x.dim() == 3 and x.shape[-1] == 2
    signal = torch.view_as_complex(x.contiguous()) if is_complex else x.reshape(x.shape[0], -1)
    frames = signal.unfold(1, count, numbers(step)[0])
    frames = frames if window is None else frames * window
    is_half = node.attribute("onesided", 1) and not is_complex
    return torch.view_as_real((torch.fft.rfft if is_half else torch.fft.fft)(frames))


def _mel_weights(node, bins, length, rate, low, high):
    """Return triangles between equal steps of mel, as onnx defines them."""
    bins, length, rate, low, high = (each.item() for each in (bins, length, rate, low, high))
    spectrum = length // 2 + 1
    step = (2595 * np.log10(1 + high / 700) - 2595 * np.log10(1 + low / 700)) / (bins + 2)
    mel = np.arange(bins + 2) * step + 2595 * np.log10(1 + low / 700)
    edges = ((length + 1) * (700 * (10 ** (mel / 2595) - 1)) // rate).astype(np.int64)
    weights = np.zeros((spectrum, bins))
    for place in range(bins):
        first, centre, last = edges[place:place + 3]
        if centre == first:
            weights[centre, place] = 1
        else:
            weights[first:centre + 1, place] = (np.arange(first, centre + 1) - first) / (centre - first)
        if last > centre:
            weights[centre:last, place] = (last - np.arange(centre, last)) / (last - centre)
    return torch.from_numpy(weights).to(TYPES[node.attribute("output_datatype", 1)])


def _convolved(node, x, weight, bias=None, past=None):
    kept = weight.shape[-1] - 1
    before = torch.zeros(*x.shape[:2], kept, dtype=x.dtype, device=x.device) if past is None else past
    whole = torch.cat((before, x), -1)
    y = functional.conv1d(whole, weight, bias, groups=x.shape[1])
    is_swish = node.attribute("activation", "none") in ("silu", "swish")
    return functional.silu(y) if is_swish else y, whole[..., whole.shape[-1] - kept:]


OPERATORS = {"CausalConvWithState": _convolved, "DFT": _dft, "MelWeightMatrix": _mel_weights, "STFT": _stft}
