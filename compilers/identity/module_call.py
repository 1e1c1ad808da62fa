# SPDX-License-Identifier: Apache-2.0
"""How a user's module is called and what it returns, as plain lists of tensors.

Inputs: the names of forward's first arguments are given by position, all others by keyword.
Outputs: depth first. Tuples and lists in order, dicts in their own order, dataclasses and named tuples in the order of
their fields; None is left out. A tensor's name is its path: {"logits": a, "states": (b, c)} is logits, states.0,
states.1. A path that begins with a position begins with "output_": (a, (b, c)) is output_0, output_1.0, output_1.1. A
module's only tensor, if no key names it, is "output"."""
import dataclasses
import inspect
from collections.abc import Mapping

import torch
from ngraphbench.adaptor import CompilerError

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_BY_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def positions(module) -> list:
    """Return the names of the arguments that may be given by position."""
    return [parameter.name for parameter in _parameters(module) if parameter.kind in _BY_POSITION]


def accepted(module) -> list:
    """Return the names of all arguments."""
    return [parameter.name for parameter in _parameters(module) if parameter.kind in (*_BY_POSITION, *_BY_KEYWORD)]


def arrange(module, names):
    """Return (names by position, names by keyword) in the order of forward's arguments, or None if forward does not
    take these names."""
    parameters = _parameters(module)
    first = []
    for name in positions(module):
        if name not in names:
            break
        first.append(name)
    rest = [name for name in names if name not in first]
    known = [parameter.name for parameter in parameters if parameter.kind in _BY_KEYWORD]
    if all(name in known for name in rest):
        return first, [name for name in known if name in rest]
    kinds = {parameter.kind for parameter in parameters}
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return first, rest
    if inspect.Parameter.VAR_POSITIONAL in kinds and not set(rest) & set(known) and len(first) == len(positions(module)):
        return first + rest, []
    return None


def keywords(module, names) -> list:
    """Return the last of `names` that are given by keyword. Precondition: the exporter has put the names into order;
    names that forward does not know are those of positions."""
    arranged = arrange(module, names)
    return arranged[1] if arranged is not None and arranged[0] + arranged[1] == list(names) else []


def _parameters(module) -> list:
    return list(inspect.signature(module.forward).parameters.values())


def flatten(outputs, input_names=()) -> list:
    """Return [(name, tensor)]. Raises CompilerError if a value is no tensor, or none is."""
    leaves = list(_leaves(outputs, ()))
    if not leaves:
        raise _no_tensor("returns nothing that is a tensor")
    if len(leaves) == 1 and not any(isinstance(part, str) for part in leaves[0][0]):
        return [("output", leaves[0][1])]
    named, taken = [], set(input_names)
    for path, tensor in leaves:
        name = ".".join(map(str, path)) or "output"
        name = f"output_{name}" if isinstance(path[0], int) or name in taken else name
        while name in taken:
            name += "_"
        taken.add(name)
        named.append((name, tensor))
    return named


def tensors(outputs) -> list:
    """Return flatten's tensors without their names."""
    return [outputs] if isinstance(outputs, torch.Tensor) else [tensor for _, tensor in _leaves(outputs, ())]


def _leaves(value, path):
    if isinstance(value, torch.Tensor):
        yield path, value
    elif value is not None:
        for key, part in _parts(value, path):
            yield from _leaves(part, (*path, key))


def _parts(value, path):
    if isinstance(value, Mapping):
        return [(str(key), part) for key, part in value.items()]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value))
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    where = f' in "{".".join(map(str, path))}"' if path else ""
    raise _no_tensor(f"returns a {type(value).__name__}{where}, which is no tensor")


def _no_tensor(what) -> CompilerError:
    return CompilerError("invalid_model", f"the module {what}",
                         "wrap it in a module that returns tensors: alone, or in tuples, lists, dicts and dataclasses")


class Flat(torch.nn.Module):
    """The module with positional inputs and a tensor, or a tuple of tensors, as output: what tracers and exporters
    take. Programs made from it contain nothing of this class."""

    def __init__(self, module, names):
        super().__init__()
        self.module = module
        self._names = list(names)
        self._keywords = keywords(module, names)
        self._first = len(names) - len(self._keywords)

    def forward(self, *inputs):
        flat = tensors(self._call(inputs))
        return flat[0] if len(flat) == 1 else tuple(flat)

    def named(self, inputs) -> list:
        """Return [(name, tensor)] of one inference."""
        return flatten(self._call(inputs), self._names)

    def _call(self, inputs):
        return self.module(*inputs[:self._first], **dict(zip(self._keywords, inputs[self._first:])))


def is_flat(module, names, outputs) -> bool:
    """Return whether Flat would change nothing."""
    plain = isinstance(outputs, (tuple, list)) and len(outputs) > 1 and all(
        isinstance(output, torch.Tensor) for output in outputs)
    return not keywords(module, names) and (isinstance(outputs, torch.Tensor) or plain)
