# SPDX-License-Identifier: Apache-2.0
"""What a package of AOTInductor (.pt2) wants as inputs."""
import platform
import zipfile

from ngraphbench.adaptor import CompilerError

_FOLDER = "/data/aotinductor/"


def inputs(path):
    """Return [{"name", "type", "shape"}] in the order of its call; a package says neither types nor shapes."""
    name = model_of(path)
    import torch  # takes seconds, which what is no package does not need

    told = torch._C._aoti.AOTIModelPackageLoader.load_metadata_from_package(path, name)
    if told.get("AOTI_MACHINE") not in (None, platform.machine()):
        raise CompilerError("invalid_model", f"it was compiled for {told['AOTI_MACHINE']}, and this is {platform.machine()}")
    loader = torch._C._aoti.AOTIModelPackageLoader(path, name, False, 1, -1)
    by_place, by_keyword = torch.utils._pytree.treespec_loads(loader.get_call_spec()[0]).children()
    names = [f"input{place}" for place in range(by_place.num_leaves)] + list(by_keyword.context)
    return [{"name": each, "type": None, "shape": None} for each in names]


def model_of(path):
    """Return the name of the package's first model."""
    with zipfile.ZipFile(path) as package:
        found = [name.partition(_FOLDER)[2].split("/")[0] for name in package.namelist() if _FOLDER in "/" + name]
    if not found:
        raise CompilerError("invalid_model", "it is a program of torch.export, which nothing has compiled yet",
                            "give the function that makes the module: net.py:build")
    return found[0]
