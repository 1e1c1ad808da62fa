#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fifteen models and eight blocks: parameters and MACs, ours, the paper's and what torch counts; the largest error of
the outputs through ONNX Runtime and OpenVINO over three seeds; node counts beside torch.onnx.export's.

    models_table.py WRITE_RECIPE [--paper FOLDER] [--only NAME]

FOLDER holds the paper's tables as table4_models.csv and table5_blocks.csv."""
import argparse
import tempfile
from pathlib import Path

import exported
import numpy as np
import real_modules as real

SEEDS = (1, 2, 3)


def errors(found, expected):
    """Largest absolute error, and that error in units of the largest output."""
    absolute = float(np.abs(found - expected).max())
    return absolute, absolute / float(np.abs(expected).max())


def row(write_recipe, name, parameters, folder):
    path = folder / "model.onnx"
    worst = {"onnxruntime": (0.0, 0.0), "openvino": (0.0, 0.0)}
    for seed in SEEDS:
        told = real.write(write_recipe, name, parameters, seed, 1, path)
        module, x = real.module_of(told, path), real.input_of(path, seed)
        expected = real.run_torch(module, x)
        for compiler, run in (("onnxruntime", real.run_onnxruntime), ("openvino", real.run_openvino)):
            worst[compiler] = max(worst[compiler], errors(run(path, x), expected))
    real.check_onnx(path)
    counted = {"parameters": sum(p.numel() for p in module.parameters()), "macs": real.counted_macs(module, x)}
    nodes = {which: exported.node_count(exported.export(module, x, folder / f"{which}.onnx", which))
             for which in exported.EXPORTERS}
    return told, counted, worst, nodes


def further_block(write_recipe, name, parameters, told, folder):
    """Parameters that one block more adds; the paper's Table V leaves LayerNorm out."""
    deeper = real.write(write_recipe, name, parameters | {"depth": 2}, SEEDS[0], 1, folder / "deeper.onnx")
    layer_norm = 2 * parameters["embed"] if name == "mha_block" else 0
    return deeper["parameters"] - told["parameters"] - layer_norm


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("write_recipe", type=Path)
    parser.add_argument("--paper", type=Path, help="folder with the paper's tables")
    parser.add_argument("--only", help="one model")
    arguments = parser.parse_args()
    table4 = arguments.paper and arguments.paper / "table4_models.csv"
    table5 = arguments.paper and arguments.paper / "table5_blocks.csv"
    blocks_of_paper = exported.of_paper(table5, ("block", "width"), "parameters")
    of_paper = {column: exported.of_paper(table4, "timm_name", column) for column in ("parameters", "macs_torchinfo")}
    print("parameters: ours | paper | torch;  torchinfo's MACs: ours | paper;  MACs: ours | torch;  errors: absolute, "
          "relative to the largest output; nodes: ours | " + " | ".join(exported.EXPORTERS) + ";  parameters of a further block: ours | paper")
    with tempfile.TemporaryDirectory() as folder:
        for name, parameters in [(name, {}) for name in exported.MODELS] + list(exported.BLOCKS):
            if arguments.only not in (None, name):
                continue
            told, counted, worst, nodes = row(arguments.write_recipe, name, parameters, Path(folder))
            label = " ".join([name] + [f"{key}={value}" for key, value in parameters.items()])
            print(f"{label:26s} {told['parameters']} | {of_paper['parameters'].get(name, '-')} | {counted['parameters']};  "
                  f"{told['macs_torchinfo']} | {of_paper['macs_torchinfo'].get(name, '-')};  "
                  f"{told['macs']} | {counted['macs']};  "
                  + "  ".join(f"{compiler} {a:.1e} {r:.1e}" for compiler, (a, r) in worst.items())
                  + f";  {told['node_count']} | " + " | ".join(str(count) for count in nodes.values()),
                  end="" if parameters else "\n", flush=True)
            if parameters:
                key = (name.removesuffix("_block"), str(*parameters.values()))
                print(f";  {further_block(arguments.write_recipe, name, parameters, told, Path(folder))} | "
                      f"{blocks_of_paper.get(key, '-')}", flush=True)


main()
