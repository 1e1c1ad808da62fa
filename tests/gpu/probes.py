# SPDX-License-Identifier: Apache-2.0
"""Questions about PyTorch with CUDA on this machine that no study answers, each a program for the toolchain's Python."""

MEMORY = """
import resource, sys
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
import torch
x = torch.randn(2048, 2048, device="cuda")
print(float((x @ x).sum()) != 0, torch.empty(1 << 28).pin_memory().is_pinned())
"""
FORK = """
import os
os.environ["TORCHINDUCTOR_USE_EXPERIMENTAL_BENCHMARKER"] = "0"  # as compilers/identity/inductor.py does
import torch
import torch._dynamo, torch._inductor.compile_fx, torch.export
print("libcuda open before the fork:", "libcuda.so" in open("/proc/self/maps").read())
if os.fork() == 0:
    print("child:", float(torch.ones(8, device="cuda").sum()), flush=True)
    os._exit(0)
assert os.wait()[1] == 0, "CUDA does not begin in a forked process"
"""
STRICT = """
import torch
torch.set_float32_matmul_precision("highest"); torch.backends.cudnn.allow_tf32 = False
x = torch.randn(1024, 1024, device="cuda"); exact = x.double() @ x.double()
product = float(((x @ x).double() - exact).norm() / exact.norm())
w = torch.randn(64, 64, 3, 3, device="cuda"); i = torch.randn(4, 64, 56, 56, device="cuda")
exact = torch.nn.functional.conv2d(i.double(), w.double())
convolution = float((torch.nn.functional.conv2d(i, w).double() - exact).norm() / exact.norm())
print("relative errors: product", product, "convolution", convolution)
assert product < 2e-5 and convolution < 2e-5, "f32 is not f32: TF32 has errors near 3e-4"
"""
# What each is about, its program, and the values of its argument.
ALL = (("a process with CUDA under a limit on its data", MEMORY, ("0", str(100 << 30), str(16 << 30), str(6 << 30))),
       ("CUDA begins in a forked process", FORK, ("",)),
       ("f32 without TF32", STRICT, ("",)))
