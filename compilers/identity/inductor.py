# SPDX-License-Identifier: Apache-2.0
"""Inductor, PyTorch's compiler, as torch.compile and AOTInductor use it: it writes C++ and calls a C++ compiler."""
import contextlib
import os
import shutil
import tempfile

from ngraphbench.adaptor import CompilerError

# By default, precompiled headers are kept, 150 MB per set of flags, in a folder for temporary files that all processes
# share. Then the first process would compile for longer than later ones.
_KEEP_HEADERS = ("cpp_cache_precompile_headers", "aot_inductor.precompile_headers")
# Inductor reads these when it is imported. Without them it would start helper processes, which a fork would lose.
# The second is Triton's, Inductor's compiler for GPUs. Inductor sets it itself, but only once in a process.
_CACHE_FOLDERS = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
_IMPORT_ENVIRONMENT = {"TORCHINDUCTOR_COMPILE_THREADS": "1", "TORCH_WARM_POOL": "0"}


def preload() -> None:
    os.environ.update(_IMPORT_ENVIRONMENT)
    import torch._dynamo  # noqa: F401
    import torch._inductor.compile_fx  # noqa: F401


def cxx():
    """Return the C++ compiler that Inductor calls, or None."""
    return shutil.which(os.environ.get("CXX", "g++"))


def no_cxx() -> CompilerError:
    command = os.environ.get("CXX", "g++")
    return CompilerError("toolchain_missing",
                         f"Inductor needs a C++ compiler on the device, and there is no {command}",
                         "install g++ (Debian: apt-get install g++), or name another in CXX")


@contextlib.contextmanager
def cold(threads: int, freezing: bool):
    """Compile without the results of earlier compilations, in a cache that is deleted at the end."""
    from torch._inductor import config

    with tempfile.TemporaryDirectory(prefix="inductor-", dir=scratch(), ignore_cleanup_errors=True) as folder:
        before = {name: os.environ.get(name) for name in _CACHE_FOLDERS}
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TRITON_CACHE_DIR=os.path.join(folder, "triton"))
        try:
            known = config.get_config_copy()  # not every version has both
            off = {name: False for name in _KEEP_HEADERS if name in known}
            with config.patch({**off, "freezing": freezing, "compile_threads": threads}):
                yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def scratch():
    """Return the worker's folder, which the agent empties, or another one if that cannot be written."""
    return os.getcwd() if os.access(os.getcwd(), os.W_OK) else None


def move(made: str, wanted: str) -> None:
    """Move a file from a temporary folder to its place. Raises CompilerError."""
    try:
        shutil.move(made, wanted)
    except OSError as error:
        raise CompilerError("internal", f"{wanted}: {error.strerror or error}") from None
