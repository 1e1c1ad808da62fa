# SPDX-License-Identifier: Apache-2.0
"""Makes two .npy files of a study's samples and their labels: samples.npy, row by row, and labels.npy."""
import json
import os
import sys

import numpy as np

_MEAN = np.array([0.485, 0.456, 0.406], np.float32)  # of ImageNet's colours, with which most classifiers are trained
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def answer() -> None:
    """Read {"source", "labels", "called", "has_images", "shape"?, "output"}, write the files and print {"samples"}, or
    {"error", "next"}. "called" are the user's names of source and labels, which are copies."""
    question = json.loads(sys.stdin.read())
    try:
        samples = _images(question["source"], question["shape"]) if question["has_images"] else _arrays(question["source"])
        labels = _labels(question["labels"])
        if len(samples) != len(labels):
            raise ValueError(f"{len(labels)} labels for {len(samples)} samples")
    except (OSError, ValueError) as error:
        told = str(error)
        for key, called in zip(("source", "labels"), question["called"]):
            told = told.replace(question[key], called)
        print(json.dumps({"error": told, "next": "the labels are in the order of the samples' names, one for each"}))
        return
    np.save(os.path.join(question["output"], "samples.npy"), samples)
    np.save(os.path.join(question["output"], "labels.npy"), labels)
    print(json.dumps({"samples": len(samples)}))


def _files(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if not name.startswith(".")]


def _arrays(source):
    if not os.path.isdir(source):
        return np.load(source)
    paths = [path for path in _files(source) if path.endswith(".npy")]
    if not paths:
        raise ValueError(f"{source}: there is no .npy file in this folder")
    arrays = [np.load(path) for path in paths]
    for path, array in zip(paths, arrays):
        if array.shape != arrays[0].shape:
            raise ValueError(f"{path}: has the shape {list(array.shape)}, {paths[0]} has {list(arrays[0].shape)}")
    # A sample may be saved with its leading extent of a batch of 1.
    return np.concatenate(arrays) if arrays[0].shape[:1] == (1,) else np.stack(arrays)


def _images(folder, shape):
    from PIL import Image, UnidentifiedImageError
    if len(shape) != 4 or shape[1] != 3:
        raise ValueError(f"images are [batch, 3, height, width], the model's input is {shape}")
    height, width = shape[2:]
    samples = []
    for path in _files(folder):
        try:
            with Image.open(path) as opened:
                image = opened.convert("RGB")
        except UnidentifiedImageError:
            raise ValueError(f"{path}: no image that Pillow can read") from None
        scale = 256 / 224 * max(height / image.height, width / image.width)
        image = image.resize((max(width, round(image.width * scale)), max(height, round(image.height * scale))),
                             Image.Resampling.BILINEAR)
        left, top = (image.width - width) // 2, (image.height - height) // 2
        pixels = np.asarray(image.crop((left, top, left + width, top + height)), np.float32) / 255
        samples.append(((pixels - _MEAN) / _DEVIATION).transpose(2, 0, 1))
    if not samples:
        raise ValueError(f"{folder}: there is no image in this folder")
    return np.stack(samples)


def _labels(path):
    if path.endswith(".npy"):
        labels = np.load(path)
        if labels.ndim != 1 or not np.issubdtype(labels.dtype, np.integer):
            raise ValueError(f"{path}: holds {labels.dtype} of {labels.ndim} dimensions, expected integers of 1")
        return labels.astype(np.int64)
    with open(path, encoding="utf-8") as lines:
        words = lines.read().split()
    for word in words:
        if not word.isdigit():
            raise ValueError(f"{path}: {word} is no class; classes are numbers from 0 on, one in each line")
    return np.array([int(word) for word in words], np.int64)
