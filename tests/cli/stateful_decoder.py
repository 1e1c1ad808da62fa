# SPDX-License-Identifier: Apache-2.0
"""Converts an ONNX decoder with optimum's names into OpenVINO's own form, as optimum-intel does: the cache is a state of the model. It
is empty at first, and each step reorders its samples by beam_idx.

stateful_decoder.py NAME SITE…   reads NAME.onnx and writes NAME.xml and NAME.bin; SITE: folders with openvino and numpy."""
import sys

sys.path[:0] = sys.argv[2:]
import numpy as np  # noqa: E402
import openvino as ov  # noqa: E402
from openvino import opset13  # noqa: E402
from openvino._offline_transformations import apply_make_stateful_transformation  # noqa: E402


def reorder(model, pasts):
    """Let each sample go on with the cache of the sample that beam_idx names."""
    beams = opset13.parameter(name="beam_idx", dtype=ov.Type.i32, shape=ov.PartialShape([-1]))
    beams.output(0).get_tensor().set_names({"beam_idx"})
    model.add_parameters([beams])
    for past in pasts:
        port = model.input(past)
        readers = port.get_target_inputs()
        chosen = opset13.gather(port, beams, opset13.constant(0))
        for reader in readers:
            reader.replace_source_output(chosen.output(0))


def begin_empty(model):
    """Let each state begin without rows."""
    samples = opset13.gather(opset13.shape_of(model.input("input_ids")), opset13.constant([0]), opset13.constant(0))
    for operator in model.get_ops():
        if operator.get_type_name() != "ReadValue":
            continue
        _, heads, _, width = operator.get_output_partial_shape(0)
        rest = opset13.constant(np.array([heads.get_length(), 0, width.get_length()], np.int64))
        shape = opset13.concat([samples, rest], axis=0)
        operator.set_arguments([opset13.broadcast(opset13.constant(np.float32(0)), shape)])


def main():
    model = ov.Core().read_model(f"{sys.argv[1]}.onnx")
    pasts = [port.get_any_name() for port in model.inputs if port.get_any_name().startswith("past_key_values")]
    reorder(model, pasts)
    apply_make_stateful_transformation(model, {past: past.replace("past_key_values", "present") for past in pasts})
    begin_empty(model)
    model.validate_nodes_and_infer_types()
    ov.save_model(model, f"{sys.argv[1]}.xml", compress_to_fp16=False)


main()
