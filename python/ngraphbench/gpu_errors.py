# SPDX-License-Identifier: Apache-2.0
"""Recognises failures of an NVIDIA GPU in the exceptions of libraries that have one type for all of them."""
from typing import Optional

_NO_MEMORY = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED", "CUSOLVER_STATUS_ALLOC_FAILED")
# The texts of CUDA (cudaGetErrorString) for errors after which nothing works in this process.
_LOST = ("an illegal memory access was encountered", "unspecified launch failure", "device-side assert triggered",
         "misaligned address", "an illegal instruction was encountered", "invalid program counter",
         "operation not supported on global/shared address space", "hardware stack error",
         "uncorrectable ECC error encountered", "the launch timed out and was terminated",
         "CUDA-capable device(s) is/are busy or unavailable")
_LIBRARIES = ("CUDA error", "cuDNN error", "CUDNN_STATUS", "CUBLAS_STATUS", "CUDA driver error", "CUDA out of memory")


def kind_of(exception: BaseException) -> Optional[str]:
    """Return "out_of_memory" or "device_lost", or None if the exception is neither."""
    name, text = type(exception).__name__, str(exception)
    is_torchs = name in ("OutOfMemoryError", "AcceleratorError")
    if not is_torchs and not (isinstance(exception, RuntimeError) and any(word in text for word in _LIBRARIES)):
        return None
    if name == "OutOfMemoryError" or any(phrase in text for phrase in _NO_MEMORY):
        return "out_of_memory"
    # An AcceleratorError is an error of CUDA itself: the context is unusable from now on.
    return "device_lost" if name == "AcceleratorError" or any(phrase in text for phrase in _LOST) else None
