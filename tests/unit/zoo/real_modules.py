# SPDX-License-Identifier: Apache-2.0
"""Recipes beside the modules they stand for: the identity's own code builds the module and loads the file's weights, ONNX
Runtime and OpenVINO run the file. Shared by the test zoo_against_timm.py and the tables under tests/bench/zoo."""
import copy
import json
import os
import subprocess
import sys
from pathlib import Path

NEEDED = ("identity", "onnxruntime", "openvino")
REPOSITORY = Path(__file__).resolve().parents[3]


def use_toolchains():
    """Puts the newest of each on the path, and the identity's own files. Exits with 77 where one is missing."""
    root = Path(os.environ.get("NGB_TOOLCHAINS", Path.home() / ".local/share/ngraphbench/toolchains"))
    for compiler in NEEDED:
        sites = sorted(root.glob(f"{compiler}/*/site"))
        if not sites:
            print(f"skipped: no {compiler} under {root}; set NGB_TOOLCHAINS or install it with ngb toolchain install")
            sys.exit(77)
        sys.path.append(str(sites[-1]))
    sys.path += [str(REPOSITORY / "python"), str(REPOSITORY / "compilers")]


use_toolchains()
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # as our plugin has it
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import openvino  # noqa: E402
import torch  # noqa: E402
from identity import families, onnx_weights  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402


def write(write_recipe, name, parameters, seed, batch, path):
    """Writes the model; what write_recipe says of it."""
    words = [str(write_recipe), name, json.dumps(parameters), str(seed), str(batch), "2", str(path)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, f"{name} {parameters}: {done.stderr}"
    return json.loads(done.stdout)


def module_of(told, path):
    """The identity's module of a recipe, with the weights of the file, loaded strictly."""
    recipe = json.loads(told["recipe"])
    return onnx_weights.build_with_weights(
        lambda: families.build(recipe["family"], recipe["parameters"]), onnx.load(str(path)), str(path)).eval()


def input_of(path, seed, batch=None):
    """Uniform on [-1, 1), as the worker's."""
    dims = onnx.load(str(path), load_external_data=False).graph.input[0].type.tensor_type.shape.dim
    shape = [batch or dims[0].dim_value] + [dim.dim_value for dim in dims[1:]]
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def run_torch(module, x):
    with torch.no_grad():
        return module(torch.from_numpy(x)).numpy()


def run_onnxruntime(path, x):
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(["output"], {"input": x})[0]


def run_openvino(path, x):
    return openvino.Core().compile_model(str(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})({"input": x})["output"]


def counted_macs(module, *inputs):
    """What torch's own counter sees in convolutions and matrix products, attention's too. It counts by shapes, so the
    module is called on the device meta, which computes nothing."""
    torch.backends.mha.set_fastpath_enabled(False)
    with torch.no_grad(), torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        with FlopCounterMode(display=False) as counter:
            copy.deepcopy(module).to("meta")(*(torch.from_numpy(x).to("meta") for x in inputs))
    torch.backends.mha.set_fastpath_enabled(True)
    return counter.get_total_flops() // 2


def check_onnx(path):
    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(str(path), load_external_data=False)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
