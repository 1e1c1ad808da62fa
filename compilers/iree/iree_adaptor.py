# SPDX-License-Identifier: Apache-2.0
"""IREE: a program for the processor, which IREE's virtual machine runs through its Python runtime."""
import os
import time
from importlib import metadata

from ngraphbench import onnx_file, onnx_opset
from ngraphbench.adaptor import Adaptor, CompilerError

_TYPES = {"f32": "float32", "f16": "float16", "f64": "float64", "i64": "int64", "i32": "int32", "i8": "int8",
          "u8": "uint8", "bool": "bool"}
ELEMENTS = {"f32": "FLOAT_32", "f16": "FLOAT_16", "f64": "FLOAT_64", "i64": "SINT_64", "i32": "SINT_32",
             "i8": "SINT_8", "u8": "UINT_8", "bool": "BOOL_8"}
# ONNX's numbers of the unsigned element types. IREE's integers have no sign: these types come back as signed ones.
_UNSIGNED = {2: "uint8"}


# Programs stay loaded until the process ends, because Python owns their memory. If IREE released it last, a worker
# thread might do so, waiting for the GIL while the thread that holds the GIL waits for the worker.
_LOADED = []


class Iree(Adaptor):
    @classmethod
    def preload(cls):
        import iree.compiler.api  # noqa: F401
        import iree.compiler.extras.onnx_importer  # noqa: F401
        import iree.runtime  # noqa: F401
        import onnx  # noqa: F401

        from . import profiling, program  # noqa: F401

    def __init__(self, settings):
        import iree.runtime as runtime

        from . import program

        self._runtime, self._options = runtime, settings.options
        self._flags, runtime_flags = program.flags_of(settings.settings)
        self._context = self._function = self._results = None
        self._conversion = {}  # facts; none unless this process compiled
        self._is_profiled, self._lowered, self._sites, self._program = settings.is_profiled, None, None, None
        self._runtime_flags = runtime_flags
        # With one thread, the calling thread computes. With several, workers compute and the calling thread waits.
        self._driver = "local-sync" if settings.threads == 1 else "local-task"
        self._task_flags = [f"--task_topology_group_count={settings.threads}",
                            f"--task_worker_stack_size={program.WORKER_STACK_BYTES}"]
        runtime.flags.parse_flags(*self._task_flags)
        program.hand_on(lambda: runtime.flags.parse_flags(*runtime_flags), runtime_flags)
        self._device = runtime.get_driver(self._driver).create_default_device()
        self._threads = 1 if settings.threads == 1 else _count_workers(settings.threads)
        if self._threads != settings.threads:
            raise CompilerError("fallback", f"IREE runs on {self._threads} threads, {settings.threads} were asked for")

    def compile(self, model):
        from . import program

        inputs = [{"name": tensor.name, "shape": tensor.shape} for tensor in model.inputs]
        flags = [f'--iree-opt-level={self._options["opt_level"]}',
                 f'--iree-opt-data-tiling={"true" if self._options["data_tiling"] else "false"}']

        def write(proto):
            onnx_file.check_inputs(proto, inputs)
            shaped = program.with_shapes(proto, inputs)
            if self._is_profiled:
                self._lowered = program.imported(shaped), [*program.OUR_FLAGS, *flags, *self._flags]
            program.write(shaped, model.artifact_path, flags, self._flags)

        _, self._conversion = onnx_opset.use(model.path, write)

    def load(self, model):
        from . import program

        self._model_path = model.path
        if self._is_profiled:  # the worker removes the file once it is open
            self._program = open(model.artifact_path, "rb")
        runtime = self._runtime
        instance = runtime.VmInstance()
        module = runtime.VmModule.mmap(instance, model.artifact_path)
        _LOADED.append(module)
        self._context = runtime.VmContext(instance, [runtime.create_hal_module(instance, self._device), module])
        name = program.FUNCTION
        if model.is_compiled:
            from . import compiled_file

            name, text = compiled_file.declaration(module)
            self._output_names = compiled_file.output_names(text)
            self._output_types = []
        else:
            outputs = onnx_file.outputs_of(model.path)
            self._output_names = [output.name for output in outputs]
            self._output_types = [_UNSIGNED.get(output.type.tensor_type.elem_type) for output in outputs]
        self._function = module.lookup_function(name)

    def bind(self, inputs):
        runtime = self._runtime
        self._inputs = inputs
        self._arguments = runtime.VmVariantList(len(inputs))
        for tensor in inputs:
            self._arguments.push_ref(self._view_of(tensor))

    def _view_of(self, tensor):
        import numpy as np

        if tensor.dtype not in _TYPES:
            raise CompilerError("unsupported_operator", f'input "{tensor.name}" has type {tensor.dtype}, which iree '
                                                        "does not support")
        runtime = self._runtime
        array = np.frombuffer(tensor.data, _TYPES[tensor.dtype]).reshape(tensor.shape)
        return self._device.allocator.allocate_buffer_copy(
            memory_type=runtime.MemoryType.DEVICE_LOCAL,
            allowed_usage=runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING, device=self._device,
            buffer=array, element_type=getattr(runtime.HalElementType, ELEMENTS[tensor.dtype]))

    def runner(self):
        """Return a callable that waits for the function's end; its results are buffers that stay on the device. IREE's
        own FunctionInvoker would also examine each argument and wrap each result."""
        invoke, function, arguments = self._context.invoke, self._function, self._arguments
        make_list, count = self._runtime.VmVariantList, len(self._output_names)

        def infer():
            self._results = results = make_list(count)
            invoke(function, arguments, results)

        return infer

    def read(self):
        runtime = self._runtime
        outputs = []
        names = self._output_names or [f"output{index}" for index in range(self._results.size)]
        for index, name in enumerate(names):
            view = self._results.get_as_object(index, runtime.HalBufferView)
            array = runtime.DeviceArray(self._device, view, implicit_host_transfer=True).to_host()
            if self._output_types and self._output_types[index] is not None and array.dtype.itemsize == 1:
                array = array.view(self._output_types[index])
            dtype = next((ours for ours, theirs in _TYPES.items() if theirs == str(array.dtype)), None)
            if dtype is None:
                raise CompilerError("internal", f'output "{name}" has type {array.dtype}, which cannot be compared')
            outputs.append((name, dtype, tuple(array.shape), array.tobytes()))
        return outputs

    def begin_profile(self):
        if self._lowered is None:
            raise CompilerError("no_profile", "IREE's program is profiled in the process that compiles it",
                                "let every process compile")
        if self._sites is None:
            import onnx

            from . import profiling

            graph = onnx.load(self._model_path, load_external_data=False).graph
            self._sites = profiling.sites_of(profiling.lower(*self._lowered), onnx_file.node_names(graph))

    def end_profile(self, inferences):
        import numpy as np

        from . import profiling, program

        arrays = [np.frombuffer(tensor.data, _TYPES[tensor.dtype]).reshape(tensor.shape) for tensor in self._inputs]
        flags = [f"--device={self._driver}", *self._task_flags, *self._runtime_flags]
        artifact = f"/proc/{os.getpid()}/fd/{self._program.fileno()}"
        runs = profiling.measure(artifact, program.FUNCTION, flags, arrays, inferences)
        return profiling.kernels_of(runs, self._sites)

    def inspect(self):
        from iree.compiler import version as compiler
        from iree.runtime import version as runtime

        return {"version": metadata.version("iree-base-runtime"), "compiler_version": compiler.VERSION,
                "runtime_version": runtime.VERSION, "driver": self._driver, "device": "cpu", "precision": "f32",
                "threads": str(self._threads), **self._conversion}

    def close(self):
        if self._program is not None:
            self._program.close()
        self._inputs = self._results = self._arguments = self._function = self._context = self._device = None


def _count_workers(expected):
    """Count IREE's threads by their name, which each thread sets when it starts."""
    deadline = time.monotonic() + 5
    while True:
        names = []
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/comm", encoding="utf-8") as file:
                names.append(file.read())
        count = sum(name.startswith("iree-worker-") for name in names)
        if count >= expected or time.monotonic() > deadline:
            return count
        time.sleep(0.001)
