# SPDX-License-Identifier: Apache-2.0
"""The onnx package's own node tests (onnx.backend.test.case.node) as data: a model of one operator, inputs, and the
outputs that the ONNX project expects. Needs the package onnx, which is in several toolchains.

    python cases.py FOLDER [--all] [--operators Gemm,Conv]

writes FOLDER/NAME/model.onnx, FOLDER/NAME/inputs/N.npy, FOLDER/NAME/expected (a file of reference outputs, as workers
read it) and FOLDER/cases.json, a list of {"name", "operator", "opset", "inputs", "absolute", "relative"}."""
import argparse
import contextlib
import hashlib
import io
import json
import os
import struct
import sys
import warnings

import numpy as np

# Element types of the files of reference outputs; bfloat16 is an extension type that .npy files do not name.
TYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "int64": "i64", "int32": "i32", "int8": "i8",
         "uint8": "u8", "bool": "bool"}
AT_MOST = 2  # cases of an operator in the quick form

# Outputs of these are random, or compressed images, or belong to training.
_LEFT_OUT = ("Bernoulli", "RandomNormalLike", "RandomUniformLike", "ImageDecoder")
_DOMAINS = ("", "ai.onnx.ml")


def collect(every=False, operators=None):
    """Return the cases, at most AT_MOST of an operator unless `every` is set. Cases with strings, sequences or element
    types that NGraphBench does not know are left out, and so are the expansions of operators into functions."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # numpy's, about infinities that are meant
        found = collect_testcases(None)
    chosen, counts = [], {}
    for case in found:
        if not _is_usable(case) or (operators is not None and operator_of(case) not in operators):
            continue
        name = operator_of(case)
        counts[name] = counts.get(name, 0) + 1
        if every or counts[name] <= AT_MOST:
            chosen.append(case)
    return sorted(chosen, key=lambda case: (operator_of(case), case.name))


def operator_of(case) -> str:
    (node,) = case.model.graph.node
    return f"{node.domain}.{node.op_type}".lstrip(".")


def opset_of(case) -> int:
    return max(each.version for each in case.model.opset_import)


def values_of(case):
    """Return ({input: array}, [output array])."""
    ((inputs, outputs),) = case.data_sets
    names = [slot.name for slot in case.model.graph.input]
    return {name: np.asarray(value) for name, value in zip(names, inputs)}, [np.asarray(value) for value in outputs]


def tolerances(case):
    """Return (absolute, relative): those of a study by default, or the case's own if they are wider."""
    return max(case.atol, 1e-4), max(case.rtol, 1e-3)


def _is_usable(case) -> bool:
    graph = case.model.graph
    if "_expanded" in case.name or len(case.data_sets) != 1 or len(graph.node) != 1:
        return False
    if graph.node[0].op_type in _LEFT_OUT or graph.node[0].domain not in _DOMAINS:
        return False
    inputs, outputs = case.data_sets[0]
    values = [*inputs, *outputs]
    return len(inputs) == len(graph.input) and all(
        isinstance(value, (np.ndarray, np.generic)) and value.dtype.name in TYPES for value in values)


def write(case, folder: str) -> dict:
    """Write the case's files and return its entry of cases.json."""
    import onnx

    home = os.path.join(folder, case.name)
    os.makedirs(os.path.join(home, "inputs"), exist_ok=True)
    inputs, outputs = values_of(case)
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    slots = []
    for number, (slot, (name, value)) in enumerate(zip(model.graph.input, inputs.items())):
        np.save(os.path.join(home, "inputs", f"{number}.npy"), value)
        slots.append({"name": name, "type": TYPES[value.dtype.name], "shape": list(value.shape)})
        # A few tests leave dimensions open; a cell has fixed ones.
        slot.CopyFrom(onnx.helper.make_tensor_value_info(name, slot.type.tensor_type.elem_type, value.shape))
    onnx.save(model, os.path.join(home, "model.onnx"))
    _write_reference(os.path.join(home, "expected"), [slot.name for slot in model.graph.output], outputs)
    absolute, relative = tolerances(case)
    return {"name": case.name, "operator": operator_of(case), "opset": opset_of(case), "inputs": slots,
            "absolute": absolute, "relative": relative}


def _write_reference(path, names, outputs) -> None:
    """Write the outputs in the form of src/worker/reference_file.h."""
    data = b"".join(np.ascontiguousarray(value).tobytes() for value in outputs)
    rows = [{"name": name, "type": TYPES[value.dtype.name], "shape": list(value.shape)}
            for name, value in zip(names, outputs)]
    text = json.dumps({"reference": "the onnx package's node tests", "key": "", "outputs": rows,
                       "sha256": hashlib.sha256(data).hexdigest()}).encode()
    with open(path, "wb") as file:
        file.write(b"NGBREF03" + struct.pack("<I", len(text)) + text + data)


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the onnx package's node tests as files.")
    parser.add_argument("folder")
    parser.add_argument("--all", action="store_true", help=f"every case, not {AT_MOST} of an operator")
    parser.add_argument("--operators", help="only those, separated by commas")
    arguments = parser.parse_args()
    chosen = collect(arguments.all, arguments.operators and arguments.operators.split(","))
    entries = [write(case, arguments.folder) for case in chosen]
    with open(os.path.join(arguments.folder, "cases.json"), "w", encoding="utf-8") as file:
        json.dump(entries, file, indent=1)
    print(f"{len(entries)} cases of {len({entry['operator'] for entry in entries})} operators")
    return 0


if __name__ == "__main__":
    sys.exit(main())
