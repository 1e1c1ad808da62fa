# SPDX-License-Identifier: Apache-2.0
"""PyTorch on an NVIDIA GPU (the first that the process may use), for all compilers of its family. CUDA starts here, in
the measuring process and never in the importing one, because a process with CUDA cannot be forked."""
import ctypes

from typing import Any, Callable, Dict

from ngraphbench.adaptor import CompilerError

_SCHEDULE = {"spin": 1, "block": 4}  # CU_CTX_SCHED_SPIN, CU_CTX_SCHED_BLOCKING_SYNC


class Gpu:
    def __init__(self, torch, includes_transfer: bool, wait: str):
        """`wait` is how a thread waits for the GPU: "spin" or "block". Raises CompilerError: no_device,
        toolchain_missing."""
        if torch.version.cuda is None:
            raise CompilerError("toolchain_missing", f"PyTorch {torch.__version__} is built without CUDA",
                                "put a PyTorch with CUDA into a virtual environment and adopt that: "
                                "ngb toolchain adopt identity FOLDER")
        if not torch.cuda.is_available():
            raise CompilerError("no_device", f"no CUDA device: {_reason(torch)}",
                                "run this cell on a device with an NVIDIA GPU and its driver, or leave out device: "
                                "cuda")
        _set_wait(wait)
        self._torch, self._includes_transfer, self._wait = torch, includes_transfer, wait
        self._taken = []  # page-locked memory of the outputs

    def timed(self, infer: Callable[[], None], inputs, take_outputs: Callable[[], None]) -> Callable[[], None]:
        """Return a callable for one inference, which is complete when it returns. `infer` enqueues it on the GPU;
        `take_outputs` enqueues copies of its outputs to the CPU's memory. All are on the current stream, whose own
        wait needs a microsecond less of Python than that for the whole device."""
        synchronize = self._torch.cuda.current_stream().synchronize
        if not self._includes_transfer:
            def infer_on_gpu():
                infer()
                synchronize()

            return infer_on_gpu
        sources = [(tensor, tensor.cpu().pin_memory()) for tensor in inputs]

        def infer_with_transfer():
            for tensor, source in sources:
                tensor.copy_(source, non_blocking=True)
            infer()
            take_outputs()
            synchronize()

        return infer_with_transfer

    def take(self, outputs):
        """Return page-locked copies of the outputs, which are complete once the stream is. They are valid until the
        next call. Memory is allocated only if an output has another shape than before."""
        if [host.shape for host in self._taken] != [output.shape for output in outputs]:
            self._taken = [self._torch.empty_like(output, device="cpu", pin_memory=True) for output in outputs]
        for host, output in zip(self._taken, outputs):
            host.copy_(output, non_blocking=True)
        return self._taken

    def refuse_outputs_elsewhere(self, outputs) -> None:
        """Raise CompilerError("fallback") if an output is not on the GPU."""
        elsewhere = {output.device.type for output in outputs} - {"cuda"}
        if elsewhere and not self._includes_transfer:
            raise CompilerError("fallback", f"the outputs were computed on {', '.join(sorted(elsewhere))}, not on cuda",
                                "leave this model out for device: cuda")

    def marker(self) -> Callable[[], Any]:
        """Return a callable that puts a mark into the current stream, which the GPU passes when all work before it is done,
        and returns it."""
        event_of, stream = self._torch.cuda.Event, self._torch.cuda.current_stream()

        def mark():
            event = event_of(enable_timing=True)
            event.record(stream)
            return event

        return mark

    @staticmethod
    def between_ns(begin, end) -> float:
        """Return the time between two marks that the GPU has passed, by its own clock, which counts half microseconds."""
        return begin.elapsed_time(end) * 1e6

    def facts(self) -> Dict[str, str]:
        torch = self._torch
        major, minor = torch.cuda.get_device_capability()
        return {
            "device_name": torch.cuda.get_device_name(),
            "compute_capability": f"{major}.{minor}",
            "cuda_version": str(torch.version.cuda),
            "cudnn_version": str(torch.backends.cudnn.version()),
            "peak_gpu_memory_bytes": str(torch.cuda.max_memory_allocated()),
            "include_transfer": "true" if self._includes_transfer else "false",
            "wait": self._wait,
        }


def _set_wait(wait: str) -> None:
    """Set it for the primary context, which PyTorch makes at its first work on the GPU and has no option for."""
    driver, device = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
    status = (driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0)
              or driver.cuDevicePrimaryCtxSetFlags_v2(device, _SCHEDULE[wait]))
    if status:
        raise CompilerError("internal", f"cuDevicePrimaryCtxSetFlags_v2: CUDA error {status}")


def _reason(torch) -> str:
    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:
        return (str(error).strip().splitlines() or [type(error).__name__])[0]
    return "PyTorch sees none"
