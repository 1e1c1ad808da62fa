# SPDX-License-Identifier: Apache-2.0
"""Saves a PyTorch module that is in memory as what a study can name: a Python file with the source of what it is made of,
its weights, and its inputs."""

import ast
import base64
import inspect
import io
import pathlib
import pickle
import runpy
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy

from ngraphbench.errors import ModelError
from ngraphbench.saved_source import Source

_FILE, _FUNCTION, _WEIGHTS = "saved_module.py", "build", "weights.pt"
_MOST_BYTES = 16 << 20  # of all that is no weight, which is a text in the file
_TYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "int64": "i64", "int32": "i32", "int8": "i8",
          "uint8": "u8", "bool": "bool"}  # fmt: skip

_TEMPLATE = '''\
# {label}, as it was in memory when ngraphbench.measure was called. Its weights are in {weights} beside this file.
import base64 as _base64
import io as _io
import pickle as _pickle

import torch as _torch


class _Saved(_pickle.Unpickler):
    """Makes again what was saved as a text, with weights that are empty until a state_dict is loaded."""

    def __init__(self, text):
        super().__init__(_io.BytesIO(_base64.b85decode(text)))
        self._weights = {{}}

    def find_class(self, module, name):
        return globals()[name] if module == "__main__" else super().find_class(module, name)

    def persistent_load(self, saved):
        is_parameter, dtype, shape, strides, _, data = saved
        if data:
            return _torch.frombuffer(bytearray(data), dtype=getattr(_torch, dtype)).reshape(shape)
        if saved not in self._weights:
            empty = _torch.empty_strided(shape, strides, dtype=getattr(_torch, dtype))
            self._weights[saved] = _torch.nn.Parameter(empty, requires_grad=False) if is_parameter else empty
        return self._weights[saved]


{source}

def {function}():
    return _Saved({structure!r}).load()
'''


def save(label: str, module: Any, inputs: Any, batch_sizes: list[int], folder: pathlib.Path) -> dict[str, Any]:
    """Writes the module into `folder`, which it makes, and returns its entry in `models` of a study that lies two folders
    above. Raises ModelError with what cannot be saved and what to do."""
    torch = sys.modules["torch"]
    module = getattr(module, "_orig_mod", module)  # of torch.compile
    if isinstance(module, torch.jit.ScriptModule):
        raise ModelError(f"{label}: a scripted or traced module has no Python source; give the module that it was made from")
    tensors = _named(label, module, inputs)
    weights = {name: each for name, each in module.state_dict(keep_vars=True).items() if isinstance(each, torch.Tensor)}
    folder.mkdir(parents=True)
    source = Source(folder, lambda name, value: _expression(f"{label}: {name}, which its source uses,", value, source))
    names = {id(each): name for name, each in weights.items()}  # tied weights have one name
    structure = _Structure(label, names).of(module, source)
    text = _TEMPLATE.format(label=label, weights=_WEIGHTS, source=source.text, function=_FUNCTION, structure=structure)
    (folder / _FILE).write_text(text, encoding="utf-8")
    place = f"{folder.parent.name}/{folder.name}"
    entry: dict[str, Any] = {"pytorch": f"{place}/{_FILE}:{_FUNCTION}", "label": label, "shapes": {}, "inputs": {}}
    if weights:
        torch.save({name: each.detach().cpu() for name, each in weights.items()}, folder / _WEIGHTS)
        entry["state_dict"] = f"{place}/{_WEIGHTS}"
    batch = next(iter(tensors.values())).shape[:1]
    for name, tensor in tensors.items():
        kind = str(tensor.dtype).removeprefix("torch.")
        if kind not in _TYPES:
            raise ModelError(f"{label}: input {name} is of type {kind}, which no file can hold; give one of {', '.join(_TYPES)}")
        has_batch = tensor.shape[:1] == batch and len(batch) > 0
        entry["shapes"][name] = ["batch", *tensor.shape[1:]] if has_batch else list(tensor.shape)
        entry["inputs"][name] = {"file": f"{place}/{name}.npy", "type": _TYPES[kind]}
        rows = numpy.arange(max(*batch_sizes, len(tensor))) % len(tensor) if has_batch else ...
        numpy.save(folder / f"{name}.npy", tensor.numpy()[rows])  # enough of them for the largest batch
    _check(label, folder, tensors, are_named=isinstance(inputs, Mapping))
    return entry


def batch_of(inputs: Any) -> int:
    """Returns the first extent of the first input; 1 of none, or of a number."""
    first: Any = next(iter(_listed(inputs)), None)
    return int(first.shape[0]) if getattr(first, "shape", None) else 1


