# SPDX-License-Identifier: Apache-2.0
"""Recipes against the real thing: onnx.checker, the modules of timm and torch with the recipe's weights, ONNX Runtime,
OpenVINO.

zoo_against_timm.py WRITE_RECIPE   Exit code 77: the toolchains are not installed (the reason is printed).
"""
import sys
import tempfile
from pathlib import Path

import real_modules as real
import numpy as np
import torch

SMALL_VIT = {"width": 48, "depth": 2, "heads": 4, "image_size": 48}
SMALL_SWIN = {"width": 24, "depths": [2, 2, 2, 2], "heads": [2, 2, 4, 4]}
CASES = (
    ("resnet18", {}),
    ("resnet50", {"image_size": 64}),
    ("resnet", {"depths": [1, 2, 1, 1], "width": 0.5, "image_size": 64, "classes": 10}),
    ("resnet", {"depths": [1, 1, 1, 1], "width": 0.3, "block": "bottleneck", "image_size": 33}),
    ("efficientnet_b3", {}),
    ("efficientnet", {"width": 0.6, "depth": 0.7, "image_size": 65}),
    ("deit3_small_patch16_224", {}),
    ("vit", SMALL_VIT),
    ("vit", {**SMALL_VIT, "layer_scale": True, "class_position": False, "mlp_ratio": 2.5, "patch": 12}),
    ("swin_s3_tiny_224", {}),
    ("swin", {**SMALL_SWIN, "windows": [7, 7, 7, 7]}),
    # Maps of 27, 14, 7, 4: padded to windows, odd when patches are merged, windows as large as the map.
    ("swin", {**SMALL_SWIN, "windows": [5, 4, 7, 3], "image_size": 108}),
    ("convnext_tiny", {}),
    ("convnext", {"depths": [1, 1, 2, 1], "channels": [16, 24, 32, 48], "image_size": 97}),
    ("mobilenetv3_large_100", {}),
    ("mobilenetv3_small_100", {"width": 0.5}),
    ("conv_block", {"width": 64, "depth": 1}),
    ("conv_block", {"width": 96, "depth": 4, "image_size": 60}),
    ("conv_block", {"width": 32, "depth": 2, "image_size": 60, "kernel_size": 5, "stem": False}),
    ("mha_block", {"embed": 128, "depth": 1}),
    ("mha_block", {"embed": 256, "depth": 6, "heads": 4, "sequence": 7}),
    ("decoder_block", {"embed": 64, "depth": 3, "heads": 4, "sequence": 20}),
    ("mlp", {"features": 100, "width": 64, "depth": 2, "classes": 10}),
)
# As a study checks outputs: |a - b| <= 1e-4 + 1e-3 |b|.
ABSOLUTE, RELATIVE = 1e-4, 1e-3


def compare(label, found, expected):
    error = np.abs(found - expected)
    print(f"{label:84s} max abs error {error.max():.2e}, of the largest output {error.max() / abs(expected).max():.2e}")
    assert found.shape == expected.shape, f"{label}: {found.shape}, not {expected.shape}"
    assert (error <= ABSOLUTE + RELATIVE * np.abs(expected)).all(), f"{label} differs from torch"


def check_spread(label, output):
    """Neither constant nor blown up, and different for different inputs."""
    spread = output.std()
    between = (output - output.mean(axis=0, keepdims=True)).std()
    print(f"{label:84s} std {spread:.3f}, between inputs {between:.3f}")
    assert 0.05 < spread < 20, f"{label} has a spread of {spread}"
    assert between > 0.1 * spread, f"{label} hardly depends on the input"


def run_and_keep_stages(module, x):
    """The output, and the outputs of the module's children, and of their children where those are stages or blocks."""
    seen = {}
    hooks = [part.register_forward_hook(lambda _m, _i, y, name=name: seen.update({name: y}))
             for name, part in module.named_modules() if name.count(".") <= 1 and not isinstance(part, torch.nn.Identity)]
    output = real.run_torch(module, x)
    for hook in hooks:
        hook.remove()
    return output, {name: value.numpy() for name, value in seen.items()
                    if isinstance(value, torch.Tensor) and value.shape[0] == x.shape[0]}


def check(write_recipe, name, parameters, folder):
    label = f"{name} {parameters or ''}"
    path = folder / "model.onnx"
    told = real.write(write_recipe, name, parameters, 1, 2, path)
    real.check_onnx(path)
    assert path.stat().st_size == told["file_bytes"], f"{label}: file_bytes is not the file's size"
    module = real.module_of(told, path)
    assert told["parameters"] == sum(p.numel() for p in module.parameters()), f"{label}: parameters"
    x = real.input_of(path, 1)
    assert told["macs"] == real.counted_macs(module, x), f"{label}: {told['macs']} MACs, not what torch counts"
    expected, stages = run_and_keep_stages(module, x)
    compare(f"{label}: onnxruntime", real.run_onnxruntime(path, x), expected)
    for stage, output in stages.items():
        check_spread(f"{label} {stage}", output)
    check_spread(f"{label} output", expected)
    if not parameters:
        return  # of its full size; a smaller one of its family shows the rest

    compare(f"{label}: openvino", real.run_openvino(path, x), expected)
    dynamic = folder / "dynamic.onnx"
    real.write(write_recipe, name, parameters, 1, "dynamic", dynamic)
    real.check_onnx(dynamic)
    compare(f"{label}: dynamic batch of 2", real.run_onnxruntime(dynamic, x), expected)
    three = np.concatenate([x, x[:1]])
    compare(f"{label}: dynamic batch of 3", real.run_onnxruntime(dynamic, three),
            np.concatenate([expected, expected[:1]]))


def main():
    torch.set_num_threads(1)  # a second one would mostly wait, and spin
    with tempfile.TemporaryDirectory() as folder:
        for name, parameters in CASES:
            check(Path(sys.argv[1]), name, parameters, Path(folder))
    print("all equal")


main()
