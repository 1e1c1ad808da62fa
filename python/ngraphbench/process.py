# SPDX-License-Identifier: Apache-2.0
"""Prepares a process before it imports a compiler, in the same way for forked and fresh workers."""
import contextlib
import gc
import os
import signal
from typing import Iterator, Mapping

# These are set before any import, because packages start threads when they are loaded, or change what is measured.
IMPORT_ENVIRONMENT: Mapping[str, str] = {
    "OPENBLAS_NUM_THREADS": "1",             # numpy's OpenBLAS starts its threads at import; a fork would lose them
    "ONEDNN_DEFAULT_FPMATH_MODE": "STRICT",  # f32 stays f32 in oneDNN
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",    # detects a GPU without starting CUDA, which must not happen before a fork
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",                   # nothing is downloaded while something is measured
}


def prepare() -> None:
    """Prepare the process. Called before the adaptor's module is imported."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for ngb, which ends the workers itself
    os.environ.update(IMPORT_ENVIRONMENT)


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Import packages without looking for garbage. Imports make hundreds of thousands of objects, and nearly all of them stay.
    Visiting them again and again takes a tenth to a sixth of the time in which PyTorch and timm are imported."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def thread_count() -> int:
    return len(os.listdir("/proc/self/task"))