class _Structure(pickle.Pickler):
    """Writes everything of a module, or of another value, but its weights, whose `names` it has by their ids, and notes of
    which classes and functions it is. `what` names it in errors."""

    def __init__(self, what: str, names: Mapping[int, str]) -> None:
        self._what = what
        self._names = names
        self._classes: dict[int, Any] = {}
        self._written = io.BytesIO()
        super().__init__(self._written, protocol=4)

    def of(self, value: Any, source: Source) -> str:
        """Returns it as a text, and adds to `source` what it is made of. Raises ModelError that names the attribute that
        cannot be saved."""
        try:
            self.dump(value)
        except Exception as error:  # objects raise what they like
            where, why = next(self._culprits(value), ("", error))
            raise ModelError(f"{self._what}{where} cannot be saved: {_reason(why)}; {_advice(str(why))}") from None
        if self._written.tell() > _MOST_BYTES:
            raise ModelError(f"{self._what}: too much of it is no weight; make its large tensors buffers (register_buffer)")
        text = base64.b85encode(self._written.getvalue()).decode()
        for each in self._classes.values():
            source.add(each)
        return text

    def persistent_id(self, value: Any) -> Any:
        torch = sys.modules["torch"]
        if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout != torch.strided:
            return None
        name = self._names.get(id(value), "")
        data = b"" if name else value.detach().cpu().reshape(-1).view(torch.uint8).numpy().tobytes()
        strides = torch.empty_like(value, device="meta").stride()  # as channels_last has them
        is_parameter = isinstance(value, torch.nn.Parameter)
        return is_parameter, str(value.dtype).removeprefix("torch."), tuple(value.shape), strides, name, data

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, (type, types.FunctionType)):
            self._classes[id(value)] = value
        return NotImplemented

    def _culprits(self, value: Any) -> Iterator[tuple[str, Exception]]:
        for path, part in value.named_modules() if hasattr(value, "named_modules") else ():
            for name, attribute in vars(part).items():
                try:
                    if name != "_modules":
                        _Structure(self._what, self._names).dump(attribute)
                except Exception as error:
                    yield ".".join(["", *filter(None, [path]), name]), error


def _reason(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _advice(error: str) -> str:
    if "<lambda>" in error or "<locals>" in error:
        return "define it at the top of a cell or file, under a name of its own"
    if "not the same object" in error:
        return "its cell was run again since; make the module again, too"
    return "remove the attribute before measuring, or leave it out in the class's __getstate__"


def _expression(what: str, value: Any, source: Source) -> str:
    """Returns the Python expression of a value without a definition, such as a constant of a notebook."""
    try:
        if ast.literal_eval(repr(value)) == value:
            return repr(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    return f"_Saved({_Structure(what, {}).of(value, source)!r}).load()"


def _listed(inputs: Any) -> list[Any]:
    if isinstance(inputs, Mapping):
        return list(inputs.values())
    return list(inputs) if isinstance(inputs, (tuple, list)) else [] if inputs is None else [inputs]


def _named(label: str, module: Any, inputs: Any) -> dict[str, Any]:
    """Returns the inputs as tensors of the processor, by the names of forward's arguments."""
    torch = sys.modules["torch"]
    given = _listed(inputs)
    if not given:
        raise ModelError(f"{label}: a module needs inputs; give them as the second argument: ngb.measure(model, x)")
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [each.name for each in inspect.signature(module.forward).parameters.values() if each.kind in kinds]
    names += [f"input_{number}" for number in range(len(names), len(given))]
    called = list(inputs) if isinstance(inputs, Mapping) else names
    return {name: torch.as_tensor(value).detach().cpu() for name, value in zip(called, given, strict=False)}


def _check(label: str, folder: pathlib.Path, tensors: Mapping[str, Any], are_named: bool) -> None:
    """Raises ModelError unless the module can be made again from its files, and runs on its inputs."""
    torch = sys.modules["torch"]
    copies = {name: tensor.clone() for name, tensor in tensors.items()}  # forward may write into its inputs
    try:
        made = runpy.run_path(str(folder / _FILE))[_FUNCTION]().eval()
        if (folder / _WEIGHTS).exists():
            made.load_state_dict(torch.load(folder / _WEIGHTS, weights_only=True))
        with torch.no_grad():
            made(**copies) if are_named else made(*copies.values())
    except Exception as error:
        raise ModelError(f"{label}: what was saved of it does not run: {type(error).__name__}: {_reason(error)}") from error
