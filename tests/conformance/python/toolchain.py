# SPDX-License-Identifier: Apache-2.0
"""Where a compiler's toolchain is, and recipes for it."""
import json
import os
import subprocess
import sys

LIB = os.environ["NGB_LIB"]


def toolchain_of(compiler):
    """Return the folder of the default version, or "" if it is not installed."""
    with open(os.environ["NGB_VERSIONS"], encoding="utf-8") as file:
        version = json.load(file)["toolchains"][compiler]["default"]
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    root = os.environ.get("NGB_TOOLCHAINS") or os.path.join(home, "ngraphbench", "toolchains")
    folder = os.path.join(root, compiler, version)
    return folder if os.path.exists(os.path.join(folder, "manifest.json")) else ""


def toolchain_or_skip(compiler, package):
    """(interpreter, site-packages) of the default version; ends the test program as skipped where it is not there."""
    with open(os.environ["NGB_VERSIONS"], encoding="utf-8") as file:
        version = json.load(file)["toolchains"][compiler]["default"]
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    root = os.environ.get("NGB_TOOLCHAINS") or os.path.join(home, "ngraphbench", "toolchains")
    folder = os.path.join(root, compiler, version)
    site = os.path.join(folder, "site")
    if not os.path.isdir(os.path.join(site, package)):
        print(f"SKIPPED: no toolchain {compiler}@{version} ({site}); ngb toolchain install {compiler}@{version}")
        sys.exit(77)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        return json.load(file)["python"], site


def node_tests():
    """Return the module that reads the onnx package's node tests; `onnx` must be importable."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "operators"))
    import cases

    return cases


def write_recipe(path, name, batch=1, **parameters):
    """The canonical recipe of the ONNX file that it writes."""
    program = os.path.join(os.environ["NGB_BUILD_DIR"], "tests", "write_recipe")
    seed, threads = "1", "1"
    run = subprocess.run([program, name, json.dumps(parameters), seed, str(batch), threads, path], check=True,
                         capture_output=True, text=True)
    return json.loads(run.stdout)["recipe"]


# One of each family of the zoo, and of each block, that takes milliseconds.
SMALL = (
    ("resnet", dict(depths=[1, 2, 1, 1], width=0.125, classes=10, image_size=64)),
    ("resnet", dict(block="bottleneck", depths=[2, 1, 1, 1], width=0.125, classes=10, image_size=64)),
    ("efficientnet", dict(width=0.25, depth=0.5, classes=10, image_size=48)),
    ("mobilenet_v3", dict(size="small", width=0.25, classes=10, image_size=48)),
    ("vit", dict(width=24, depth=2, heads=3, patch=8, image_size=24, layer_scale=True, class_position=False)),
    ("swin", dict(width=12, depths=[2, 2, 2, 2], heads=[1, 2, 2, 3], windows=[3, 4, 2, 2], image_size=72)),
    ("convnext", dict(depths=[1, 1, 1, 1], channels=[8, 12, 16, 20], classes=10, image_size=48)),
    ("mha_block", dict(embed=32, heads=4, depth=2)),
    ("decoder_block", dict(embed=32, heads=4, depth=2, sequence=9)),
    ("mlp", dict(features=20, width=16, depth=2, classes=7)),
)

# Steps over each form of the cache, and a prefill; their inputs are those of `inputs_of_decoder`.
_DECODER = dict(width=32, depth=2, heads=4, key_heads=2, inner=24, vocabulary=50)
DECODERS = (
    *(("decoder", dict(_DECODER, architecture=architecture, cache=cache, context=5))
      for architecture in ("llama", "gpt") for cache in ("delta", "growing", "scatter", "static")),
    ("decoder", dict(_DECODER, cache="delta", context=5, capacity=9, tokens=3)),
    ("decoder", dict(_DECODER, cache="growing", context=0, tokens=7)),
)


def inputs_of_decoder(recipe, graph):
    """Return random tokens and rows, and the position after the context: {name: array}."""
    import numpy

    parameters, random, inputs = json.loads(recipe)["parameters"], numpy.random.default_rng(1), {}
    for each in graph.input:
        shape = [extent.dim_value for extent in each.type.tensor_type.shape.dim]
        inputs[each.name] = random.uniform(-1, 1, shape).astype(numpy.float32)
    inputs["input_ids"] = random.integers(0, parameters["vocabulary"], inputs["input_ids"].shape)
    inputs["position"] = numpy.full(inputs["position"].shape, parameters["context"])
    return inputs
