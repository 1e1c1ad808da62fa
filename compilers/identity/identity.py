# SPDX-License-Identifier: Apache-2.0
"""PyTorch eager. A recipe becomes the real module (timm's if timm has it) with the file's weights, a user's module is
made by the user's function, and a user's ONNX file is converted by onnx2torch. `preload` imports torch, and
`preload_models` the packages that make modules, which take as long; importing this file does neither."""
import os

from ngraphbench.adaptor import Adaptor, CompilerError

_OUTPUT_TYPES = {"torch.float32": "f32", "torch.float16": "f16", "torch.bfloat16": "bf16", "torch.float64": "f64",
                 "torch.int64": "i64", "torch.int32": "i32", "torch.int8": "i8", "torch.uint8": "u8",
                 "torch.bool": "bool"}
_INPUT_TYPES = {name: dtype.rpartition(".")[2] for dtype, name in _OUTPUT_TYPES.items()}


ANY = -1  # in a shape: any extent


def is_module(model):
    """Return whether the model is a user's PyTorch module, which needs no ONNX file."""
    return model.recipe is not None and "module" in model.recipe


def open_axes(signature):
    """Return the axes for whose extents the model is compiled as any: that of the batch, or of other dimensions."""
    return [axis for axis, extent in enumerate(signature.shape) if extent == ANY]


