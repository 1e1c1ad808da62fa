# SPDX-License-Identifier: Apache-2.0
"""MNN: its converter's file, run through the module interface of its Python package."""
import os
from importlib import metadata

from ngraphbench import onnx_file, onnx_opset, reduced_precision
from ngraphbench.adaptor import Adaptor, CompilerError

_PRECISIONS = {"f32": "high", "bf16": "low_bf16", "f16": "low"}  # MNN's words
WINOGRAD_HINT = 3  # of MNN's Interpreter::HintMode
WINOGRAD_LEVELS = {"small": 1, "large": 3}
# MNN keeps one step's value for all of them unless shapes may change.
_LOOPS = ("GRU", "LSTM", "Loop", "RNN", "Scan")
# MNN's arithmetic is in f32 and in integers of 32 or 8 bits: i64 and bool are i32 there.
_HELD_AS = {"f32": "float32", "i64": "int32", "i32": "int32", "bool": "int32", "u8": "uint8"}
_NUMPY = {"f32": "float32", "i64": "int64", "i32": "int32", "bool": "bool", "u8": "uint8", "i8": "int8"}


class Mnn(Adaptor):
    no_profile_because = "MNN tells times only through its session, which overwrites its inputs"

    @classmethod
    def preload(cls):
        import _tools  # noqa: F401
        import MNN.expr  # noqa: F401
        import MNN.nn  # noqa: F401
        import onnx  # noqa: F401

        from . import conversion, exact_gelu, mnn_forms, resizing  # noqa: F401

    def __init__(self, settings):
        self._threads_asked, self._options, self._precision = settings.threads, settings.options, settings.precision
        self._runtime = self._module = self._inputs = self._results = None
        self._in_f32 = None  # runtime and module to compare with once, unless the study asks for f32
        self._conversion, self._running = {}, {}  # facts; none unless this process compiled, and before it has loaded
        self._outputs, self._formats = [], []  # the latter of a compiled file's inputs

    def compile(self, model):
        inputs = [{"name": tensor.name, "dtype": tensor.dtype, "shape": tensor.shape} for tensor in model.inputs]
        flags = ["--optimizeLevel", str(self._options["optimize_level"]),
                 "--optimizePrefer", str(self._options["optimize_prefer"])]
        self._conversion = convert(model.path, inputs, model.artifact_path, flags, self._options["gelu"] == "exact")

    def load(self, model):
        source = None if model.is_compiled else self._learn_outputs(model.path)
        self._file = (model.artifact_path, [tensor.name for tensor in model.inputs], [name for name, _, _ in self._outputs])
        self._may_change_shapes = source is None or any(map(has_loop, (source.graph, *source.functions)))
        before = _count_threads()
        self._runtime, self._module = self._open(_PRECISIONS[self._precision])
        threads = 1 + _count_threads() - before
        if threads != self._threads_asked:
            raise CompilerError("fallback", f"MNN runs on {threads} threads, {self._threads_asked} were asked for")
        self._running = {"threads": str(threads)}
        if self._module is None:
            raise CompilerError("compiler_failed", "MNN cannot load its file")
        if model.is_compiled:
            told = self._module.get_info()
            self._outputs = [(name, None, None) for name in told["outputNames"]]
            self._formats = [tensor.data_format for tensor in told["inputs"]]
            self._running["made_by_version"] = told["version"]
        if self._precision != "f32":
            self._in_f32 = self._open(_PRECISIONS["f32"])

    def _open(self, precision):
        """Return a runtime and the module in it. By itself MNN may compute in bf16 or f16. The runtime starts its threads
        here, after the converter."""
        import MNN.nn

        runtime = MNN.nn.create_runtime_manager(
            ({"backend": "CPU", "numThread": self._threads_asked, "precision": precision, "memory": self._options["memory"]},))
        runtime.set_hint(WINOGRAD_HINT, WINOGRAD_LEVELS[self._options["winograd"]])
        return runtime, MNN.nn.load_module_from_file(*self._file, runtime_manager=runtime, shape_mutable=self._may_change_shapes)

    def _learn_outputs(self, path):
        """Return the onnx.ModelProto of the file, without weights, and learn what its outputs are."""
        import onnx

        source = onnx.load(path, load_external_data=False)
        for output in source.graph.output:
            word = str(onnx.helper.tensor_dtype_to_np_dtype(output.type.tensor_type.elem_type))
            dtype = next((ours for ours, theirs in _NUMPY.items() if theirs == word), None)
            if dtype is None:
                raise CompilerError("unsupported_operator", f'output "{output.name}" has type {word}, which MNN lacks')
            dims = output.type.tensor_type.shape.dim
            is_known = output.type.tensor_type.HasField("shape") and all(dim.HasField("dim_value") for dim in dims)
            self._outputs.append((output.name, dtype, tuple(dim.dim_value for dim in dims) if is_known else None))
        return source

    def bind(self, inputs):
        import MNN.expr as expr
        import numpy as np

        types = {"float32": expr.float, "int32": expr.int, "uint8": expr.uint8}
        self._inputs = []
        for index, tensor in enumerate(inputs):
            word = held_as(tensor.name, tensor.dtype)
            array = np.frombuffer(tensor.data, _NUMPY[tensor.dtype]).reshape(tensor.shape).astype(word)
            wanted = self._formats[index] if self._formats else expr.NCHW
            value = expr.const(array, list(tensor.shape), expr.NHWC if wanted == expr.NHWC else expr.NCHW, types[word])
            self._inputs.append(expr.convert(value, wanted) if wanted == expr.NC4HW4 else value)
        if self._in_f32:
            ours, in_f32 = ([np.array(result.read()) for result in module.forward(self._inputs)]
                            for module in (self._module, self._in_f32[1]))
            reduced_precision.require_other_outputs("MNN", self._precision, ours, in_f32)
            self._in_f32 = None

    def runner(self):
        """Return a callable that runs the module. MNN's older interface, the session, overwrites its inputs."""
        forward, inputs = self._module.forward, self._inputs

        def infer():
            self._results = forward(inputs)

        return infer

    def read(self):
        import MNN.expr as expr
        import numpy as np

        if len(self._results) != len(self._outputs):
            raise CompilerError("compiler_failed", "MNN ran no inference; its words are in the log of this attempt")
        read = []
        for (name, dtype, shape), result in zip(self._outputs, self._results):
            if result.data_format == expr.NC4HW4:
                result = expr.convert(result, expr.NCHW)
            array = np.asarray(result.read())
            dtype = dtype or next(ours for ours, theirs in _NUMPY.items() if theirs == str(array.dtype))
            array = array.astype(_NUMPY[dtype])
            if shape is not None and _longer(shape) == _longer(array.shape):  # of some operators it keeps an axis of extent 1
                array = array.reshape(shape)
            read.append((name, dtype, tuple(array.shape), array.tobytes()))
        return read

    def inspect(self):
        return {"version": metadata.version("MNN"), "device": "cpu", "precision": self._precision, **self._running,
                **self._conversion}

    def close(self):
        self._results = self._inputs = self._module = self._in_f32 = self._runtime = None


