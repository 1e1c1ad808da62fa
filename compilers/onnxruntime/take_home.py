# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of ONNX Runtime: a session with bound buffers, as session.cpp makes it."""
from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts, infer_into_buffers, numpy_type

_LEVELS = {"disabled": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED",
           "all": "ORT_ENABLE_ALL"}


def parts(cell) -> Parts:
    if cell.options["provider"] != "cpu":
        raise CompilerError("invalid_option", f'programs are written for the provider cpu, not for '
                                              f'{cell.options["provider"]} yet')
    if not cell.outputs:
        raise CompilerError("invalid_model", "the shapes of its outputs are not known, because nothing was compared with "
                                             "them", "measure it with a reference")
    level = cell.options["graph_optimization"]
    spinning = cell.options["spinning"]
    lines = ["options = ort.SessionOptions()",
             f"options.intra_op_num_threads = {cell.threads}  # the library's own default: every core",
             "options.inter_op_num_threads = 1  # the default: every core, for graphs that run in parallel",
             "options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL  # the default",
             f"options.graph_optimization_level = ort.GraphOptimizationLevel.{_LEVELS[level]}  # "
             + ("the default" if level == "all" else "the default: ORT_ENABLE_ALL"),
             f'options.add_session_config_entry("session.intra_op.allow_spinning", "{int(spinning)}")  # '
             + ("the default" if spinning else 'the default: "1"'),
             'options.add_session_config_entry("mlas.enable_gemm_fastmath_arm64_bfloat16", "0")  # the default',
             'options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")  # f32; default: "4", 8 bits']
    lines += [f"options.add_session_config_entry({name!r}, {_text(value)!r})" for name, value in cell.settings.items()]
    outputs = ", ".join(f'({tuple(row["shape"])}, np.{numpy_type(row["type"])})' for row in cell.outputs)
    lines += [f'session = ort.InferenceSession(os.path.join(FOLDER, "{cell.model}"), options, '
              'providers=["CPUExecutionProvider"])',
              f"outputs = [aligned(np.zeros(shape, dtype)) for shape, dtype in [{outputs}]]",
              "binding = session.io_binding()",
              "for slot, array in zip(session.get_inputs(), arrays):",
              '    binding.bind_input(slot.name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)',
              "for slot, array in zip(session.get_outputs(), outputs):",
              '    binding.bind_output(slot.name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)',
              "",
              "def run(): session.run_with_iobinding(binding)",
              *infer_into_buffers("outputs")]
    return Parts(imports="import onnxruntime as ort",
                 is_version=f'ort.__version__ == "{cell.version}"', session="\n".join(lines))


def _text(value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
