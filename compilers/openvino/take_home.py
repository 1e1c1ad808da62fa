# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of OpenVINO: a request of a model that was compiled for the CPU, as session.cpp makes it."""
import json

from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts, infer_into_buffers
from ngraphbench.program_cpp import CppParts, shape_of

_CPP_TYPES = {"bool": "boolean"}  # others have our words


def parts(cell) -> Parts:
    shapes = {row["name"]: row["shape"] for row in cell.inputs}
    lines = ["settings = {",
             *(f'    "{name}": {value!r},  # {why}' for name, value, why in _settings(cell)),
             "}",
             "core = ov.Core()",
             f'model = core.read_model(os.path.join(FOLDER, "{cell.model}"))',
             *([] if cell.recipe else [f"model.reshape({shapes!r})"]),
             'compiled = core.compile_model(model, "CPU", settings)',
             "request = compiled.create_infer_request()",
             "for i, array in enumerate(arrays):",
             "    request.set_input_tensor(i, ov.Tensor(array, shared_memory=True))",
             "",
             "def run():",
             "    request.infer(share_outputs=True)  # without it the binding copies the outputs",
             *infer_into_buffers("[request.get_output_tensor(i).data for i in range(len(compiled.outputs))]")]
    return Parts(imports="import openvino as ov",
                 is_version=f'ov.__version__.split("-")[0] == "{cell.version}"', session="\n".join(lines))


def cpp(cell) -> CppParts:
    shapes = ", ".join(f'{{{json.dumps(row["name"])}, ov::PartialShape{shape_of(row)}}}' for row in cell.inputs)
    lines = ["struct Session {",
             "  ov::Core core;",
             "  ov::CompiledModel compiled;",
             "  ov::InferRequest request;",
             "",
             "  explicit Session(std::vector<Array>& inputs) {",
             f'    if (std::string(ov::get_openvino_version().buildNumber).rfind("{cell.version}", 0) != 0) '
             f'throw std::runtime_error("measured with {cell.version}");',
             "    const ov::AnyMap settings{",
             *(f'        {{"{name}", {json.dumps(value)}}},  // {why}' for name, value, why in _settings(cell)),
             "    };",
             f'    const std::shared_ptr<ov::Model> model = core.read_model(FOLDER "{cell.model}");',
             *([] if cell.recipe else [f"    model->reshape(std::map<std::string, ov::PartialShape>{{{shapes}}});"]),
             '    compiled = core.compile_model(model, "CPU", settings);',
             "    request = compiled.create_infer_request();",
             *(f'    request.set_input_tensor({i}, ov::Tensor(ov::element::{_CPP_TYPES.get(row["type"], row["type"])}, '
               f'ov::Shape{shape_of(row)}, inputs[{i}].data));' for i, row in enumerate(cell.inputs)),
             "  }",
             "",
             "  void run() { request.infer(); }",
             "",
             "  std::vector<const void*> outputs() {",
             "    std::vector<const void*> all;",
             "    for (size_t i = 0; i < compiled.outputs().size(); ++i) all.push_back(request.get_output_tensor(i).data());",
             "    return all;",
             "  }",
             "};"]
    return CppParts(includes="#include <map>\n#include <memory>\n#include <openvino/openvino.hpp>", session="\n".join(lines),
                    cmake="find_package(OpenVINO REQUIRED COMPONENTS Runtime)\nset(INCLUDES)\nset(LIBRARIES openvino::runtime)",
                    hint="-D OpenVINO_DIR=$(python -c 'import openvino; print(openvino.__path__[0])')/cmake")


def _settings(cell):
    """Return names, values and remarks of the properties that the model is compiled with."""
    if cell.options["device"] not in ("cpu", "auto"):
        raise CompilerError("invalid_option", f'programs are written for the CPU, not for {cell.options["device"]} yet')
    precision = cell.precision
    rows = [("INFERENCE_NUM_THREADS", cell.threads, "the library's own default: every core"),
            ("ENABLE_CPU_PINNING", cell.options["cpu_pinning"], "the default: True"),
            ("INFERENCE_PRECISION_HINT", precision, "the default: bf16 on processors that have it, which changes outputs"),
            ("DYNAMIC_QUANTIZATION_GROUP_SIZE", 0, "the default: 32, which rounds where weights have 8 or 4 bits"),
            ("KV_CACHE_PRECISION", precision, "the default: 8 bits"),
            ("NUM_STREAMS", 1, "the default of the hint LATENCY")]
    hint = cell.options["performance_hint"]
    if hint != "none":
        rows.append(("PERFORMANCE_HINT", hint.upper(), "the default" if hint == "latency" else "the default: LATENCY"))
    rows = [row for row in rows if row[0] not in cell.settings]
    return rows + [(name, value, "as the study sets it") for name, value in cell.settings.items()]
