# SPDX-License-Identifier: Apache-2.0
"""The studies of a proof, for the toolchains that are there. Each study's function returns (compilers, models, batch
sizes); `versions` maps compilers to the versions that were adopted."""
import json
import os

SMALL, BLOCK = "resnet18", {"conv_block": {"width": 64, "depth": 1}}
FAMILIES = ["resnet18", "resnet50", "efficientnet_b3", "deit3_small_patch16_224", "swin_s3_tiny_224",
            {"conv_block": {"width": 64, "depth": [1, 3, 6]}}, {"mha_block": {"depth": [1, 3, 6]}}]
ON_GPU, TRANSFER, GRAPH = {"device": "cuda"}, {"include_transfer": True}, {"cuda_graph": True}


def compiler(name, version, label, **options):
    return {name: {"version": version, "label": label, "options": options}}


def eager(versions, label="eager", **options):
    """The baseline on the GPU, if PyTorch is there."""
    return [compiler("identity", versions["identity"], label, **ON_GPU, **options)] if "identity" in versions else []


def pytorch(versions):
    version = versions["identity"]
    return [*eager(versions), *eager(versions, "eager with transfer", **TRANSFER),
            compiler("torch-compile", version, "torch-compile", **ON_GPU),
            compiler("torch-compile", version, "torch-compile with transfer", **ON_GPU, **TRANSFER)], [SMALL], [1]


def programs(versions):
    version = versions["identity"]
    return [*eager(versions), *(compiler(name, version, name, **ON_GPU) for name in ("eager-cpp", "torchscript"))], [SMALL], [1]


def aotinductor(versions):
    version = versions["identity"]
    return [*eager(versions), compiler("aotinductor", version, "aotinductor", **ON_GPU),
            compiler("torch-compile", version, "reduce-overhead", mode="reduce-overhead", **ON_GPU)], [SMALL], [1]


def aotinductor_alone(versions):
    return [compiler("aotinductor", versions["identity"], "aotinductor", **ON_GPU)], [SMALL], [1]


def decoder(versions):
    """One step of a language model of 30 and of 100 million parameters over a cache, by the form of the cache."""
    cached = {"context": 1000, "capacity": 1024}
    return [*eager(versions), compiler("torch-compile", versions["identity"], "torch-compile", **ON_GPU)], [
        {name: {"cache": ["delta", "static"], **cached}} for name in ("llama_30m", "llama_100m")], [1]


def wait(versions):
    """How much of a processor inference takes, by the way in which it waits for the GPU."""
    chosen = [*eager(versions, "eager spin", wait="spin"), *eager(versions, "eager block", wait="block")]
    if "onnxruntime" in versions:
        chosen += [compiler("onnxruntime", versions["onnxruntime"], f"ort {each}", provider="cuda", wait=each)
                   for each in ("spin", "block")]
    return chosen, ["resnet50"], [32]


def onnxruntime(versions):
    version = versions["onnxruntime"]
    return [*eager(versions), compiler("onnxruntime", version, "ort cuda", provider="cuda"),
            compiler("onnxruntime", version, "ort cuda with transfer", provider="cuda", **TRANSFER)], [SMALL], [1]


def onnxruntime_tensorrt(versions):
    return [*eager(versions), compiler("onnxruntime", versions["onnxruntime"], "ort tensorrt", provider="tensorrt")], [SMALL], [1]


def tensorrt(versions):
    version = versions["tensorrt"]
    return [*eager(versions), *(compiler(name, version, name) for name in ("tensorrt-cpp", "tensorrt"))], [SMALL], [1]


def tensorrt_options(versions):
    return [compiler(name, versions["tensorrt"], f"{name} {words}", **options) for name in ("tensorrt-cpp", "tensorrt")
            for words, options in (("as a graph", GRAPH), ("with transfer", TRANSFER))], [SMALL], [1]


def half(versions):
    return [compiler("tensorrt-cpp", versions["tensorrt"], "tensorrt-cpp")], ["resnet50"], [1, 32]


def tvm(versions):
    return [*eager(versions), compiler("tvm", versions["tvm"], "tvm untuned", **ON_GPU),
            compiler("tvm", versions["tvm"], "tvm tuned", trials=48, **ON_GPU)], [BLOCK], [1]


def figure_1(versions):
    """Does the order of two models turn round by a compiler (the paper, Figure 1)? One of them is a transformer."""
    return [*eager(versions), compiler("tensorrt-cpp", versions["tensorrt"], "tensorrt-cpp")], [
        "resnet50", "deit3_small_patch16_224"], [1]


def families(versions):
    """The paper's other families: a transformer of windows, a network of inverted residuals, both blocks."""
    return [*eager(versions), compiler("tensorrt-cpp", versions["tensorrt"], "tensorrt-cpp")], [
        "swin_s3_tiny_224", "efficientnet_b3", {"conv_block": {"width": 64, "depth": 3}}, {"mha_block": {"depth": 3}}], [1]


def explain(versions):
    """Where TensorRT gains over eager mode. Each engine would take its 43 s in each process: so it is compiled once."""
    return [*eager(versions), compiler("tensorrt-cpp", versions["tensorrt"], "tensorrt-cpp")], [SMALL], [1]


def paper(versions):
    """The comparison of the paper's families, as far as toolchains and time allow."""
    chosen = eager(versions)
    if "identity" in versions:
        chosen.append(compiler("torch-compile", versions["identity"], "torch-compile", **ON_GPU))
    if "onnxruntime" in versions:
        chosen.append(compiler("onnxruntime", versions["onnxruntime"], "ort cuda", provider="cuda"))
    if "tensorrt" in versions:
        chosen.append(compiler("tensorrt-cpp", versions["tensorrt"], "tensorrt-cpp"))
    return chosen, FAMILIES, [1, 8, 32]


def text(name, chosen, versions, processes=1, **more):
    """Return a study file. YAML contains JSON. Threads are for the builders and the reference, which take minutes on one.
    The memory limit is explicit because a rented machine may report far less memory than it has."""
    compilers, models, batches = chosen
    return json.dumps({
        "name": name, "models": [{"zoo": model} for model in models], "compilers": compilers, "batch_sizes": batches,
        "threads": min(4, len(os.sched_getaffinity(0))), "protocol": "paper", "processes": processes,
        "repetitions": 20, "min_repetition_ms": 50, "longer_look_s": 0,
        "reference": "identity" if "identity" in versions else "none",
        **({"reference_version": versions["identity"]} if "identity" in versions else {}),
        "memory_limit": "100 GB", "timeouts": {"compile_s": 200, "run_s": 60}, "attempts": 1,
        "disturbance": {"max_wait_percent": 100}, **more}, indent=1)
