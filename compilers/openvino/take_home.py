# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of OpenVINO: a request of a model that was compiled for the CPU, as session.cpp makes it."""
from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Parts, infer_into_buffers


def parts(cell) -> Parts:
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
    rows += [(name, value, "as the study sets it") for name, value in cell.settings.items()]
    shapes = {row["name"]: row["shape"] for row in cell.inputs}
    lines = ["settings = {",
             *(f'    "{name}": {value!r},  # {why}' for name, value, why in rows),
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
