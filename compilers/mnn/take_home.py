# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of MNN: its module interface with the file that its converter makes, as mnn_adaptor.py runs it."""
from ngraphbench.program import Parts, infer_with, numpy_type

from .mnn_adaptor import WINOGRAD_HINT, WINOGRAD_LEVELS, Mnn, has_loop, held_as

_FILE = "model.mnn"
_KINDS = {"float32": "expr.float", "int32": "expr.int", "uint8": "expr.uint8"}


def parts(cell) -> Parts:
    cell.require_f32()
    import onnx

    Mnn.preload()
    settings, model = cell.for_adaptor(_FILE)
    Mnn(settings).compile(model)
    source = onnx.load(cell.model_path, load_external_data=False)
    is_mutable = any(map(has_loop, (source.graph, *source.functions)))
    held = [held_as(tensor.name, tensor.dtype) for tensor in model.inputs]
    kinds = ", ".join(f'("{word}", {_KINDS[word]})' for word in held)
    types = ", ".join(f"({tuple(row['shape'])}, np.{numpy_type(row['type'])})" for row in cell.outputs)
    level = WINOGRAD_LEVELS[cell.options["winograd"]]
    memory = cell.options["memory"]
    lines = [f'manager = nn.create_runtime_manager(({{"backend": "CPU", "numThread": {cell.threads}, "precision": "high",',
             f'                                      "memory": "{memory}"}},))',
             "# The defaults: 4 threads, and a precision that may be bf16 or f16.",
             f"manager.set_hint({WINOGRAD_HINT}, {level})  # tiles of Winograd's algorithm: "
             + ("small; the default is 3, large" if level == 1 else "large, the default"),
             f'module = nn.load_module_from_file(os.path.join(FOLDER, "{_FILE}"), {[row["name"] for row in cell.inputs]!r},',
             f"                                  {[row['name'] for row in cell.outputs]!r}, runtime_manager=manager,",
             f"                                  shape_mutable={is_mutable})",
             f"KINDS, OUTPUTS = [{kinds}], [{types}]",
             "",
             "def variables_of(values):",
             "    return [expr.const(array.astype(word), list(array.shape), expr.NCHW, kind)",
             "            for array, (word, kind) in zip(values, KINDS)]",
             "",
             "def run():",
             "    global results",
             "    results = module.forward(variables)",
             *infer_with("variables", "[np.asarray(each.read()).astype(kind).reshape(shape) "
                                      "for each, (shape, kind) in zip(results, OUTPUTS)]")]
    return Parts(imports="from importlib import metadata\nfrom MNN import expr, nn",
                 is_version=f'metadata.version("MNN") == "{cell.version}"', session="\n".join(lines), file=_FILE)
