# SPDX-License-Identifier: Apache-2.0
"""ncnn: pnnx's files, run by ncnn's extractor through its Python package."""
import math
import os
from collections import Counter
from importlib import metadata

from ngraphbench import onnx_file, onnx_opset, reduced_precision
from ngraphbench.adaptor import Adaptor, CompilerError

HELD_AS = {"f32": "float32", "i64": "int32", "i32": "int32"}
_NUMPY = {"f32": "float32", "i64": "int64", "i32": "int32"}
_F32 = 1  # ONNX's number of the type
_REDUCED = ("use_fp16_", "use_bf16_", "use_int8_")  # how ncnn's options for other numbers than f32 begin
_OPTIONS = {"f32": (), "bf16": ("use_bf16_packed", "use_bf16_storage"),
            "f16": ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic")}


class Ncnn(Adaptor):
    no_profile_because = "only a build of ncnn with NCNN_BENCHMARK prints the times of its layers"

    @classmethod
    def preload(cls):
        import ncnn  # noqa: F401
        import onnx  # noqa: F401

        from . import conversion, low_rank, per_sample, pnnx_forms, taken_rows  # noqa: F401

    def __init__(self, settings):
        import ncnn

        self._conversion = {}  # facts; none unless this process compiled
        self._arithmetic, self._wide = {}, {}  # facts; none in f32, and before there are inputs or a model
        self._inputs = self._results = None
        self._files = None  # of a user: layers and weights
        self._settings = settings
        # Memory is kept from one inference to the next, as in ncnn's own benchmark.
        self._allocators = ncnn.UnlockedPoolAllocator(), ncnn.PoolAllocator()
        self._net, self._given = self._open(_OPTIONS[settings.precision])

    def _open(self, reduced):
        """Return a net with these options for other numbers than f32, and the study's settings as ncnn tells them."""
        import ncnn

        net = ncnn.Net()
        option = net.opt
        option.num_threads = self._settings.threads
        option.use_vulkan_compute = False
        option.use_winograd63_convolution = False  # its rounding errors are some 50 times those of a sum in f32
        for name in dir(option):
            if name.startswith(_REDUCED):
                setattr(option, name, name in reduced)
        option.blob_allocator, option.workspace_allocator = self._allocators
        return net, {name: _apply(option, name, value) for name, value in self._settings.settings.items()}

    def compile(self, model):
        from ngraphbench import onnx_constants, onnx_patches, onnx_standardised

        from . import conversion, low_rank, per_sample, pnnx_forms, taken_rows

        inputs = [{"name": tensor.name, "shape": tensor.shape, "dtype": tensor.dtype} for tensor in model.inputs]
        batch = _batch_of(model.inputs)

        def write(proto):
            onnx_file.check_inputs(proto, inputs)
            _check_types(model.inputs, proto.graph.output)
            onnx_constants.compute(proto, {tensor.name: tensor.shape for tensor in model.inputs})
            reasons = []
            apart = [taken_rows.write, lambda graph: reasons.append(per_sample.write(graph, batch))] if batch > 1 else []
            facts = onnx_file.change(proto, onnx_standardised.write, onnx_patches.write_col2im, onnx_patches.write_unfolds,
                                     *apart, low_rank.write, pnnx_forms.write)
            conversion.write(proto, model.artifact_path, inputs, 1 if any(reasons) else batch)
            return {**facts, "batches": f"part of the graph: {reasons[0]}"} if any(reasons) else facts

        found, self._conversion = onnx_opset.use(model.path, write)
        self._conversion.update(found)

    def load(self, model):
        from . import conversion

        if model.is_compiled:
            return self._load_compiled(model)
        self._input_blobs = [f"in{index}" for index in range(len(model.inputs))]  # as pnnx names them
        self._outputs = [output.name for output in onnx_file.outputs_of(model.path)]
        self._output_blobs = [f"out{index}" for index in range(len(self._outputs))]
        self._layers, self._weights, self._axes = conversion.read(model.artifact_path)  # ncnn reads the weights where they are
        if not self._fill(self._net):
            raise CompilerError("unsupported_operator", "ncnn cannot load what pnnx has written; its words are in the log "
                                                        "of this attempt", "leave this model out for ncnn")
        return self._learn_operators()

    def _load_compiled(self, model):
        """Open a user's files, whose weights may be int8. ncnn's layers are those of one sample."""
        self._files = model.path, os.path.splitext(model.path)[0] + ".bin"
        if not self._fill(self._net):
            raise CompilerError("compiler_failed", "ncnn cannot load its files; its words are in the log of this attempt")
        self._input_blobs = [tensor.name for tensor in model.inputs]
        self._outputs = self._output_blobs = list(self._net.output_names())
        self._axes = {"samples": 1, "inputs": [0] * len(self._input_blobs), "outputs": [0] * len(self._outputs),
                      "shapes": [None] * len(self._outputs)}
        return self._learn_operators()

    def _fill(self, net) -> bool:
        if not self._files:
            is_known = net.load_param_mem(self._layers) == 0
            net.load_model_mem(self._weights)
            return is_known
        for name in dir(net.opt):
            if name.startswith("use_int8_"):
                setattr(net.opt, name, True)
        return net.load_param(self._files[0]) == 0 and net.load_model(self._files[1]) == 0

    def _learn_operators(self) -> None:
        """Learn the layers that have no kernels for the precision on this processor, with their numbers, or "none". Raises
        CompilerError if none has: ncnn would keep weights in the precision at most, and compute in f32."""
        if self._settings.precision == "f32":
            return
        kind = {"f16": "fp16", "bf16": "bf16"}[self._settings.precision]
        layers = [layer for layer in self._net.layers() if layer.type != "Input"]
        wide = Counter(layer.type for layer in layers if not getattr(layer, f"support_{kind}_storage"))
        if sum(wide.values()) == len(layers):
            raise CompilerError("fallback", f"ncnn has no kernels for {self._settings.precision} on this processor: all {len(layers)} "
                                            "layers compute in f32", "measure ncnn in f32 on this processor")
        self._wide = {"f32_operators": ", ".join(f"{name} {count}" for name, count in sorted(wide.items())) or "none"}

    def bind(self, inputs):
        import ncnn
        import numpy as np

        self._inputs = []
        samples = self._axes["samples"]
        for blob, tensor, axis in zip(self._input_blobs, inputs, self._axes["inputs"]):
            array = np.frombuffer(tensor.data, _NUMPY[tensor.dtype]).reshape(tensor.shape).astype(HELD_AS[tensor.dtype])
            if samples > 1:  # each is one value of the graph's shape, of which ncnn has dropped a first axis that counts samples
                axis, array = 0, array if axis == 0 else array[:, None]
            self._inputs.append((blob, ncnn.Mat(np.ascontiguousarray(array), batch_index=axis).clone()))
        if self._settings.precision != "f32" and not self._arithmetic:
            self._arithmetic = {"arithmetic": self._arithmetic_of(_OPTIONS[self._settings.precision])}

    def _arithmetic_of(self, reduced) -> str:
        """Return in what ncnn adds and multiplies. It takes the options for other numbers also where the processor has no
        instructions for them, and then computes in f32. Raises CompilerError if nothing is reduced here."""
        precision = self._settings.precision
        ours = self._outputs_with(reduced)
        reduced_precision.require_other_outputs("ncnn", precision, ours, self._outputs_with(()))
        stored = [name for name in reduced if not name.endswith("_arithmetic")]
        is_storage = len(stored) == len(reduced) or reduced_precision.same(ours, self._outputs_with(stored))
        return f"f32, of numbers that are stored in {precision}" if is_storage else precision

    def _outputs_with(self, reduced):
        import numpy as np

        from . import conversion

        net, _ = self._open(reduced)
        self._fill(net)
        extractor = net.create_extractor()
        for name, value in self._inputs:
            extractor.input(name, value)
        found = [extractor.extract(name) for name in self._output_blobs]
        return [np.array(result.numpy(batch_index=conversion.NO_BATCH)) for status, result in found if status == 0]

    def runner(self):
        """Return a callable that makes an extractor, ncnn's object for one inference, and takes all outputs from it."""
        make, inputs = self._net.create_extractor, self._inputs
        names = self._output_blobs

        def infer():
            extractor = make()
            for name, value in inputs:
                extractor.input(name, value)
            self._results = [extractor.extract(name) for name in names]

        return infer

    def read(self):
        import numpy as np

        read, samples = [], self._axes["samples"]
        for name, axis, shape, (status, result) in zip(self._outputs, self._axes["outputs"], self._axes["shapes"], self._results):
            if status != 0:
                raise CompilerError("compiler_failed", f'ncnn could not compute output "{name}" (status {status}); its words '
                                                       "are in the log of this attempt")
            found = [result.n, result.c, result.d, result.h, result.w]
            if shape is not None and math.prod(found) != math.prod(shape) * samples:
                raise CompilerError("unsupported_operator", f'ncnn computed {found} elements for output "{name}" of shape {shape}: '
                                                            "its batches do not fit a layer of this model", "use batch size 1")
            array = np.ascontiguousarray(result.numpy(batch_index=0 if samples > 1 else axis))
            if samples > 1:
                array = array.reshape(samples * shape[0], *shape[1:])
            read.append((name, "f32", tuple(array.shape), array.tobytes()))
        return read

    def inspect(self):
        return {"version": metadata.version("ncnn"), "pnnx_version": metadata.version("pnnx"), "device": "cpu",
                "precision": self._settings.precision, "threads": str(self._net.opt.num_threads), **self._arithmetic, **self._wide, **self._given,
                **self._conversion}

    def close(self):
        self._results = self._inputs = None
        if self._net is not None:
            self._net.clear()
        self._net = self._weights = self._allocators = None


def _apply(option, name: str, value) -> str:
    """Set a field of ncnn's Option. Return its value as ncnn tells it then. Raises CompilerError."""
    if not hasattr(option, name) or name.startswith("_"):
        raise CompilerError("invalid_option", f"settings {name}: ncnn's Option has no such field",
                            "correct or remove it in the study's settings of ncnn")
    try:
        setattr(option, name, value)
    except TypeError as error:
        raise CompilerError("invalid_option", f"settings {name}: {str(error).splitlines()[0]}",
                            "correct or remove it in the study's settings of ncnn") from None
    return str(getattr(option, name))


def _batch_of(inputs) -> int:
    """The first extent of all inputs, if it is the same: it may count samples."""
    extents = {tensor.shape[0] if tensor.shape else 1 for tensor in inputs}
    return extents.pop() if len(extents) == 1 else 1


def _check_types(inputs, outputs) -> None:
    for tensor in inputs:
        if tensor.dtype not in HELD_AS:
            raise CompilerError("unsupported_operator", f'input "{tensor.name}" has type {tensor.dtype}, which ncnn lacks')
    for output in outputs:
        if output.type.tensor_type.elem_type != _F32:
            raise CompilerError("unsupported_operator", f'output "{output.name}" is not f32, which is all that ncnn computes here')
