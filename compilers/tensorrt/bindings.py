# SPDX-License-Identifier: Apache-2.0
"""Loads TensorRT's Python module: `tensorrt`, as pip and JetPack install it, or only its inner part
`tensorrt_bindings`, with the libraries in tensorrt_libs beside it or those that the system's loader finds."""
import ctypes
import glob
import importlib
import importlib.util
import os
import re

from ngraphbench.adaptor import CompilerError

_MODULES = ("tensorrt", "tensorrt_bindings")
_LIBRARIES = ("libnvinfer.so", "libnvinfer_plugin.so", "libnvonnxparser.so")  # each needs those before it
HOW_TO_GET_IT = ("install it (ngb toolchain install tensorrt), or adopt an existing installation, such as JetPack's "
                 "(ngb toolchain adopt tensorrt FOLDER)")


def load():
    """Return the module. Raises CompilerError: toolchain_missing, import_error."""
    name = next((name for name in _MODULES if importlib.util.find_spec(name)), None)
    if name is None:
        raise CompilerError("toolchain_missing", "there is no Python module tensorrt, nor tensorrt_bindings",
                            HOW_TO_GET_IT)
    _open_libraries_beside(importlib.util.find_spec(name))
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:
        raise _explained(name, error) from None


def refuse_another(trt, toolchain_dir: str) -> None:
    """Raise CompilerError if a module that is earlier on the path would be measured under the toolchain's name."""
    home = os.path.dirname(os.path.dirname(trt.__file__))
    if toolchain_dir and not os.path.samefile(home, toolchain_dir):
        raise CompilerError("import_error", f"{trt.__name__} was imported from {home}, not from the toolchain "
                                            f"{toolchain_dir}",
                            "check PYTHONPATH and the Python that the toolchain was made with")


def _folder_beside(spec) -> str:
    return os.path.join(os.path.dirname(os.path.dirname(spec.origin)), "tensorrt_libs")


def _open_libraries_beside(spec) -> None:
    for prefix in _LIBRARIES:
        for path in sorted(glob.glob(os.path.join(_folder_beside(spec), prefix + ".*"))):
            try:
                library = ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
            except OSError as error:
                raise CompilerError("import_error", f"TensorRT's library does not load: {error}",
                                    "install or adopt the toolchain again") from None
            if prefix == "libnvinfer.so":
                _tell_folder(library, os.path.dirname(path))


def _tell_folder(library, folder: str) -> None:
    """TensorRT opens the libraries with its kernels (libnvinfer_builder_resource_*.so) by their bare names. The loader
    does not search our folder for them. Versions before 10.7 lack this function: they need the folder in
    LD_LIBRARY_PATH."""
    tell = getattr(library, "setInternalLibraryPath", None)
    if tell is None:
        return
    tell.argtypes, tell.restype = (ctypes.c_char_p,), ctypes.c_bool
    if not tell(os.fsencode(folder)):
        print(f"TensorRT does not accept {folder} as the folder of its kernels", flush=True)


def kernels_advice(trt, reason: str) -> str:
    """Return what to do about a failure for this reason of TensorRT's, if it is that TensorRT does not find its kernels;
    else an empty text."""
    if "builder_resource" not in reason:
        return ""
    folder = _folder_beside(trt.__spec__)
    if hasattr(ctypes.CDLL(None), "setInternalLibraryPath"):  # TensorRT was told the folder
        return f"put TensorRT's kernels (libnvinfer_builder_resource*) into {folder}, beside its other libraries"
    return (f"put {folder} into LD_LIBRARY_PATH before ngb starts, because TensorRT before 10.7 searches its kernels "
            "nowhere else; or use 10.7 or later")


def _explained(name: str, error: Exception) -> CompilerError:
    text = str(error)
    if "cannot open shared object file" in text and any(prefix in text for prefix in _LIBRARIES):
        folder = _folder_beside(importlib.util.find_spec(name))
        return CompilerError("toolchain_missing", f"TensorRT's Python module exists, but its library is missing: {text}",
                             f"put the libraries into {folder}, or name their folder in LD_LIBRARY_PATH")
    return CompilerError("import_error", f"{name} does not load: {text}", "install or adopt the toolchain again")


def make_logger(trt):
    """Return a logger of TensorRT's messages: warnings go to the attempt's log, errors explain failed calls."""

    class Logger(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)
            self._errors = []
            # The libraries of kernels that TensorRT said to have loaded: one of the GPU's architecture, or the one in PTX,
            # which the driver compiles. TensorRT copies what it needs and unloads them, so that only its log has them.
            self.kernels = set()

        def log(self, severity, message):
            self.kernels.update(re.findall(r"Loaded shared library (\S*builder_resource\S*)", message))
            if int(severity) <= int(trt.ILogger.Severity.WARNING):
                print(f"TensorRT: {message}", flush=True)
            if int(severity) <= int(trt.ILogger.Severity.ERROR):
                self._errors.append(message)

        def reason(self):
            """Return the first error since the last call of this or of forget(); later errors are mostly its
            consequences."""
            errors, self._errors = self._errors, []
            return errors[0] if errors else "it gives no reason"

        def forget(self):
            """Drop errors that TensorRT survived, so that a later reason is one of the step that follows."""
            self._errors = []

    return Logger()
