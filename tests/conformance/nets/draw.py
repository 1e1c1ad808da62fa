# SPDX-License-Identifier: Apache-2.0
"""Draws nets by a seed: python draw.py SEED TIMM TORCHVISION LAYERS MAX_PARAMETERS, in the identity's Python. Prints
JSON: [{"label", "source", "name", "model": an entry of a study's models, "parameters"}].

timm: its families (the files of its package) in random order, from each a random model. torchvision: likewise its
files. A model with more parameters than MAX_PARAMETERS, or that cannot be made, is drawn again, at most five times a
family. torch.nn: random entries of layers.py. Images have 96 pixels a side if the net then runs, else what it is made
for."""
import collections
import contextlib
import json
import os
import random
import sys

import timm
import torch
import torchvision

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layers  # noqa: E402

_SIDES = (96, 128, 224)
_TRIES = 5


def main():
    seed, from_timm, from_torchvision, from_layers, most = map(int, sys.argv[1:])
    chooser = random.Random(seed)
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(sys.stderr):
        nets = _drawn(chooser, _timm_families(), from_timm, most, _from_timm)
        nets += _drawn(chooser, _torchvision_families(), from_torchvision, most, _from_torchvision)
        nets += [_from_layers(name) for name in chooser.sample(sorted(layers.LAYERS), from_layers)]
    json.dump(nets, sys.stdout, indent=1)


def _timm_families():
    families = collections.defaultdict(list)
    for name in timm.list_models():
        families[timm.model_entrypoint(name).__module__].append(name)
    return families


def _torchvision_families():
    families = collections.defaultdict(list)
    for name in torchvision.models.list_models():
        families[torchvision.models.get_model_builder(name).__module__].append(name)
    return families


def _drawn(chooser, families, count, most, describe):
    order = sorted(families)
    chooser.shuffle(order)
    nets = []
    for family in order:
        if len(nets) == count:
            break
        names = sorted(families[family])
        for name in chooser.sample(names, min(_TRIES, len(names))):
            net = describe(name, most)
            if net is not None:
                nets.append(net)
                break
    return nets


def _from_timm(name, most):
    torch.manual_seed(0)
    try:
        module = timm.create_model(name).eval()
    except Exception as error:  # some need packages or files
        print(f"{name} cannot be made: {error}", file=sys.stderr)
        return None
    channels, height, width = module.pretrained_cfg.get("input_size", (3, 224, 224))
    if _parameters(module) > most or height > 256:
        return None
    side = next((side for side in _SIDES if side < height and _runs(module, torch.zeros(1, channels, side, side))), None)
    entry = {"timm": name}
    if side:
        entry["shapes"] = {"x": ["batch", channels, side, side]}
    return _row(f"timm {name}", "timm", name, entry, module, f"{side or height} × {side or width}")


def _from_torchvision(name, most):
    torch.manual_seed(0)
    try:
        module = torchvision.models.get_model(name, weights=None, **layers.weightless(name)).eval()
    except Exception as error:
        print(f"{name} cannot be made: {error}", file=sys.stderr)
        return None
    if _parameters(module) > most or "quant" in name:
        return None
    for shape in layers.shapes_of(name, _SIDES):
        if _runs(module, torch.zeros(1, *shape)):
            argument = next(iter(layers.arguments(module)))
            entry = {"pytorch": "layers.py:torchvision_model", "parameters": {"name": name},
                     "shapes": {argument: ["batch", *shape]}}
            return _row(f"torchvision {name}", "torchvision", name, entry, module, " × ".join(map(str, shape[1:])))
    return None


def _from_layers(name):
    module = layers.layer(name)
    shapes = layers.LAYERS[name][1]
    entry = {"pytorch": "layers.py:layer", "parameters": {"name": name},
             "shapes": {argument: ["batch", *shape] for argument, shape in shapes.items()}}
    size = ", ".join(" × ".join(map(str, shape)) for shape in shapes.values())
    return _row(f"nn {name}", "torch.nn", name, entry, module, size)


def _row(label, source, name, entry, module, size):
    return {"label": label, "source": source, "name": name, "model": {**entry, "label": label},
            "parameters": _parameters(module), "size": size}


def _parameters(module):
    return sum(parameter.numel() for parameter in module.parameters())


def _runs(module, image):
    try:
        with torch.no_grad():
            module(image)
        return True
    except Exception:  # whatever the net raises at a size that it is not made for
        return False


if __name__ == "__main__":
    main()
