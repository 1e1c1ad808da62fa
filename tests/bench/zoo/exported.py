# SPDX-License-Identifier: Apache-2.0
"""What the tables of this folder share: the fifteen models, the blocks, and torch.onnx.export of the same modules.

The modules come from the identity's own code (tests/unit/zoo/real_modules.py). torch.onnx.export(dynamo=True) needs the
package onnxscript, which no toolchain has: pip install --target FOLDER onnxscript, and PYTHONPATH=FOLDER."""
import contextlib
import importlib.util
import io
import logging
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "unit/zoo"))
import real_modules as real  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402

MODELS = ("resnet18", "resnet50", "resnet101", "efficientnet_b3", "efficientnet_b4", "efficientnet_b5",
          "deit3_small_patch16_224", "deit3_medium_patch16_224", "deit3_base_patch16_224", "swin_s3_tiny_224",
          "swin_s3_small_224", "swin_s3_base_224", "convnext_tiny", "convnext_small", "convnext_base")
BLOCKS = tuple(("conv_block", {"width": width}) for width in (64, 96, 128, 256)) + tuple(
    ("mha_block", {"embed": embed}) for embed in (128, 256, 384, 512))
EXPORTERS = {"torchscript": False} | ({"dynamo": True} if importlib.util.find_spec("onnxscript") else {})


def export(module, x, path, exporter):
    """The module as torch.onnx.export writes it, at opset 20."""
    logging.disable(logging.CRITICAL)
    torch.backends.mha.set_fastpath_enabled(False)  # one operator, which torch.onnx.export does not know
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (torch.from_numpy(x),), str(path), opset_version=20, input_names=["input"],
                          output_names=["output"], dynamo=EXPORTERS[exporter], external_data=False)
    return path


def node_count(path):
    return len(onnx.load(str(path), load_external_data=False).graph.node)


def of_paper(file, key, value):
    """Column `value` of a table of the paper by column `key`, or by a tuple of columns; empty without the file."""
    import csv

    if file is None or not Path(file).exists():
        return {}
    with open(file, newline="") as stream:
        key_of = (lambda row: row[key]) if isinstance(key, str) else (lambda row: tuple(row[part] for part in key))
        return {key_of(row): row[value] for row in csv.DictReader(stream)}
