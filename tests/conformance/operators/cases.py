# SPDX-License-Identifier: Apache-2.0
"""The onnx package's own node tests (onnx.backend.test.case.node) as data: a model of one operator, inputs, and the
outputs that the ONNX project expects. Needs the package onnx, which is in several toolchains.

    python cases.py FOLDER [--all] [--operators Gemm,Conv]

writes FOLDER/NAME/model.onnx, FOLDER/NAME/inputs/N.npy, FOLDER/NAME/expected (a file of reference outputs, as workers
read it) and FOLDER/cases.json, a list of {"name", "operator", "opset", "form", "inputs", "absolute", "relative"}.

The tests give everything as data, also what in real models is a constant of the file: shapes, axes, pads, the number of
iterations. A test with such operands is written twice: in the form "constant", in which they are initializers, as
exporters write them, and in the form "data". All others have the form "any"."""
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
# Places of operands that decide shapes, axes or the number of steps.
_SETTINGS = {
    "AffineGrid": (1,), "CenterCropPad": (1,), "Clip": (1, 2), "Col2Im": (1, 2), "CumProd": (1,), "CumSum": (1,),
    "DFT": (1, 2), "Dropout": (1, 2), "Expand": (1,), "If": (0,), "Loop": (0, 1), "MaxUnpool": (2,),
    "NonMaxSuppression": (2, 3, 4), "OneHot": (1,), "Pad": (1, 3), "Reshape": (1,), "Resize": (1, 2, 3),
    "STFT": (1, 3), "Slice": (1, 2, 3, 4), "Split": (1,), "Squeeze": (1,), "Tile": (1,), "TopK": (1,), "Trilu": (1,),
    "Unsqueeze": (1,), "Upsample": (1,), **{f"Reduce{what}": (1,) for what in (
        "L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")}}


def collect(every=False, operators=None, at_most=AT_MOST):
    """Return the cases, at most `at_most` of an operator unless `every` is set. Cases with strings, sequences or
    element types that NGraphBench does not know are left out, and so are the expansions of operators into functions."""
    from onnx.backend.test.case import node

    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), _fewer_exports(node, every, at_most):
        warnings.simplefilter("ignore")  # numpy's, about infinities that are meant
        found = node.collect_testcases(None)
    chosen, counts = [], {}
    for case in found:
        if not _is_usable(case) or (operators is not None and operator_of(case) not in operators):
            continue
        name = operator_of(case)
        counts[name] = counts.get(name, 0) + 1
        if every or counts[name] <= at_most:
            chosen.append(case)
    return sorted(chosen, key=lambda case: (operator_of(case), case.name))


@contextlib.contextmanager
def _fewer_exports(node, every, at_most):
    """While the package's modules are imported, which happens once in a process: each of its classes makes its cases by
    functions that are called then, most of them by slow loops in Python. Unless `every` is set, a class's functions are
    called until its operators have enough cases. Nothing is made that is left out here or for the package's own pages:
    sources of the functions, operators expanded into others."""
    from onnx.backend.test.case import base

    counts = {}

    def export(made, name, bases, members):
        operators = set()
        for key in members:
            if key.startswith("export") and (every or not operators or any(counts[each] < at_most for each in operators)):
                first = len(node._NodeTestCases)
                np.random.seed(0)
                getattr(made, key)()
                for operator in (operator_of(case) for case in node._NodeTestCases[first:] if _is_usable(case)):
                    operators.add(operator)
                    counts[operator] = counts.get(operator, 0) + 1
        type.__init__(made, name, bases, members)

    before = base._Exporter.__init__, node.function_testcase_helper
    base._Exporter.__init__, node.function_testcase_helper = export, lambda *_, **__: ([], 0)
    try:
        yield
    finally:
        base._Exporter.__init__, node.function_testcase_helper = before


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
    """Return (absolute, relative): those of a study by default, or the case's own if they are wider. Sums round in
    proportion to their largest part, so the absolute one is at least a hundred-thousandth of the largest output. One
    half differs from the next by a thousandth."""
    outputs = [value.astype(np.float64) for value in values_of(case)[1] if value.dtype.kind == "f" and value.size]
    largest = max((np.abs(value[np.isfinite(value)]).max(initial=0) for value in outputs), default=0)
    if any(value.dtype == np.float16 for value in values_of(case)[1]):
        return max(case.atol, 2e-3), max(case.rtol, 5e-3)
    return max(case.atol, 1e-4, 1e-5 * float(largest)), max(case.rtol, 1e-3)


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


