# SPDX-License-Identifier: Apache-2.0
"""Quantises a model by nncf, and writes it in OpenVINO's own form."""
import openvino as ov


def write(question, batches):
    """Write the file question["output"], with its weights beside it. `batches()` yields {input: array} to calibrate with."""
    import nncf

    model = ov.Core().read_model(question["exact"])
    model.reshape({each["name"]: each["shape"] for each in question["inputs"]})
    if question["how"] == "static":
        samples = list(batches())
        made = nncf.quantize(model, nncf.Dataset(samples), subset_size=len(samples))
    else:
        made = nncf.compress_weights(model, **_of_weights(question["bits"]))
    ov.save_model(made, question["output"], compress_to_fp16=False)


def _of_weights(bits):
    """Return the arguments for weights of so many bits. Groups of 4 bits are smaller where 128 do not divide the weights."""
    import nncf
    from nncf.quantization.advanced_parameters import AdvancedCompressionParameters, GroupSizeFallbackMode

    if bits == 8:
        return {"mode": nncf.CompressWeightsMode.INT8_ASYM}
    fitting = AdvancedCompressionParameters(group_size_fallback_mode=GroupSizeFallbackMode.ADJUST)
    return {"mode": nncf.CompressWeightsMode.INT4_SYM, "advanced_parameters": fitting}