def convert(source, inputs, path, flags=(), has_exact_gelu=True):
    """Write MNN's file of an ONNX file at the shapes of `inputs` ("name", "dtype", "shape" each). Return facts. Raises
    CompilerError."""
    from ngraphbench import onnx_constants, onnx_patches, onnx_standardised

    from . import conversion, exact_gelu, mnn_forms, resizing

    def write(proto):
        onnx_file.check_inputs(proto, inputs)
        for tensor in inputs:
            held_as(tensor["name"], tensor["dtype"])
        onnx_constants.compute(proto, {tensor["name"]: tensor["shape"] for tensor in inputs})
        facts = onnx_file.change(proto, onnx_standardised.write, onnx_patches.write_col2im, resizing.write,
                                 mnn_forms.write, *[exact_gelu.keep] * has_exact_gelu)
        conversion.write(proto, path, flags)
        return facts

    found, facts = onnx_opset.use(source, write)
    return {**facts, **found}


def has_loop(graph) -> bool:
    return any(node.op_type in _LOOPS or any(has_loop(inner) for each in node.attribute for inner in (each.g, *each.graphs))
               for node in graph.node)


def _longer(shape) -> list:
    return [extent for extent in shape if extent != 1]


def held_as(name, dtype) -> str:
    if dtype not in _HELD_AS:
        raise CompilerError("unsupported_operator", f'input "{name}" has type {dtype}, which MNN lacks')
    return _HELD_AS[dtype]


def _count_threads():
    return len(os.listdir("/proc/self/task"))
