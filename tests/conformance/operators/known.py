# SPDX-License-Identifier: Apache-2.0
"""Why a case is wrong or fails, where the reason is known: (compiler, start of the case's name, reason). "Its own" means
that the compiler's own interface gives the same outputs for the same file."""

_TRACED = "by design: tracing keeps the values that decide shapes, and they are data here"

KNOWN = (
    ("executorch", "test_dft", "its own: a kernel of complex numbers refuses its arguments when it runs"),
    ("iree", "test_det_2d", "its own: the determinant divides by a pivot that is 0"),
    ("iree", "test_gridsample_zeros_padding", "its own: what is outside of the image is read from memory that was never "
                                              "written; it may be 0"),
    ("iree", "test_l2normalization", "its own: a row of zeros is divided by its norm; the standard says 0"),
    ("iree", "test_qlinearmatmul_3D", "its own: the same operator is right for matrices"),
    ("onnxruntime", "test_maxunpool_export_with_output_shape", "its own: MaxUnpool reads places as those of the larger "
                                                               "output_shape"),
    ("openvino", "test_constant_pad", "its own: Pad with constant pads loses a value that is an input"),
    ("openvino", "test_dynamicquantizelinear", "its own: a tie is rounded otherwise"),
    ("torchscript", "test_bitcast", "its own: the tracer does not know view with an element type"),
    ("torchscript", "test_constant", "its own: the tracer fails for a module that does not use its input"),
    ("torchscript", "test_constant_pad", _TRACED),
    ("torchscript", "test_if", "its own: the tracer fails for a module that does not use its input"),
    *(("torchscript", f"test_{start}", _TRACED) for start in (
        "blackmanwindow", "hammingwindow", "hannwindow", "melweightmatrix", "range")),
    ("tvm", "test_expand_dim_changed_of_data", "its own: Expand with a shape as an input"),
    ("tvm", "test_isinf", "its own: IsInf ignores detect_negative"),
    ("tvm", "test_layer_normalization", "its own: the mean has no axes"),
    ("tvm", "test_nonmaxsuppression", "its own: with the number of boxes as an input it selects none"),
    ("tvm", "test_tile", "its own: wrong kernels for this processor (AVX-512), right ones for the generic target"),
    ("openvino", "test_tile_of_data", "its own: Tile with repeats as an input reads memory that was never written"),
    ("openvino", "test_top_k_same_values", "its own: of equal elements not the first comes first"),
)


def reason_for(compiler: str, case: dict, kind: str) -> str:
    found = [(len(start), reason) for name, start, reason in KNOWN
             if name == compiler and case["name"].startswith(start)]
    if not found and compiler == "torchscript" and case["form"] == "data":
        return _TRACED
    return max(found)[1] if found else "unexplained"
