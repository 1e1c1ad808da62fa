# SPDX-License-Identifier: Apache-2.0
"""Recipes against the real thing: onnx.checker, timm's modules with the recipe's weights, ONNX Runtime, OpenVINO.

zoo_against_timm.py WRITE_RECIPE   Exit code 77: the toolchains are not installed (the reason is printed).
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NEEDED = ("identity", "onnxruntime", "openvino")
MODELS = ("resnet18", "resnet50", "resnet101")
CONV_BLOCKS = ({"width": 64, "depth": 1}, {"width": 64, "depth": 2}, {"width": 96, "depth": 4},
               {"width": 64, "depth": 6, "image_size": 60})
SEEDS = (1, 2, 3)
# As a study checks outputs: |a - b| <= 1e-4 + 1e-3 |b|.
ABSOLUTE, RELATIVE = 1e-4, 1e-3


def use_toolchains():
    root = Path(os.environ.get("NGB_TOOLCHAINS", Path.home() / ".local/share/ngraphbench/toolchains"))
    for compiler in NEEDED:
        sites = sorted(root.glob(f"{compiler}/*/site"))
        if not sites:
            print(f"skipped: no {compiler} under {root}; set NGB_TOOLCHAINS or install it with ngb toolchain install")
            sys.exit(77)
        sys.path.append(str(sites[-1]))


use_toolchains()
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import openvino  # noqa: E402
import timm  # noqa: E402
import torch  # noqa: E402
from onnx import numpy_helper  # noqa: E402


def write(name, parameters, seed, batch, path):
    words = [sys.argv[1], name, json.dumps(parameters), str(seed), str(batch), "2", str(path)]
    facts = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert path.stat().st_size == facts["file_bytes"], "file_bytes is not the file's size"
    return facts


def state_dict(path):
    model = onnx.load(str(path))
    return {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in model.graph.initializer}


class ConvBlocks(torch.nn.Module):
    def __init__(self, width, depth, **_):
        super().__init__()
        self.blocks = torch.nn.ModuleList(
            torch.nn.ModuleDict({"conv": torch.nn.Conv2d(width if index else 3, width, 3, padding=1),
                                 "bn": torch.nn.BatchNorm2d(width)}) for index in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block["bn"](block["conv"](x)))
        return x


def run_onnxruntime(path, x):
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(["output"], {"input": x})[0]


def run_openvino(path, x):
    options = {"INFERENCE_PRECISION_HINT": "f32"}
    return openvino.Core().compile_model(str(path), "CPU", options)({"input": x})["output"]


def compare(label, found, expected):
    error = np.abs(found - expected)
    relative = error.max() / np.abs(expected).max()
    print(f"{label:44s} max abs error {error.max():.2e}, of the largest output {relative:.2e}")
    assert (error <= ABSOLUTE + RELATIVE * np.abs(expected)).all(), f"{label} differs from torch"


def check_spread(label, output):
    """Neither constant nor blown up, and different for different inputs."""
    spread = output.std()
    between = (output - output.mean(axis=0, keepdims=True)).std()
    print(f"{label:44s} std {spread:.3f}, between inputs {between:.3f}")
    assert 0.1 < spread < 10, f"{label} has a spread of {spread}"
    assert between > 0.1 * spread, f"{label} hardly depends on the input"


def check_stages(module, label, stages, x):
    seen = {}
    for stage in stages:
        module.get_submodule(stage).register_forward_hook(lambda _m, _i, y, stage=stage: seen.update({stage: y}))
    module(torch.from_numpy(x))
    for stage, output in seen.items():
        check_spread(f"{label} {stage}", output.numpy())


def exact_macs(module, x):
    """Output elements times the weights behind each, over all convolutions and matrix products."""
    macs = []
    hooks = [part.register_forward_hook(lambda m, _i, y: macs.append(y.numel() * m.weight[0].numel()))
             for part in module.modules() if isinstance(part, (torch.nn.Conv2d, torch.nn.Linear))]
    module(torch.from_numpy(x))
    for hook in hooks:
        hook.remove()
    return sum(macs)


def check(label, module, stages, name, parameters, folder):
    path = folder / "model.onnx"
    for seed in SEEDS:
        facts = write(name, parameters, seed, 2, path)
        module.load_state_dict(state_dict(path), strict=True)
        assert facts["parameters"] == sum(p.numel() for p in module.parameters()), "parameters"
        size = onnx.load(str(path)).graph.input[0].type.tensor_type.shape.dim[2].dim_value
        x = np.random.default_rng(seed).uniform(-1, 1, (2, 3, size, size)).astype(np.float32)
        expected = module(torch.from_numpy(x)).numpy()
        compare(f"{label} seed {seed}: onnxruntime", run_onnxruntime(path, x), expected)
        compare(f"{label} seed {seed}: openvino", run_openvino(path, x), expected)
    onnx.checker.check_model(str(path), full_check=True)
    onnx.shape_inference.infer_shapes(onnx.load(str(path)), check_type=True, strict_mode=True, data_prop=True)
    assert facts["macs"] == exact_macs(module, x), "macs"
    check_stages(module, label, stages, x)


def main():
    torch.set_num_threads(2)
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            stages = ("act1", "layer1", "layer2", "layer3", "layer4", "global_pool", "fc")
            check(name, timm.create_model(name).eval(), stages, name, {}, Path(folder))
        for parameters in CONV_BLOCKS:
            module = ConvBlocks(**parameters).eval()
            stages = [f"blocks.{index}.bn" for index in range(parameters["depth"])]
            check(f"conv_block {parameters}", module, stages, "conv_block", parameters, Path(folder))
    print("all equal")


main()
