# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms."""
import jax.numpy as jnp
import numpy as np


def _complex(x):
    return x[..., 0] + 1j * x[..., 1] if x.shape[-1] == 2 else x[..., 0]


def _pairs(values, dtype):
    return jnp.stack((jnp.real(values), jnp.imag(values)), -1).astype(dtype)


def _dft(node, x, length=None, axis=None):
    x = jnp.asarray(x)
    along = node.attribute("axis", 1) if node.opset < 20 else -2 if axis is None else node.integers(axis, "axis")[0]
    along, is_inverse = node.axis(along, x.ndim), node.attribute("inverse", 0)
    count = None if length is None else node.integers(length, "length")[0]
    signal = _complex(x)
    if node.attribute("onesided", 0):
        if is_inverse:
            return jnp.fft.irfft(signal, count, along)[..., None].astype(x.dtype)
        return _pairs(jnp.fft.rfft(jnp.real(signal), count, along), x.dtype)
    return _pairs((jnp.fft.ifft if is_inverse else jnp.fft.fft)(signal, count, along), x.dtype)


def _stft(node, x, step, window=None, length=None):
    x = jnp.asarray(x)
    count = window.shape[0] if length is None else node.integers(length, "length")[0]
    stride, is_complex = node.integers(step, "step")[0], x.ndim == 3 and x.shape[-1] == 2
    signal = _complex(x) if x.ndim == 3 else x
    starts = np.arange(0, signal.shape[1] - count + 1, stride)
    frames = signal[:, starts[:, None] + np.arange(count)[None, :]]
    frames = frames if window is None else frames * window
    is_half = node.attribute("onesided", 1) and not is_complex
    return _pairs((jnp.fft.rfft if is_half else jnp.fft.fft)(frames), x.dtype)


OPERATORS = {"DFT": _dft, "STFT": _stft}
