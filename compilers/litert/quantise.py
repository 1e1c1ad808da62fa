# SPDX-License-Identifier: Apache-2.0
"""Quantises LiteRT's file of the identity's module by ai_edge_quantizer. Inputs and outputs keep their types."""
import json
import os
import sys

from ngraphbench import quantise

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
_RECIPES = {("static", 8): "static_wi8_ai8", ("dynamic", 8): "dynamic_wi8_afp32", ("dynamic", 4): "dynamic_wi4_afp32",
            ("weights", 8): "weight_only_wi8_afp32", ("weights", 4): "weight_only_wi4_afp32"}
_SIGNATURE = "serving_default"  # as litert-torch calls it


def write(question, batches):
    """Write the file question["output"]. `batches()` yields {input: array} to calibrate with."""
    from ai_edge_quantizer import algorithm_manager, qtyping, quantizer, recipe

    exact, names = _exact(question)
    tool = quantizer.Quantizer(exact, getattr(recipe, _RECIPES[question["how"], question["bits"]])())
    for end in (qtyping.TFLOperationName.INPUT, qtyping.TFLOperationName.OUTPUT):
        tool.update_quantization_recipe(regex=".*", operation_name=end,
                                        algorithm_key=algorithm_manager.AlgorithmName.NO_QUANTIZE)
    calibrated = None
    if question["how"] == "static":
        samples = [{names[name]: array for name, array in batch.items()} for batch in batches()]
        calibrated = tool.calibrate({_SIGNATURE: samples}, num_threads=os.cpu_count() or 1)
    tool.quantize(calibrated, enable_progress_report=False).export_model(question["output"])


def _exact(question):
    """Return the path of the model's file in f32, and {name of an input: its name there}. It is made once."""
    import compile as compiling

    path, signature = (os.path.join(question["scratch"], name) for name in ("exact.tflite", "signature.json"))
    request = quantise.module_request(question)
    compiling.import_packages()
    if not os.path.exists(path):
        compiling.compile_model({**request, "output": path, "signature": signature, "has_delegate": False}, print)
    with open(signature, encoding="utf-8") as file:
        theirs = json.load(file)["inputs"]
    return path, {each["name"]: name for each, name in zip(request["inputs"], theirs)}
