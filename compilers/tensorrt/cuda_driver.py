# SPDX-License-Identifier: Apache-2.0
"""What TensorRT's Python module lacks: memory on the GPU, copies, streams and graphs, through the driver's own library.
That library exists on every machine with an NVIDIA GPU, Jetson included, and serves programs of all older CUDA
versions. A package such as cuda-bindings must match the CUDA version of each toolchain, and JetPack has none."""
import ctypes
from ctypes import POINTER, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_ulonglong, c_void_p

from ngraphbench.adaptor import CompilerError

LIBRARY = "libcuda.so.1"
ADVICE = "run this compiler on a device with an NVIDIA GPU and its driver"

# The types are those of cuda.h. A device pointer has 64 bits; contexts, streams and graphs are pointers.
_FUNCTIONS = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxSetFlags_v2": (c_int, c_uint),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxSetCurrent": (c_void_p,),
    "cuMemAlloc_v2": (POINTER(c_uint64), c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemHostAlloc": (POINTER(c_void_p), c_size_t, c_uint),
    "cuMemFreeHost": (c_void_p,),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, c_size_t, c_void_p),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, c_size_t, c_void_p),
    "cuStreamCreate": (POINTER(c_void_p), c_uint),
    "cuStreamSynchronize": (c_void_p,),
    "cuStreamDestroy_v2": (c_void_p,),
    "cuStreamBeginCapture_v2": (c_void_p, c_int),
    "cuStreamEndCapture": (c_void_p, POINTER(c_void_p)),
    "cuGraphInstantiateWithFlags": (POINTER(c_void_p), c_void_p, c_ulonglong),
    "cuGraphLaunch": (c_void_p, c_void_p),
    "cuGraphExecDestroy": (c_void_p,),
    "cuGraphDestroy": (c_void_p,),
    "cuEventCreate": (POINTER(c_void_p), c_uint),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventElapsedTime": (POINTER(c_float), c_void_p, c_void_p),
    "cuEventDestroy_v2": (c_void_p,),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
}
_OUT_OF_MEMORY = 2
# After these errors (an uncorrectable memory error, a lost GPU, a failed kernel) nothing works in this process.
_LOST = {46, 214, 700, 702, 714, 715, 716, 717, 718, 719}
_NON_BLOCKING = 1   # CU_STREAM_NON_BLOCKING
_THREAD_LOCAL = 1   # CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
_SCHEDULE = {"spin": 1, "block": 4}  # CU_CTX_SCHED_SPIN, CU_CTX_SCHED_BLOCKING_SYNC
_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…


class CudaDriver:
    """The first GPU that this process may use, with its primary context, which TensorRT uses as well. For one thread.
    Each object is an address as an integer, and must be freed by this object."""

    def __init__(self, asked_by: str, wait: str):
        """Set how threads `wait` for the GPU, "spin" or "block". Raises CompilerError("no_device"), whose message says
        that `asked_by` needs a GPU."""
        self._context_of = None
        self._library = _open(asked_by)
        status = self._library.cuInit(0)
        count = c_int()
        if status == 0:
            status = self._library.cuDeviceGetCount(ctypes.byref(count))
        if status != 0 or count.value == 0:
            why = self.explain(status) if status else "the driver shows none to this process"
            raise CompilerError("no_device", f"no CUDA device: {asked_by} needs one; {why}", ADVICE)
        device, context = c_int(), c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxSetFlags_v2", device, _SCHEDULE[wait])
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._context_of = device
        self.call("cuCtxSetCurrent", context)

    def close(self) -> None:
        device, self._context_of = self._context_of, None
        if device is not None:
            self._library.cuDevicePrimaryCtxRelease_v2(device)

    def facts(self):
        version, major, minor = c_int(), c_int(), c_int()
        name = ctypes.create_string_buffer(256)
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.call("cuDeviceGetName", name, len(name), self._context_of)
        self.call("cuDeviceGetAttribute", ctypes.byref(major), _MAJOR, self._context_of)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), _MINOR, self._context_of)
        return {
            "device": "cuda",
            "device_name": name.value.decode("utf-8", "replace"),
            "compute_capability": f"{major.value}.{minor.value}",
            "driver_cuda_version": f"{version.value // 1000}.{version.value % 1000 // 10}",
        }

    def function(self, name: str):
        """Return the driver's own function, for the timed region. Its caller must check the status."""
        return getattr(self._library, name)

    def call(self, name: str, *arguments) -> None:
        """Call the driver's function. Raises CompilerError."""
        status = self.function(name)(*arguments)
        if status != 0:
            raise self.error(name, status)

    def explain(self, status: int) -> str:
        text = c_char_p()
        known = self._library.cuGetErrorString(status, ctypes.byref(text)) == 0 and text.value
        return f"{text.value.decode('utf-8', 'replace')} (CUDA error {status})" if known else f"CUDA error {status}"

    def error(self, name: str, status: int) -> CompilerError:
        kind = "out_of_memory" if status == _OUT_OF_MEMORY else "device_lost" if status in _LOST else "internal"
        return CompilerError(kind, f"{name}: {self.explain(status)}")

    def allocate(self, size_bytes: int) -> int:
        address = c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), max(size_bytes, 1))
        return address.value

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", address)

    def allocate_host(self, size_bytes: int) -> int:
        """Allocate page-locked memory, so that the GPU itself copies."""
        address = c_void_p()
        self.call("cuMemHostAlloc", ctypes.byref(address), max(size_bytes, 1), 0)
        return address.value

    def free_host(self, address: int) -> None:
        self.call("cuMemFreeHost", address)

    def new_stream(self) -> int:
        stream = c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), _NON_BLOCKING)
        return stream.value

    def capture(self, stream: int, enqueue) -> int:
        """Return what `enqueue` puts on the stream as a graph that can be launched; capturing runs none of it."""
        graph, executable = c_void_p(), c_void_p()
        self.call("cuStreamBeginCapture_v2", stream, _THREAD_LOCAL)
        try:
            enqueue()
        finally:
            status = self._library.cuStreamEndCapture(stream, ctypes.byref(graph))
        if status != 0:
            raise self.error("cuStreamEndCapture", status)
        try:
            self.call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, 0)
        finally:
            self._library.cuGraphDestroy(graph)
        return executable.value

    def time_ns(self, stream: int, enqueue) -> int:
        """Return how long the GPU works on what `enqueue` puts on the stream, by its own clock (CUDA events)."""
        start, stop, milliseconds = c_void_p(), c_void_p(), c_float()
        try:
            self.call("cuEventCreate", ctypes.byref(start), 0)
            self.call("cuEventCreate", ctypes.byref(stop), 0)
            self.call("cuEventRecord", start, stream)
            enqueue()
            self.call("cuEventRecord", stop, stream)
            self.call("cuStreamSynchronize", stream)
            self.call("cuEventElapsedTime", ctypes.byref(milliseconds), start, stop)
        finally:
            for event in (start, stop):
                if event.value is not None:
                    self._library.cuEventDestroy_v2(event)
        return round(milliseconds.value * 1e6)


def _open(asked_by: str):
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise CompilerError("no_device", f"no CUDA device: {asked_by} needs one, and there is no NVIDIA driver here "
                                         f"({error})", ADVICE) from None
    for name, arguments in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise CompilerError("import_error", f"the NVIDIA driver is too old: {LIBRARY} has no {name}",
                                "install one of CUDA 11.4 or newer") from None
        function.argtypes, function.restype = arguments, c_int
    return library
