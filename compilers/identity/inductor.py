# SPDX-License-Identifier: Apache-2.0
"""Inductor, PyTorch's compiler, as torch.compile and AOTInductor use it: it writes C++ and calls a C++ compiler."""
import contextlib
import os
import shutil
import sysconfig
import tempfile

from typing import Any, Mapping

from ngraphbench.adaptor import CompilerError

# By default, precompiled headers are kept, 150 MB per set of flags, in a folder for temporary files that all processes
# share. Then the first process would compile for longer than later ones.
_KEEP_HEADERS = ("cpp_cache_precompile_headers", "aot_inductor.precompile_headers")
_SETTINGS_ADVICE = "correct or remove it in the study's settings of this compiler"
# The second is Triton's, Inductor's compiler for GPUs. Inductor sets it itself, but only once in a process.
_CACHE_FOLDERS = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
# Inductor reads these once, when PyTorch imports its configuration. Without the first two it would start helper processes,
# which a fork would lose. With the default of the last one, PyTorch 2.11 asks CUDA for its GPUs while it is imported, and
# then no forked process has any; without it, Triton's own means time the candidates for a kernel.
_IMPORT_ENVIRONMENT = {"TORCHINDUCTOR_COMPILE_THREADS": "1", "TORCH_WARM_POOL": "0",
                       "TORCHINDUCTOR_USE_EXPERIMENTAL_BENCHMARKER": "0"}
_MACHINE_CODE = (".so", ".cubin")  # files of a cache that a compiler for C++ or Triton has made


def preload() -> None:
    """Import Inductor. To be called before anything else imports PyTorch."""
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


def require_python_headers() -> None:
    """Raise CompilerError if the device lacks Python.h, which the code includes that torch.compile writes."""
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.exists(header):
        raise CompilerError("toolchain_missing",
                            f"torch.compile needs the headers of this Python on the device, and there is no {header}",
                            "install them (Debian: apt-get install python3-dev)")


@contextlib.contextmanager
def own_cache(threads: int, freezing: bool, settings: Mapping[str, Any], kept: str = ""):
    """Compile without the results of earlier compilations, in a cache that is deleted at the end; or, with `kept`, with
    those in that folder, which is copied. Yields the cache's folder, which may be moved away. `settings` is
    configuration that the study hands on. Raises CompilerError if Inductor refuses it, and OSError if `kept` cannot be
    copied."""
    from torch._inductor import config

    with tempfile.TemporaryDirectory(prefix="inductor-", dir=scratch(), ignore_cleanup_errors=True) as parent:
        folder = os.path.join(parent, "cache")
        if kept:
            shutil.copytree(kept, folder)
        else:
            os.mkdir(folder)
        before = {name: os.environ.get(name) for name in _CACHE_FOLDERS}
        os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TRITON_CACHE_DIR=os.path.join(folder, "triton"))
        try:
            known = config.get_config_copy()  # not every version has both
            off = {name: False for name in _KEEP_HEADERS if name in known}
            ours = {**off, "freezing": freezing, "compile_threads": threads}
            with config.patch(ours), _handed_on(config, settings):
                yield folder
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def machine_code(folder: str) -> set[str]:
    """Return the files of a cache that hold machine code, by their paths within it."""
    return {os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder)
            for name in names if name.endswith(_MACHINE_CODE)}


def _handed_on(config, settings: Mapping[str, Any]):
    """Return the context in which Inductor has the settings. Inductor would accept values of any type."""
    try:
        known = config.get_config_copy()
        for name, value in settings.items():
            before = known[name] if name in known else getattr(config, name)  # raises for a name that there is not
            _require_type(name, value, before)
        return config.patch(dict(settings))
    except CompilerError:
        raise
    except Exception as error:
        given = ", ".join(f"{name}={value}" for name, value in settings.items())
        raise CompilerError("invalid_option", f"settings {given}: {type(error).__name__}: {error}",
                            _SETTINGS_ADVICE) from None


def _require_type(name: str, value: Any, before: Any) -> None:
    fits = before is None or isinstance(value, type(before)) or (isinstance(before, float) and isinstance(value, int))
    if not fits or isinstance(value, bool) != isinstance(before, bool) and before is not None:
        raise CompilerError("invalid_option", f"setting {name}={value}: Inductor's own value is {before!r}, of type "
                                              f"{type(before).__name__}", _SETTINGS_ADVICE)


def scratch():
    """Return the worker's folder, which the agent empties, or another one if that cannot be written."""
    return os.getcwd() if os.access(os.getcwd(), os.W_OK) else None


def move(made: str, wanted: str) -> None:
    """Move a file or a folder from a temporary folder to its place. Raises CompilerError."""
    try:
        shutil.move(made, wanted)
    except OSError as error:
        raise CompilerError("internal", f"{wanted}: {error.strerror or error}") from None
