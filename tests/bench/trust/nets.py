#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many nets x compilers on two threads, beside light other work: what is said of the cells that it disturbed?

    nets.py BUILD [--quick] [--output FOLDER] [--json FILE]

The nets are the fifteen of the zoo, its MobileNets and ViTs, and blocks: 24 in all. The neighbour burns one processor half
of the time. The same study alone comes first, so that a speed that is far off is known. Prints the table's line of each
disturbed cell."""

import json
import subprocess

from trust import Bench, neighbours, zoo

NETS = ("resnet18", "resnet50", "resnet101", "efficientnet_b3", "efficientnet_b4", "efficientnet_b5",
        "deit3_small_patch16_224", "deit3_medium_patch16_224", "deit3_base_patch16_224", "swin_s3_tiny_224",
        "swin_s3_small_224", "swin_s3_base_224", "convnext_tiny", "convnext_small", "convnext_base",
        "mobilenetv3_large_100", "mobilenetv3_small_100", "vit_tiny_patch16_224", "vit_small_patch16_224",
        "vit_base_patch16_224")
BLOCKS = (zoo("conv_block", width=64, depth=1, image_size=112), zoo("conv_block", width=64, depth=4, image_size=112),
          zoo("mha_block", embed=256, depth=2), zoo("mha_block", embed=512, depth=6))
FAR = 1.5


def cells_of(bench, folder):
    shown = subprocess.run([bench.ngb, "show", folder, "--json"], check=True, capture_output=True, text=True).stdout
    return {cell["cell_id"]: cell for cell in json.loads(shown)["cells"]}


def speed(cell):
    return cell["metrics"]["throughput_per_s"]["value"]


def main():
    bench = Bench("nets", __doc__)
    models = [zoo(net) for net in NETS] + list(BLOCKS)
    compilers = [name for name in bench.installed() if name not in ("null", "tvm")]  # untuned TVM takes minutes for a net
    if bench.quick:
        models, compilers = [zoo("mobilenetv3_small_100"), *BLOCKS[2:]], [bench.real_compiler()]
    study = {"models": models, "compilers": compilers, "batch_sizes": [1], "threads": 2, "processes": 3, "repetitions": 5}
    if bench.quick:
        study["disturbance"] = {"attempts": 2, "wait_s": 0}
    quiet = cells_of(bench, bench.measure("alone", study))
    with neighbours(1, 0.5):
        folder = bench.measure("beside", study)
    beside = cells_of(bench, folder)
    known = {cell: speed(each) / speed(quiet[cell]) for cell, each in beside.items() if each["status"] == "measured" and
             cell in quiet and quiet[cell]["status"] == "measured"}
    far = [cell for cell, ratio in known.items() if not 1 / FAR < ratio < FAR]
    marked = [cell for cell in far if "disturbed" in beside[cell]["flags"]]
    for cell in beside.values():
        if cell["status"] == "disturbed":
            print(f"  {cell['model']}, {cell['compiler_label']}: {cell['failure']['message']}")
    bench.figure("cells", len(beside), f"of {len(models)} nets and {len(compilers)} compilers, in "
                 f"{bench.seconds(folder) / 60:.1f} min")
    for status in sorted({each["status"] for each in beside.values()}):
        bench.figure(f"{status}", sum(each["status"] == status for each in beside.values()), "cells")
    what = f"speeds off by a factor of {FAR} or more that are not marked as disturbed"
    if not known:
        bench.figure(what, None, limit="0", reason="no cell has a speed both alone and beside the neighbour")
        bench.end()
    bench.figure(what, len(far) - len(marked), f"of {len(known)} speeds", limit="0", is_met=len(far) == len(marked),
                 reason="; ".join(f"{beside[cell]['model']}, {beside[cell]['compiler_label']}"
                                  for cell in far if cell not in marked))
    bench.end()


if __name__ == "__main__":
    main()