def forms_of(case) -> list:
    """Return (name, form, model, {input: array}) for each form of the case."""
    node = case.model.graph.node[0]
    inputs, _ = values_of(case)
    settings = {node.input[place] for place in _SETTINGS.get(node.op_type, ()) if place < len(node.input)} & set(inputs)
    if not settings:
        return [(case.name, "any", *_formed(case, inputs, settings))]
    forms = [(f"{case.name}_of_data", "data", *_formed(case, inputs, set()))]
    if set(inputs) - settings:
        forms.insert(0, (case.name, "constant", *_formed(case, inputs, settings)))
    return forms


def _formed(case, inputs, constants):
    """Return the model with these inputs as initializers, and its other inputs."""
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    types = {slot.name: slot.type.tensor_type.elem_type for slot in model.graph.input}
    del model.graph.input[:]
    for name, value in inputs.items():
        if name in constants:
            model.graph.initializer.append(numpy_helper.from_array(value, name))
        else:  # a few tests leave dimensions open; a cell has fixed ones
            model.graph.input.append(helper.make_tensor_value_info(name, types[name], value.shape))
    return model, {name: value for name, value in inputs.items() if name not in constants}


def write(case, folder: str) -> list:
    """Write the case's files and return its entries of cases.json, one for each form."""
    import onnx

    entries = []
    for name, form, model, inputs in forms_of(case):
        home = os.path.join(folder, name)
        os.makedirs(os.path.join(home, "inputs"), exist_ok=True)
        for place, value in enumerate(inputs.values()):
            np.save(os.path.join(home, "inputs", f"{place}.npy"), value)
        onnx.save(model, os.path.join(home, "model.onnx"))
        write_reference(os.path.join(home, "expected"), [slot.name for slot in model.graph.output], values_of(case)[1])
        absolute, relative = tolerances(case)
        slots = [{"name": each, "type": TYPES[value.dtype.name], "shape": list(value.shape)}
                 for each, value in inputs.items()]
        entries.append({"name": name, "operator": operator_of(case), "opset": opset_of(case), "form": form,
                        "inputs": slots, "absolute": absolute, "relative": relative})
    return entries


def write_reference(path, names, outputs) -> None:
    """Write the outputs in the form of src/worker/reference_file.h."""
    data = b"".join(np.ascontiguousarray(value).tobytes() for value in outputs)
    rows = [{"name": name, "type": TYPES[value.dtype.name], "shape": list(value.shape),
             "is_sensitive": False} for name, value in zip(names, outputs)]
    text = json.dumps({"reference": "the onnx package's node tests", "key": "", "confirmed_by": "", "doubt_kind": "",
                       "doubt": "", "outputs": rows, "sha256": hashlib.sha256(data).hexdigest()}).encode()
    with open(path, "wb") as file:
        file.write(b"NGBREF05" + struct.pack("<I", len(text)) + text + data)


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the onnx package's node tests as files.")
    parser.add_argument("folder")
    parser.add_argument("--all", action="store_true", help=f"every case, not {AT_MOST} of an operator")
    parser.add_argument("--operators", help="only those, separated by commas")
    arguments = parser.parse_args()
    chosen = collect(arguments.all, arguments.operators and arguments.operators.split(","))
    entries = [entry for case in chosen for entry in write(case, arguments.folder)]
    with open(os.path.join(arguments.folder, "cases.json"), "w", encoding="utf-8") as file:
        json.dump(entries, file, indent=1)
    print(f"{len(entries)} cases of {len({entry['operator'] for entry in entries})} operators")
    return 0


if __name__ == "__main__":
    sys.exit(main())
