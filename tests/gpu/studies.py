# SPDX-License-Identifier: Apache-2.0
"""The studies of a proof, for the toolchains that are there."""
import json

BLOCK, SMALL = {"conv_block": {"width": 64, "depth": 1}}, "resnet18"
PAPER = ["resnet18", "resnet50", "efficientnet_b3", "deit3_small_patch16_224", "swin_s3_tiny_224",
         {"conv_block": {"width": 64, "depth": [1, 3, 6]}}, {"mha_block": {"depth": [1, 3, 6]}}]
ON_GPU, TRANSFER = {"device": "cuda"}, {"include_transfer": True}


def compiler(name, version, label, **options):
    return {name: {"version": version, "label": label, "options": options}}


def eager(versions):
    """The baseline on the GPU, if PyTorch is there."""
    return [compiler("identity", versions["identity"], "eager", **ON_GPU)] if "identity" in versions else []


def pytorch(versions):
    version = versions["identity"]
    family = [compiler(name, version, name, **ON_GPU)
              for name in ("eager-cpp", "torchscript", "torch-compile", "aotinductor")]
    return [*eager(versions), *family, compiler("torch-compile", version, "reduce-overhead", mode="reduce-overhead", **ON_GPU),
            compiler("identity", version, "eager with transfer", **ON_GPU, **TRANSFER)]


def onnxruntime(versions):
    version = versions["onnxruntime"]
    return [*eager(versions), compiler("onnxruntime", version, "ort cuda", provider="cuda"),
            compiler("onnxruntime", version, "ort cuda with transfer", provider="cuda", **TRANSFER),
            compiler("onnxruntime", version, "ort tensorrt", provider="tensorrt")]


def tensorrt(versions):
    """The engine is built in every process: level 1 keeps a build short."""
    version, quick = versions["tensorrt"], {"builder_optimization_level": 1}
    both = [compiler(name, version, label, **quick, **options)
            for name in ("tensorrt", "tensorrt-cpp")
            for label, options in ((name, {}), (f"{name} graph", {"cuda_graph": True}),
                                   (f"{name} with transfer", TRANSFER))]
    return [*eager(versions), *both]


def tvm(versions):
    return [*eager(versions), compiler("tvm", versions["tvm"], "tvm cuda", **ON_GPU)]


def paper(versions):
    """The comparison of the paper's families, as far as time allows."""
    chosen = eager(versions)
    if "identity" in versions:
        chosen.append(compiler("torch-compile", versions["identity"], "torch-compile", **ON_GPU))
    if "onnxruntime" in versions:
        chosen.append(compiler("onnxruntime", versions["onnxruntime"], "ort cuda", provider="cuda"))
    if "tensorrt" in versions:
        chosen.append(compiler("tensorrt-cpp", versions["tensorrt"], "tensorrt-cpp"))
    return chosen


def text(name, compilers, models, batches, versions, processes=1):
    """Return a study file. YAML contains JSON. The memory limit is explicit because a rented machine may report far less
    memory than it has."""
    return json.dumps({
        "name": name, "models": [{"zoo": model} for model in models], "compilers": compilers, "batch_sizes": batches,
        "threads": 1, "processes": processes, "repetitions": 20, "min_repetition_ms": 5,
        "reference": "identity" if "identity" in versions else "none",
        **({"reference_version": versions["identity"]} if "identity" in versions else {}),
        "memory_limit": "100 GB", "timeouts": {"compile_s": 200, "run_s": 60}, "attempts": 1,
        "disturbance": {"max_wait_percent": 100}}, indent=1)
