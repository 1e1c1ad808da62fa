# SPDX-License-Identifier: Apache-2.0
"""Makes a quantised file of a model for a variant of a study: an int8 ONNX file by onnxruntime.quantization, or what a
compiler's own tool writes, which the function `write` of quantise.py in the compiler's folder runs. All packages are those
of toolchains."""
import difflib
import json
import logging
import os
import shutil
import sys
import tempfile

import numpy as np
from ngraphbench import compiler_module
from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import first_line

_TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i64": np.int64, "i32": np.int32, "i8": np.int8,
          "u8": np.uint8, "bool": np.bool_}
_METHODS = {"minmax": "MinMax", "entropy": "Entropy", "percentile": "Percentile"}


class _NoSuchNode(Exception):
    pass


def answer() -> None:
    """Read {"exact", "judging_rows", "seed", "batch", "inputs": [{"name", "type", "shape", "range"?, "file"?, "array"?}],
    "scratch": a folder, "variants": [{"output", "how": "static", "dynamic" or "weights", "bits", "per_channel", "method",
    "exclude": [node], "calibration_inputs"}]}, write the files of the variants, up to the first that cannot be made, and print
    {"variants": [{"shares_rows"} or {"error", "next"}]}: whether it is calibrated with the rows that judge it. For a compiler's
    own tool there are {"tool", "recipe", "folders", "module_site"} too; what it makes of the exact model is kept in "scratch"."""
    question = json.loads(sys.stdin.read())
    logging.disable(logging.WARNING)
    answers = []
    for variant in question.pop("variants"):
        answers.append(_answer({**question, **variant}))
        if "error" in answers[-1]:
            break
    print(json.dumps({"variants": answers}))


def _answer(question) -> dict:
    tool = question.get("tool", "")
    try:
        (_by_tool if tool else _quantise)(question)
    except CompilerError as error:
        return {"error": f"{tool}: {error.message}", "next": error.advice}
    except _NoSuchNode as error:
        return {"error": str(error), "next": "name nodes as the file does; those that are merged into another one, as a "
                                             "normalisation into its convolution, have no int8"}
    except Exception as error:  # whatever the library raises is told by its words
        folder = os.path.dirname(question["output"])
        # Where the library could write only a part of the file, it says that the model is damaged.
        if shutil.disk_usage(folder).free < (os.path.getsize(question["exact"]) if question["exact"] else 0):
            return {"error": f"cannot write in {folder}: the disk is full",
                    "next": "free some space and run the same command again"}
        return {"error": f"{tool or 'onnxruntime.quantization'}: {type(error).__name__}: {first_line(error)}",
                "next": "quantise the model with a program of your own, and name its file with the key onnx or file"}
    arrays = _arrays_of(question) if question["how"] == "static" else {}
    return {"shares_rows": bool(arrays) and _first_row(question, arrays) == 0}


def _by_tool(question) -> None:
    tempfile.tempdir = os.path.dirname(question["output"])
    os.environ["NGB_MODULE_SITE"] = question["module_site"]
    compiler_module.load(question["folders"], "quantise").write(question, lambda: _batches(question))


def module_request(question) -> dict:
    """Return what ngraphbench.exporter_module wants to know of the exact model."""
    return {"model": question["exact"], "recipe": question["recipe"], "threads": 1,
            "inputs": [{"name": each["name"], "dtype": np.dtype(_TYPES[each["type"]]).name, "shape": each["shape"]}
                       for each in question["inputs"]]}


def _quantise(question) -> None:
    import onnx
    from onnxruntime import quantization
    from onnxruntime.quantization import shape_inference
    tempfile.tempdir = os.path.dirname(question["output"])  # of the library's files, too
    with tempfile.TemporaryDirectory(dir=tempfile.tempdir) as folder:
        whole, prepared = (os.path.join(folder, name) for name in ("whole.onnx", "prepared.onnx"))
        model = onnx.load(question["exact"])  # with data that is in files beside it
        _drop_shapes(model.graph)
        onnx.save(model, whole)
        shape_inference.quant_pre_process(whole, prepared, skip_symbolic_shape=True)
        _check_nodes(question["exclude"], onnx.load(prepared).graph)
        # The library makes nodes of these names of a Gemm.
        excluded = [name + end for name in question["exclude"] for end in ("", "_MatMul", "_Add")]
        how = {"per_channel": question["per_channel"], "nodes_to_exclude": excluded}
        if question["how"] != "static":
            # The processor's ConvInteger has unsigned weights only.
            quantization.quantize_dynamic(prepared, question["output"], weight_type=quantization.QuantType.QUInt8, **how)
            return
        quantization.quantize_static(prepared, question["output"], _Reader(question),
                                     quant_format=quantization.QuantFormat.QDQ,
                                     calibrate_method=quantization.CalibrationMethod[_METHODS[question["method"]]], **how)


def _drop_shapes(graph) -> None:
    """Drop what an exporter says of shapes within: it also lists weights, which the library transposes."""
    del graph.value_info[:]
    for attribute in (attribute for node in graph.node for attribute in node.attribute):
        for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            _drop_shapes(inner)


def _check_nodes(names, graph) -> None:
    there = [node.name for node in graph.node]
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, 1)
            raise _NoSuchNode(f"exclude: no node {name}" + (f", did you mean {near[0]}?" if near else ""))


def _Reader(question):
    from onnxruntime import quantization

    class Reader(quantization.CalibrationDataReader):
        """Hands out the inputs with which ranges are calibrated: not those with which agreement is computed, if there are
        others."""

        def __init__(self):
            self._left = iter(_batches(question))

        def get_next(self):
            return next(self._left, None)

    return Reader()


def _batches(question):
    count = max(1, question["calibration_inputs"] // question["batch"])
    random = np.random.default_rng([question["seed"], 1])
    arrays = _arrays_of(question)
    first = _first_row(question, arrays)
    for number in range(count):
        yield {each["name"]: _rows(arrays[each["name"]], first, number, each["shape"]) if each["name"] in arrays
               else _random(random, each) for each in question["inputs"]}


def _arrays_of(question):
    return {each["name"]: _array_of(each) for each in question["inputs"] if "file" in each}


def _first_row(question, arrays) -> int:
    """The first row behind those that judge; 0 if all of them do."""
    judging = question["judging_rows"]
    return judging if all(len(array) > judging for array in arrays.values()) else 0


def _array_of(given):
    found = np.load(given["file"], mmap_mode="r")
    return found[given["array"]] if hasattr(found, "files") else found


def _rows(array, first, number, shape):
    """The rows of a batch, from `first` on, and from there again after the last."""
    if not shape or array.shape[1:] != tuple(shape[1:]):
        return np.asarray(array)
    return np.asarray(array[first + np.arange(number * shape[0], (number + 1) * shape[0]) % (len(array) - first)])


def _random(random, given):
    kind = _TYPES[given["type"]]
    least, largest = given.get("range", [0, 1] if np.issubdtype(kind, np.integer) or kind is np.bool_ else [-1, 1])
    if np.issubdtype(kind, np.integer) or kind is np.bool_:
        return random.integers(int(least), int(largest) + 1, given["shape"]).astype(kind)
    return random.uniform(least, largest, given["shape"]).astype(kind)
