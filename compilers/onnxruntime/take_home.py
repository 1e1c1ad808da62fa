# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of ONNX Runtime: a session with bound buffers, as session.cpp makes it."""
import json
import math
import platform

from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts, infer_into_buffers, numpy_type
from ngraphbench.program_cpp import CppParts, shape_of

_LEVELS = {"disabled": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "extended": "ORT_ENABLE_EXTENDED",
           "all": "ORT_ENABLE_ALL"}
_CPP_TYPES = {"f32": "FLOAT", "f16": "FLOAT16", "f64": "DOUBLE", "i64": "INT64", "i32": "INT32", "i8": "INT8",
              "u8": "UINT8", "bool": "BOOL"}

_MACHINES = {"x86_64": "x64"}  # in the names of releases


def parts(cell) -> Parts:
    _check(cell)
    lines = ["options = ort.SessionOptions()",
             f"options.intra_op_num_threads = {cell.threads}  # the library's own default: every core",
             "options.inter_op_num_threads = 1  # the default: every core, for graphs that run in parallel",
             "options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL  # the default",
             f"options.graph_optimization_level = ort.GraphOptimizationLevel.{_level(cell)}  # {_about_level(cell)}",
             *(f'options.add_session_config_entry("{name}", {json.dumps(text)})  # {why}'
               for name, text, why in _entries(cell))]
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


def cpp(cell) -> CppParts:
    _check(cell)
    machine = platform.machine()
    slots = {kind: ",\n    ".join(f'{{{json.dumps(row["name"])}, {shape_of(row)}, '
                                  f'ONNX_TENSOR_ELEMENT_DATA_TYPE_{_CPP_TYPES[row["type"]]}}}' for row in rows)
             for kind, rows in (("Inputs", cell.inputs), ("Outputs", cell.outputs))}
    sizes = ", ".join(str(_bytes(row)) for row in cell.outputs)
    lines = ["struct Slot {",
             "  const char* name;",
             "  std::vector<int64_t> shape;",
             "  ONNXTensorElementDataType type;",
             "};",
             *(f"const std::vector<Slot> k{kind}{{\n    {rows}}};" for kind, rows in slots.items()),
             f"const std::vector<size_t> kOutputBytes{{{sizes}}};",
             "",
             "struct Session {",
             '  Ort::Env environment{ORT_LOGGING_LEVEL_ERROR, "program"};',
             "  Ort::Session session{nullptr};",
             "  Ort::IoBinding binding{nullptr};",
             "  Ort::RunOptions run_options;",
             "  std::vector<Array> results;",
             "",
             "  explicit Session(std::vector<Array>& inputs) {",
             f'    if (OrtGetApiBase()->GetVersionString() != std::string("{cell.version}")) '
             f'throw std::runtime_error("measured with {cell.version}");',
             "    Ort::SessionOptions options;",
             f"    options.SetIntraOpNumThreads({cell.threads});  // the library's own default: every core",
             "    options.SetInterOpNumThreads(1);  // the default: every core, for graphs that run in parallel",
             "    options.SetExecutionMode(ORT_SEQUENTIAL);  // the default",
             f"    options.SetGraphOptimizationLevel({_level(cell)});  // {_about_level(cell)}",
             *(f'    options.AddConfigEntry("{name}", {json.dumps(text)});  // {why}' for name, text, why in _entries(cell)),
             f'    session = Ort::Session(environment, FOLDER "{cell.model}", options);',
             "    binding = Ort::IoBinding(session);",
             "    for (size_t i = 0; i < inputs.size(); ++i) binding.BindInput(kInputs[i].name, value(kInputs[i], inputs[i]));",
             "    for (size_t i = 0; i < kOutputs.size(); ++i) {",
             "      results.push_back(allocate(kOutputBytes[i]));",
             "      binding.BindOutput(kOutputs[i].name, value(kOutputs[i], results[i]));",
             "    }",
             "  }",
             "",
             "  static Ort::Value value(const Slot& slot, const Array& array) {",
             "    const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);",
             "    return Ort::Value::CreateTensor(memory, array.data, array.bytes, slot.shape.data(), slot.shape.size(), slot.type);",
             "  }",
             "",
             "  void run() { session.Run(run_options, binding); }",
             "",
             "  std::vector<const void*> outputs() const {",
             "    std::vector<const void*> all;",
             "    for (const Array& each : results) all.push_back(each.data);",
             "    return all;",
             "  }",
             "};"]
    return CppParts(includes="#include <onnxruntime_cxx_api.h>", session="\n".join(lines),
                    cmake="find_path(INCLUDES onnxruntime_cxx_api.h PATH_SUFFIXES onnxruntime REQUIRED)\n"
                          "find_library(LIBRARIES onnxruntime REQUIRED)",
                    hint=f"-D CMAKE_PREFIX_PATH=/path/to/onnxruntime-linux-{_MACHINES.get(machine, machine)}-{cell.version}")


def _check(cell):
    if cell.options["provider"] != "cpu":
        raise CompilerError("invalid_option", f'programs are written for the provider cpu, not for '
                                              f'{cell.options["provider"]} yet')
    if not cell.outputs:
        raise CompilerError("invalid_model", "the shapes of its outputs are not known, because nothing was compared with "
                                             "them", "measure it with a reference")


def _level(cell) -> str:
    return _LEVELS[cell.options["graph_optimization"]]


def _about_level(cell) -> str:
    return "the default" if cell.options["graph_optimization"] == "all" else "the default: ORT_ENABLE_ALL"


def _entries(cell):
    """Return names, values and remarks of the session's configuration."""
    spinning = cell.options["spinning"]
    return [("session.intra_op.allow_spinning", str(int(spinning)), "the default" if spinning else 'the default: "1"'),
            ("mlas.enable_gemm_fastmath_arm64_bfloat16", "0", "the default"),
            ("session.qdq_matmulnbits_accuracy_level", "1", 'f32; default: "4", 8 bits'),
            *((name, str(value).lower() if isinstance(value, bool) else str(value), "as the study sets it")
              for name, value in cell.settings.items())]


def _bytes(row) -> int:
    import numpy

    return math.prod(row["shape"]) * numpy.dtype(numpy_type(row["type"])).itemsize
