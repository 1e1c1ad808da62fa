# SPDX-License-Identifier: Apache-2.0
"""torch_rival.py MODEL SECONDS: how long one inference of timm's module takes on the GPU by PyTorch's own measure
(torch.utils.benchmark, with a wait for the GPU in each call) and by the GPU's clock (CUDA events around calls without
waits), with f32 as strict as ngb's. Prints JSON. Run by a proof in the toolchain's own Python."""
import json
import sys

import timm
import torch
from torch.utils import benchmark

name, seconds = sys.argv[1], float(sys.argv[2])
torch.set_num_threads(1)
torch.set_float32_matmul_precision("highest")
torch.backends.cudnn.allow_tf32 = False
with torch.inference_mode():
    module = timm.create_model(name).eval().to("cuda")
    inputs = torch.randn(1, *module.default_cfg["input_size"], device="cuda")
    for _ in range(20):
        module(inputs)
    torch.cuda.synchronize()
    timer = benchmark.Timer("module(inputs); synchronize()", num_threads=1,
                            globals={"module": module, "inputs": inputs, "synchronize": torch.cuda.synchronize})
    measured = timer.blocked_autorange(min_run_time=seconds)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(100):
        module(inputs)
    end.record()
    torch.cuda.synchronize()
print(json.dumps({"torch.utils.benchmark": measured.median * 1e9, "CUDA events": begin.elapsed_time(end) * 1e4}))