class Identity(Adaptor):
    """Also the base of the other compilers of PyTorch's family, which replace `prepare`."""

    NAME = "the identity"

    @classmethod
    def preload(cls):
        import onnx  # noqa: F401
        from . import facts, families, feeding, gpu, module_call, module_times, onnx_weights  # noqa: F401
        from . import user_file, user_module  # noqa: F401

    @classmethod
    def preload_models(cls, kinds):
        from . import families, user_file

        if kinds is None or "module" in kinds:  # a user's module may import timm and torchvision
            kinds = [*families.FAMILIES, "file"]
        families.preload(kinds)
        if "file" in kinds:
            user_file.preload()

    def __init__(self, settings):
        import torch

        from . import facts, gpu

        _refuse_another_torch(torch, settings.toolchain_dir)
        self._torch, self._facts = torch, facts
        self._options, self._threads, self._device = settings.options, settings.threads, settings.device
        self._gpu = None
        if settings.device == "cuda":
            self._gpu = gpu.Gpu(torch, settings.options["include_transfer"], settings.options["wait"])
        self._module = self._call = self._outputs = self._mode = None
        self._output_names = None  # a user's module names its outputs by what it returns
        self._keywords = []        # the last inputs, which the call receives by keyword
        self._feeding = None       # a pass of inferences that feed outputs back
        self._is_profiled, self._times = settings.is_profiled, None
        self._graph = None         # of the ONNX file; None: there is none, or no profile was asked for
        torch.set_num_threads(settings.threads)
        if torch.get_num_interop_threads() != 1:
            torch.set_num_interop_threads(1)
        torch.set_flush_denormal(settings.options.get("flush_denormal", False))
        facts.use_strict_f32()

    def compile(self, model):
        self._module, signatures = self.module_of(model)
        self._enter_mode()
        self._call = self.prepare(self._module, signatures)

    def module_of(self, model):
        """Return the module as it is for inference, and the signatures in the order of its arguments."""
        module = self._make(model).eval().to(device=self._device, memory_format=self._memory_format())
        signatures = {tensor.name: tensor for tensor in model.inputs}
        self._check_names(signatures)
        return module, [signatures[name] for name in self._input_names]

    def _make(self, model):
        """Return the module, and learn the names of inputs and outputs."""
        if is_module(model):
            from . import module_call, user_module

            module = user_module.make(model.recipe["module"])
            self._input_names = [tensor.name for tensor in model.inputs]
            self._keywords = module_call.keywords(module, self._input_names)
            return module
        from . import onnx_weights, user_file

        proto = onnx_weights.load_onnx(model.path, with_weights=model.recipe is None)
        self._learn_names(proto)
        if self._is_profiled:
            self._name_nodes(proto)
        if model.recipe is not None:
            return self._from_recipe(model, proto)
        shapes = {tensor.name: tensor.shape for tensor in model.inputs}
        is_open = any(open_axes(tensor) for tensor in model.inputs)
        return user_file.convert(proto, model.path, None if is_open else shapes)

    def _name_nodes(self, proto):
        """Give every node of the graph the name under which a profile reports it."""
        import onnx
        from ngraphbench.onnx_file import node_names

        for node, name in zip(proto.graph.node, node_names(proto.graph)):
            node.name = name
        self._graph = onnx.GraphProto()
        self._graph.node.extend(proto.graph.node)
        self._graph.initializer.extend(onnx.TensorProto(name=each.name, dims=each.dims)
                                       for each in proto.graph.initializer)

    def _learn_names(self, proto):
        """Learn the file's names of inputs and outputs, in the order of the module's arguments and results."""
        from . import onnx_weights

        self._input_names = onnx_weights.input_names(proto)
        self._output_names = [output.name for output in proto.graph.output]

    def flat(self, module):
        """Return the module as tracers and exporters take it: with positional inputs, and tensors as outputs."""
        if self._output_names is not None:
            return module
        from .module_call import Flat

        flat = Flat(module, self._input_names)
        self._keywords = []
        return flat.eval()

    def call_with(self, call, inputs):
        """Call with the inputs, which are in the order of _input_names."""
        first = len(inputs) - len(self._keywords)
        return call(*inputs[:first], **dict(zip(self._keywords, inputs[first:])))

    def prepare(self, module, signatures):
        """Return what inference calls, made from the module. `signatures` are in the order of its arguments."""
        return module

    def _from_recipe(self, model, proto):
        from . import families, onnx_weights

        family = model.recipe.get("family")
        if family not in families.FAMILIES:
            raise CompilerError("unsupported_operator", f'{self.NAME} has no module for model family "{family}"',
                                "known families: " + ", ".join(sorted(families.FAMILIES)))
        try:
            return onnx_weights.build_with_weights(
                lambda: families.build(family, model.recipe.get("parameters", {})), proto, model.path)
        except KeyError as missing:
            raise CompilerError("invalid_model",
                                f'the recipe of family "{family}" lacks parameter {missing}') from None

    def _memory_format(self):
        formats = {"contiguous": self._torch.contiguous_format, "channels_last": self._torch.channels_last}
        return formats[self._options.get("memory_format", "contiguous")]

    def bind(self, inputs):
        by_name = {tensor.name: tensor for tensor in inputs}
        self._check_names(by_name)
        self._bound_names, self._feeding = list(by_name), None
        self._given = [by_name[name] for name in self._input_names]
        self._inputs = [self._to_tensor(tensor) for tensor in self._given]

    def _check_names(self, given):
        if set(given) != set(self._input_names):
            raise CompilerError("invalid_model", f"the model's inputs are {', '.join(self._input_names)}; "
                                                 f"given were {', '.join(given)}")

    def _enter_mode(self):
        """Set the modes of inference. Until close(), the process runs only this model's inference."""
        self._mode = self._without_gradients()
        self._mode.__enter__()

    def _without_gradients(self):
        return self._torch.inference_mode() if self._options.get("inference_mode", True) else self._torch.no_grad()

    def zeros(self, signatures):
        """Return inputs of these shapes to compile with, so that the measured ones are first seen in `bind`. An open
        extent becomes 2, because PyTorch specialises for 1, and another one on each axis: it takes equal ones for one."""
        torch = self._torch
        tensors = []
        for tensor in signatures:
            shape = [2 + axis if extent == ANY else extent for axis, extent in enumerate(tensor.shape)]
            zeros = torch.zeros(shape, dtype=getattr(torch, _INPUT_TYPES[tensor.dtype]), device=self._device)
            tensors.append(zeros.contiguous(memory_format=self._layout_of(tensor)))
        return tensors

    def _layout_of(self, tensor):
        return self._memory_format() if len(tensor.shape) == 4 else self._torch.contiguous_format

    def _to_tensor(self, tensor):
        torch = self._torch
        dtype = getattr(torch, _INPUT_TYPES[tensor.dtype])
        if not tensor.data.nbytes:
            return torch.empty(tensor.shape, dtype=dtype, device=self._device)
        value = torch.frombuffer(bytearray(tensor.data), dtype=dtype).reshape(tensor.shape)
        return value.clone(memory_format=self._layout_of(tensor)).to(self._device)

    def feed_back(self, pairs, row):
        if self._gpu is not None or self._output_names is None:
            return None
        from .feeding import Feeding

        places = [(self._input_names.index(self._bound_names[pair.input]), pair.output, pair.axis) for pair in pairs]
        self._feeding = Feeding(self._inputs, self._given, places, row, self._to_tensor)
        return self._feeding.copied_bytes

    def runner(self):
        infer = self._make_infer()
        if self._feeding is not None:
            return self._feeding.around(infer, lambda: self._outputs)
        return infer if self._gpu is None else self._gpu.timed(infer, self._inputs, self._take_outputs)

    def _make_infer(self):
        """Return a call that leaves one inference's outputs in self._outputs, on a GPU perhaps not yet complete."""
        call = self._call
        if self._keywords:
            first = len(self._inputs) - len(self._keywords)
            inputs, named = self._inputs[:first], dict(zip(self._keywords, self._inputs[first:]))

            def infer():
                self._outputs = call(*inputs, **named)
        elif len(self._inputs) == 1:
            (only,) = self._inputs

            def infer():
                self._outputs = call(only)
        else:
            inputs = self._inputs

            def infer():
                self._outputs = call(*inputs)

        return infer

    def _take_outputs(self):
        named = self._named()
        self._outputs = dict(zip([name for name, _ in named], self._gpu.take([output for _, output in named])))

    def read(self):
        named = self._named()
        if self._gpu is not None:
            self._gpu.refuse_outputs_elsewhere([output for _, output in named])
        return [self._to_output(name, tensor) for name, tensor in named]

    def _named(self):
        """Return the last inference's outputs as [(name, tensor)]."""
        if isinstance(self._outputs, dict) and self._output_names is not None:  # copied from a GPU
            return list(self._outputs.items())
        if self._output_names is None:
            from . import module_call

            return module_call.flatten(self._outputs, self._input_names)
        outputs = self._outputs if isinstance(self._outputs, (tuple, list)) else [self._outputs]
        if len(outputs) != len(self._output_names):
            raise CompilerError("internal", f"the module has {len(outputs)} outputs, "
                                            f"the ONNX file {len(self._output_names)}")
        return list(zip(self._output_names, outputs))

    def _to_output(self, name, tensor):
        dtype = _OUTPUT_TYPES.get(str(tensor.dtype))
        if dtype is None:
            raise CompilerError("internal", f'output "{name}" has type {tensor.dtype}, which cannot be compared')
        data = tensor.detach().cpu().contiguous().reshape(-1).view(self._torch.uint8).numpy()
        return name, dtype, tuple(tensor.shape), data.tobytes()

    def begin_profile(self):
        from . import module_times

        self._times = module_times.ModuleTimes(self._module, self._gpu)

    def end_profile(self, inferences):
        self._times.stop()
        return self._times.kernels(inferences, self._module_nodes())

    def _module_nodes(self):
        from .module_times import ModuleNodes

        names = [] if self._graph is None else [node.name for node in self._graph.node]
        return ModuleNodes(self._module, self._graph, names)

    def _refuse_gpu_profile(self):
        if self._gpu is not None:
            raise CompilerError("no_profile", f"on a GPU, {self.NAME} could only tell when kernels are started",
                                "profile identity or tensorrt there, or this compiler on the CPU")

    def inspect(self):
        facts = self._facts.of_torch()
        facts["device"] = self._device
        if self._gpu is not None:
            facts.update(self._gpu.facts())
        if self._module is not None:
            facts.update(self._facts.of_module(self._module))
            facts.update(self._facts.of_mode())
        return facts

    def close(self):
        if self._mode is not None:
            self._mode.__exit__(None, None, None)
        if self._times is not None:
            self._times.stop()
        self._module = self._call = self._inputs = self._outputs = self._mode = self._times = None


def _refuse_another_torch(torch, toolchain_dir: str) -> None:
    """Raise CompilerError if a torch that is earlier on the path would be measured under the toolchain's name."""
    home = os.path.realpath(os.path.dirname(os.path.dirname(torch.__file__)))
    if toolchain_dir and home != os.path.realpath(toolchain_dir):
        raise CompilerError("import_error", f"torch was imported from {home}, not from the toolchain {toolchain_dir}",
                            "check PYTHONPATH and the Python that the toolchain was made with")
