# SPDX-License-Identifier: Apache-2.0
"""An engine on the GPU: its context, its tensors in our memory, and the timed call."""
import array
import ctypes
import math

from ngraphbench.adaptor import CompilerError

from .building import NARROWED, TYPES

_ITEM_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i8": 1, "u8": 1, "bool": 1}


class Buffer:
    """A tensor on the GPU, and page-locked memory of the same size for copies."""

    def __init__(self, cuda, name, dtype, shape, size_bytes):
        self.name, self.dtype, self.shape, self.size_bytes = name, dtype, shape, size_bytes
        self._cuda = cuda
        self.host = self.device = None
        try:
            self.device = cuda.allocate(size_bytes)
            self.host = cuda.allocate_host(size_bytes)
        except CompilerError:
            self.free()
            raise

    def free(self) -> None:
        if self.device is not None:
            self._cuda.free(self.device)
        if self.host is not None:
            self._cuda.free_host(self.host)
        self.host = self.device = None


class Execution:
    def __init__(self, trt, cuda, logger, plan):
        """Raises CompilerError."""
        self._trt, self._cuda, self._logger = trt, cuda, logger
        self._inputs, self._outputs = [], []
        self._allocators = {}  # for outputs whose shape is known only after a run
        self._graph = self._engine = self._context = self._stream = self._gpu_ns = None
        logger.forget()
        self._runtime = trt.Runtime(logger)
        self._engine = self._runtime.deserialize_cuda_engine(plan)
        if self._engine is None:
            raise CompilerError("compiler_failed", f"TensorRT cannot open the engine: {logger.reason()}")
        logger.forget()
        self._context = self._engine.create_execution_context()
        if self._context is None:
            raise CompilerError("out_of_memory", f"TensorRT cannot make an execution context: {logger.reason()}")
        self._stream = cuda.new_stream()

    def facts(self):
        engine = self._engine
        # device_memory_size exists until 10, device_memory_size_v2 since 10.1.
        memory = engine.device_memory_size_v2 if hasattr(engine, "device_memory_size_v2") else engine.device_memory_size
        buffers = sum(buffer.size_bytes for buffer in self._inputs + self._outputs)
        facts = {} if self._gpu_ns is None else {"gpu_inference_ns": str(self._gpu_ns)}
        return {**facts, "layers": str(engine.num_layers), "activation_memory_bytes": str(memory),
                "input_output_memory_bytes": str(buffers), "is_cuda_graph": "false" if self._graph is None else "true"}

    def bind(self, tensors, includes_transfer: bool, uses_graph: bool) -> None:
        """End with two untimed inferences: one completes the context's preparations, the GPU's clock times the
        other."""
        self._unbind()
        self._logger.forget()
        self._includes_transfer = includes_transfer
        for tensor in tensors:
            self._add_input(tensor)
        for name in self._names(self._trt.TensorIOMode.OUTPUT):
            self._add_output(name)
        if self._allocators and (includes_transfer or uses_graph):
            raise CompilerError("invalid_option", "include_transfer and cuda_graph need outputs of known shape; that "
                                                  f'of "{next(iter(self._allocators))}" is known only after a run')
        for buffer in self._inputs:
            self._copy_in(buffer)
        self._enqueue()
        self._synchronize()
        self._gpu_ns = self._cuda.time_ns(self._stream, self._enqueue)
        if uses_graph:
            self._graph = self._cuda.capture(self._stream, self._enqueue)

    def runner(self):
        stream, synchronize = self._stream, self._cuda.function("cuStreamSynchronize")
        if self._graph is not None:
            launch, graph = self._cuda.function("cuGraphLaunch"), self._graph

            def infer():
                status = launch(graph, stream) or synchronize(stream)
                if status:
                    raise self._cuda.error("launching the graph", status)
        elif self._includes_transfer:
            enqueue = self._enqueue

            def infer():
                enqueue()
                status = synchronize(stream)
                if status:
                    raise self._cuda.error("cuStreamSynchronize", status)
        else:
            execute = self._context.execute_async_v3

            def infer():
                if not execute(stream):
                    raise self._not_enqueued()
                status = synchronize(stream)
                if status:
                    raise self._cuda.error("cuStreamSynchronize", status)

        return infer

    def begin_profile(self) -> None:
        from . import layer_times

        self._profiler = layer_times.make_profiler(self._trt)
        self._context.profiler = self._profiler

    def end_profile(self, inferences):
        from . import layer_times

        self._context.profiler = None
        return layer_times.kernels_of(self._profiler.times, inferences)

    def read(self):
        return [self._read(buffer) for buffer in self._outputs]

    def close(self) -> None:
        self._unbind()
        self._context = None  # freed in this order: context, engine, runtime
        self._engine = None
        self._runtime = None
        if self._stream is not None:
            self._cuda.call("cuStreamDestroy_v2", self._stream)
        self._stream = None

    def _names(self, mode):
        engine = self._engine
        names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
        return [name for name in names if engine.get_tensor_mode(name) == mode]

    def _dtype(self, name: str) -> str:
        theirs = self._engine.get_tensor_dtype(name).name
        if theirs not in TYPES:
            raise CompilerError("unsupported_operator", f'"{name}" has type {theirs}, which cannot be fed or read')
        return TYPES[theirs]

    def _new_buffer(self, name, dtype, shape, size_bytes) -> Buffer:
        if self._engine.get_tensor_location(name) != self._trt.TensorLocation.DEVICE:
            raise CompilerError("unsupported_operator", f'"{name}" holds a shape, which TensorRT keeps in the CPU\'s '
                                                        "memory", "leave this model out for tensorrt")
        buffer = Buffer(self._cuda, name, dtype, shape, size_bytes)
        if not self._context.set_tensor_address(name, buffer.device):
            buffer.free()
            raise CompilerError("compiler_failed",
                                f'TensorRT does not accept memory for "{name}": {self._logger.reason()}')
        return buffer

    def _add_input(self, tensor) -> None:
        name, shape = tensor.name, tuple(tensor.shape)
        if -1 in tuple(self._engine.get_tensor_shape(name)) and not self._context.set_input_shape(name, shape):
            raise CompilerError("invalid_model", f'input "{name}" cannot be {list(shape)}: {self._logger.reason()}')
        dtype = self._dtype(name)
        data = tensor.data
        if (tensor.dtype, dtype) == NARROWED:
            data = _narrowed(name, data)
        buffer = self._new_buffer(name, dtype, shape, data.nbytes)
        self._inputs.append(buffer)
        ctypes.memmove(buffer.host, data.tobytes(), data.nbytes)

    def _add_output(self, name: str) -> None:
        dtype, shape = self._dtype(name), tuple(self._context.get_tensor_shape(name))
        if -1 not in shape:
            self._outputs.append(self._new_buffer(name, dtype, shape, math.prod(shape) * _ITEM_BYTES[dtype]))
            return
        buffer = self._new_buffer(name, dtype, shape, self._context.get_max_output_size(name))
        self._outputs.append(buffer)
        self._allocators[name] = _make_allocator(self._trt, buffer)
        self._context.set_output_allocator(name, self._allocators[name])

    def _copy_in(self, buffer) -> None:
        self._cuda.call("cuMemcpyHtoDAsync_v2", buffer.device, buffer.host, buffer.size_bytes, self._stream)

    def _copy_out(self, buffer, size_bytes) -> None:
        self._cuda.call("cuMemcpyDtoHAsync_v2", buffer.host, buffer.device, size_bytes, self._stream)

    def _enqueue(self) -> None:
        """Enqueue a whole inference on the stream. A graph captures the same."""
        if self._includes_transfer:
            for buffer in self._inputs:
                self._copy_in(buffer)
        if not self._context.execute_async_v3(self._stream):
            raise self._not_enqueued()
        if self._includes_transfer:
            for buffer in self._outputs:
                self._copy_out(buffer, buffer.size_bytes)

    def _not_enqueued(self) -> CompilerError:
        return CompilerError("compiler_failed", f"TensorRT cannot run the model: {self._logger.reason()}")

    def _synchronize(self) -> None:
        self._cuda.call("cuStreamSynchronize", self._stream)

    def _read(self, buffer):
        allocator = self._allocators.get(buffer.name)
        shape = buffer.shape if allocator is None else allocator.shape
        size_bytes = math.prod(shape) * _ITEM_BYTES[buffer.dtype]
        if not self._includes_transfer:
            self._copy_out(buffer, size_bytes)
            self._synchronize()
        return buffer.name, buffer.dtype, shape, ctypes.string_at(buffer.host, size_bytes)

    def _unbind(self) -> None:
        graph, self._graph = self._graph, None
        if graph is not None:
            self._cuda.call("cuGraphExecDestroy", graph)
        for buffer in self._inputs + self._outputs:
            buffer.free()
        self._inputs, self._outputs, self._allocators = [], [], {}


def _narrowed(name: str, data) -> memoryview:
    try:
        return memoryview(array.array("i", data.cast("q"))).cast("B")
    except OverflowError:
        raise CompilerError("unsupported_operator", f'input "{name}" has values beyond 32 bits, which this TensorRT '
                                                    "does not have", "use version 10 or newer") from None


def _make_allocator(trt, buffer):
    """Return an allocator that gives TensorRT the existing buffer and learns the output's shape once it is known."""

    class Allocator(trt.IOutputAllocator):
        def __init__(self):
            trt.IOutputAllocator.__init__(self)
            self.shape = None

        def reallocate_output(self, name, memory, size, alignment):
            return buffer.device if size <= buffer.size_bytes else 0

        def reallocate_output_async(self, name, memory, size, alignment, stream):
            return self.reallocate_output(name, memory, size, alignment)

        def notify_shape(self, name, shape):
            self.shape = tuple(shape)

    return Allocator()
