# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of LiteRT: its compiled model with buffers of its own, as session.cpp runs it."""
import os

from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts, numpy_type

_FILE = "model.tflite"
_WRITABLE = ("float32", "float16", "int32", "int8", "uint8", "bool")  # by TensorBuffer of Python


def parts(cell) -> Parts:
    cell.require_f32()
    os.environ["JAX_PLATFORMS"] = "cpu"
    has_delegate = cell.options["delegate"] == "xnnpack"
    signature = cell.compile_natively(os.path.dirname(__file__), _FILE, has_delegate=has_delegate)
    kinds = _kinds(os.path.join(cell.folder, _FILE))
    inputs = [(key, kinds[key]) for key in signature["inputs"]]
    outputs = [(each["key"], tuple(row["shape"]), numpy_type(row["type"]), kinds[each["key"]])
               for each, row in zip(signature["outputs"], cell.outputs)]
    lines = [f"cpu = CpuOptions(num_threads={cell.threads}, kernel_mode=CpuKernelMode."
             + ("DELEGATE)  # the defaults: one thread, and XNNPACK where it can" if has_delegate
                else "BUILTIN)  # the defaults: one thread, and XNNPACK"),
             "options = Options(hardware_accelerators=HardwareAccelerator.CPU, cpu_options=cpu)",
             f'model = CompiledModel.from_file(os.path.join(FOLDER, "{_FILE}"), options=options)',
             "signature = next(iter(model.get_signature_list()))",
             f"INPUTS = {inputs!r}  # names and types in the file",
             f"OUTPUTS = {outputs!r}",
             "inputs = {name: model.create_input_buffer_by_name(signature, name) for name, _ in INPUTS}",
             "outputs = {name: model.create_output_buffer_by_name(signature, name) for name, *_ in OUTPUTS}",
             "",
             "def write(values):",
             "    for (name, kind), array in zip(INPUTS, values):",
             "        inputs[name].write(array.astype(kind))",
             "",
             "def run():",
             "    model.run_by_name(signature, inputs, outputs)",
             "",
             "def infer(*given):",
             "    write(given)",
             "    run()",
             "    return [outputs[name].read(int(np.prod(shape)), np.dtype(held)).reshape(shape).astype(kind)",
             "            for name, shape, kind, held in OUTPUTS]",
             "",
             "write(arrays)"]
    return Parts(imports="from importlib import metadata\n"
                         "from ai_edge_litert.compiled_model import (CompiledModel, CpuKernelMode, CpuOptions,\n"
                         "                                           HardwareAccelerator, Options)",
                 is_version=f'metadata.version("ai-edge-litert") == "{cell.version}"', session="\n".join(lines), file=_FILE)


def _kinds(path):
    """Return NumPy's names of the types that inputs and outputs have in the file, which narrows integers, by name."""
    from ai_edge_litert.compiled_model import CompiledModel

    model = CompiledModel.from_file(path)
    signature = next(iter(model.get_signature_list()))
    details = {**model.get_input_tensor_details(signature), **model.get_output_tensor_details(signature)}
    kinds = {name: str(each["dtype"]) for name, each in details.items()}
    for name, kind in kinds.items():
        if kind not in _WRITABLE:
            raise CompilerError("unsupported_operator", f"LiteRT's Python has no buffers of {kind}, which {name} is")
    return kinds
