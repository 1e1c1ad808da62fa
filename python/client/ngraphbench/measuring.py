# SPDX-License-Identifier: Apache-2.0
"""Measures models that are in memory, beside files and names."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from ngraphbench import program, saved_module
from ngraphbench.errors import ModelError
from ngraphbench.results import Results
from ngraphbench.running import run

_SAVED = "saved"  # the folder of the models, below the results folder
_STUDY = "measure.json"  # the study, beside it


def measure(
    model: Any,
    inputs: Any = None,
    *,
    compilers: Sequence[str | Mapping[str, Any]] | None = None,
    batch_sizes: Sequence[int] | None = None,
    threads: int | str = 1,
    budget: str | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: bool = True,
    **keys: Any,
) -> Results:
    """Measures a PyTorch module that is in memory, in fresh processes, and returns the results (docs/python.md).

    `model` is a torch.nn.Module, a name as `ngb run` knows them ("net.onnx", "net.py:build", "resnet18"), or a dict by label of
    several of these and of entries of `models`. `inputs` are the arguments of the modules: a tensor, a tuple of tensors, or a
    dict of them by argument; the first extent of the first one is the batch. `compilers` are names, NAME@VERSION, or entries
    as in a study; without them, all that are installed. `batch_sizes` are the inputs' own without it. Rounds are added until the
    fastest is decided, or `budget` ("2m") is over. `keys` are further keys of a study. `output` is the results folder;
    without it, it is results/NAME-HASH, so that the same call resumes and a module that has changed is measured anew.

    Raises ModelError if a module cannot be saved, which says what of it and what to do, and what `ngb.run` raises.
    """
    models = dict(model) if isinstance(model, Mapping) else {_label_of(model): model}
    sizes = list(batch_sizes or [saved_module.batch_of(inputs)])
    parent = pathlib.Path(output).parent if output is not None else pathlib.Path("results")
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent, prefix=".saving-") as scratch:
        saved = pathlib.Path(scratch) / _SAVED
        saved.mkdir()
        study = {
            "models": [_entry_of(label, each, inputs, sizes, saved) for label, each in models.items()],
            **_compilers(compilers, needs_identity=any(map(_is_module, models.values()))),
            "batch_sizes": sizes,
            "threads": threads,
            **({} if "processes" in keys else {"rounds": {"until": "decided"}}),
            **keys,
        }
        name = f"{'-'.join(map(_plain, models))[:60]}-{_hash_of(study, saved)}"
        folder = (pathlib.Path(output) if output is not None else parent / name).absolute()
        text = json.dumps({"name": name, **study, "output": str(folder)}, indent=1, ensure_ascii=False)
        _keep(saved, folder, text)
    return run(folder / _STUDY, folder, budget=budget, progress=progress)


def _is_module(model: Any) -> bool:
    return callable(getattr(model, "state_dict", None)) and callable(getattr(model, "forward", None))


def _label_of(model: Any) -> str:
    return type(getattr(model, "_orig_mod", model)).__name__ if _is_module(model) else pathlib.PurePath(str(model)).stem


def _plain(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]", "_", label)


def _entry_of(label: str, model: Any, inputs: Any, batch_sizes: list[int], saved: pathlib.Path) -> dict[str, Any]:
    """Returns the model's entry of a study that lies above `saved`, into which a module is saved."""
    if _is_module(model):
        return saved_module.save(label, model, inputs, batch_sizes, saved / _plain(label))
    if isinstance(model, Mapping):
        return {**model, "label": label}
    if not isinstance(model, (str, os.PathLike)):
        raise ModelError(f"{label}: {type(model).__name__} is no torch.nn.Module; give one, or a name as `ngb run` knows it")
    word = os.fspath(model)
    if word.startswith("timm:"):
        return {"timm": word.removeprefix("timm:"), "label": label}
    kind = "pytorch" if ".py:" in word else "onnx" if word.endswith(".onnx") else "zoo"
    return {kind: word if kind == "zoo" else str(pathlib.Path(word).absolute()), "label": label}


def _compilers(given: Sequence[str | Mapping[str, Any]] | None, needs_identity: bool) -> dict[str, Any]:
    """Returns the keys of a study that say which compilers there are, what they are compared with, and who judges outputs:
    as `ngb run MODEL` chooses them."""
    known = {each["name"] for each in program.call_json("compilers", "--json")}
    toolchains = dict.fromkeys(each["compiler"] for each in program.call_json("toolchain", "list", "--json"))
    installed = sorted(known.intersection(toolchains), key=lambda name: (name != "identity", name))
    entries = list(given or installed)
    if not entries:
        raise ModelError("no compiler is installed; run: ngb toolchain install")
    names = [each.partition("@")[0] if isinstance(each, str) else str(next(iter(each))) for each in entries]
    has_reference = needs_identity or "identity" in installed
    return {
        "compilers": [_entry_of_compiler(each) for each in entries],
        **({} if "identity" in names else {"baseline": entries[0] if isinstance(entries[0], str) else names[0]}),
        **({} if has_reference else {"reference": names[0]}),
    }


def _entry_of_compiler(word: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    name, at, version = word.partition("@") if isinstance(word, str) else ("", "", "")
    return {name: {"version": version}} if at else word


def _hash_of(study: Mapping[str, Any], saved: pathlib.Path) -> str:
    """Returns what a measurement is known by: a part of the hash of its study and of all files of its models."""
    hashed = hashlib.sha256(json.dumps(study, sort_keys=True).encode())
    for file in sorted(each for each in saved.rglob("*") if each.is_file()):
        hashed.update(f"\n{file.relative_to(saved)}\n".encode())
        with file.open("rb") as opened:
            hashed.update(hashlib.file_digest(opened, "sha256").digest())
    return hashed.hexdigest()[:8]


def _keep(saved: pathlib.Path, folder: pathlib.Path, study: str) -> None:
    """Moves the models into the results folder, with their study; does nothing if the same ones are there."""
    file = folder / _STUDY
    if file.exists() and file.read_text(encoding="utf-8") == study:
        return
    if folder.exists():
        raise ModelError(f"{folder}: there is something else here; give another folder as output, or remove this one")
    folder.mkdir(parents=True)
    shutil.move(saved, folder / _SAVED)
    file.write_text(study, encoding="utf-8")
