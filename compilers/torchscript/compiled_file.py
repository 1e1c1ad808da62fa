# SPDX-License-Identifier: Apache-2.0
"""What a program of TorchScript (.pt) wants as inputs."""
import pickletools
import zipfile

from ngraphbench.adaptor import CompilerError

_ADVICE = "give the function that makes the module: net.py:build, with the weights as state_dict"
_WEIGHTS = ("collections", "torch", "torch._utils", "torch.serialization")  # modules whose names a state dict needs


def inputs(path):
    """Return [{"name", "type", "shape"}] in the order of forward; a program says neither types nor shapes."""
    if not zipfile.is_zipfile(path):
        raise CompilerError("invalid_model", "it is not the archive that a program of TorchScript is, or a part of one", _ADVICE)
    with zipfile.ZipFile(path) as archive:
        names = {name.rpartition("/")[2]: name for name in archive.namelist()}
        if "constants.pkl" not in names and "data.pkl" in names:
            raise _refusal(archive.read(names["data.pkl"]))
    import torch  # takes seconds, which the answers above do not need

    forward = torch.jit.load(path, map_location="cpu").forward.schema
    return [{"name": each.name, "type": None, "shape": None} for each in forward.arguments[1:]]


def _refusal(pickled):
    found = [str(word) for code, word, _ in pickletools.genops(pickled) if code.name == "GLOBAL"]
    other = [word.replace(" ", ".") for word in found if word.split()[0] not in _WEIGHTS]
    what = f"a pickled module ({other[0]})" if other else "weights"
    return CompilerError("invalid_model", f"it has {what} that torch.save has written, and no program", _ADVICE)
