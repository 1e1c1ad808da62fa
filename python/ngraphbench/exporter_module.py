# SPDX-License-Identifier: Apache-2.0
"""The identity's PyTorch module of a model, in the compile process of a compiler with another toolchain. PyTorch and the
makers of modules are the identity's: its packages are in NGB_MODULE_SITE, behind the compiler's own on the path."""
import json
import os
import sys
import traceback
from dataclasses import dataclass
from typing import Any, Callable, Dict, List

from ngraphbench.adaptor import CompilerError, Model, Settings, TensorSignature
from ngraphbench.hosting import Host
from ngraphbench.reasons import cause, last_line

_IDENTITY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "compilers", "identity")
_WORDS = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64", "int64": "i64", "int32": "i32",
          "int8": "i8", "uint8": "u8", "bool": "bool"}


@dataclass(frozen=True)
class Exporting:
    module: Any             # torch.nn.Module with positional inputs, and a tensor or a tuple of tensors as output
    zeros: List[Any]        # inputs of the cell's shapes, in the order of the module's arguments
    arguments: List[str]    # names of the inputs in that order
    outputs: List[str]      # names of the outputs
    facts: Dict[str, str]   # of the module, which hold for the compiler too: `emulated`, or none


class Exporter:
    """Makes modules for one compiler. Import what it needs before there is a model: it takes seconds."""

    def __init__(self, compiler: str):
        """Raises CompilerError if the identity's toolchain is missing."""
        self._site = os.environ.get("NGB_MODULE_SITE", "")
        if not os.path.isdir(self._site):
            raise CompilerError("toolchain_missing", f"{compiler} converts the identity's PyTorch module, and the identity's "
                                                     "toolchain is not there", "ngb toolchain install identity")
        if self._site not in sys.path:
            sys.path.append(self._site)
        try:
            self._identity = Host(_IDENTITY).module("identity").Identity
            self._identity.preload()
            self._identity.preload_models(None)
        except ImportError as error:
            raise CompilerError("toolchain_missing", f"{compiler} needs PyTorch, which is in the identity's toolchain: "
                                                     f"{last_line(error)}",
                                "ngb toolchain install identity") from None
        self._compiler = compiler

    def make(self, request) -> Exporting:
        """Return the module. request: {"model": path, "recipe": JSON text or "", "inputs": [{"name", "dtype", "shape"}],
        "threads"}. The modes of inference last as long as the process. Raises CompilerError."""
        made = {}

        class Adaptor(self._identity):
            NAME = self._compiler

            def _without_gradients(self):
                return self._torch.no_grad()  # which torch.export knows

            def prepare(self, module, signatures):
                flat = self.flat(module)
                zeros = self.zeros(signatures)
                outputs = self._output_names
                if outputs is None:
                    outputs = [name for name, _ in flat.named(zeros)]
                made["exporting"] = Exporting(flat, zeros, list(self._input_names), list(outputs),
                                              self._facts.of_emulations(module))
                return module

        adaptor = Adaptor(Settings(self._site, "cpu", "f32", request["threads"], {}))
        inputs = [TensorSignature(each["name"], _WORDS[each["dtype"]], tuple(each["shape"])) for each in request["inputs"]]
        adaptor.compile(Model(request["model"], json.loads(request["recipe"]) if request["recipe"] else None, inputs, ""))
        return made["exporting"]


def export(exporting: Exporting, compiler: str):
    """Return torch.export's program of the module. Raises CompilerError."""
    import torch

    return attempt(lambda: torch.export.export(exporting.module, tuple(exporting.zeros), strict=False),
                   f"torch.export, with which {compiler} begins, does not support this model", compiler)


def attempt(call: Callable[[], Any], what: str, compiler: str):
    """Return call(). Whatever it raises becomes a CompilerError that begins with `what` and ends with the cause; the
    traceback is in the log."""
    try:
        return call()
    except (CompilerError, MemoryError):
        raise
    except Exception as error:  # exporters raise many types
        traceback.print_exc()
        raise CompilerError("unsupported_operator", f"{what}: {cause(error)}",
                            f"leave this model out for {compiler}") from None


def words(tensors) -> List[str]:
    """Return our names of the tensors' types."""
    return [_WORDS[str(tensor.dtype).rpartition(".")[2]] for tensor in tensors]
