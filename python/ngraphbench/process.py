# SPDX-License-Identifier: Apache-2.0
"""What a process must be before it imports a compiler, the same for a forked worker and a fresh one."""
import os
import signal
from typing import Mapping

# Set before any import: they start threads of their own when they are loaded, or change what is measured.
IMPORT_ENVIRONMENT: Mapping[str, str] = {
    "OPENBLAS_NUM_THREADS": "1",             # numpy's OpenBLAS starts its threads at import; a fork would lose them
    "ONEDNN_DEFAULT_FPMATH_MODE": "STRICT",  # f32 stays f32 in oneDNN
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",    # whether there is a GPU is asked without beginning CUDA, before a fork
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",                   # nothing is fetched while something is measured
}


def prepare() -> None:
    """Called before the adaptor's module is imported."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that people look at; it stops us itself
    os.environ.update(IMPORT_ENVIRONMENT)


def thread_count() -> int:
    return len(os.listdir("/proc/self/task"))
