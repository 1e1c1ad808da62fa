# SPDX-License-Identifier: Apache-2.0
"""Makes a serialised engine from an ONNX file: parser, builder flags, one optimisation profile for the cell's shapes.
"""
import os
import re
import tempfile

from ngraphbench.adaptor import CompilerError

from . import bindings

_PRECISION_FLAGS = {"f16": "FP16", "bf16": "BF16"}
_FLAG_ADVICE = "correct or remove it in the study's settings of tensorrt"
TYPES = {"FLOAT": "f32", "HALF": "f16", "BF16": "bf16", "INT64": "i64", "INT32": "i32", "INT8": "i8", "UINT8": "u8",
         "BOOL": "bool"}
# TensorRT before 10 has no i64, and computes it as i32.
NARROWED = ("i64", "i32")


def check_settings(trt, settings) -> None:
    """Raise CompilerError("invalid_option") for settings that this TensorRT does not support."""
    flag = _PRECISION_FLAGS.get(settings.precision)
    if flag is not None and not hasattr(trt.BuilderFlag, flag):
        raise CompilerError("invalid_option", f'TensorRT {trt.__version__} does not run an f32 model in precision '
                                              f'"{settings.precision}": it runs a model in its own types',
                            "give it a model that is in that precision already, or f16 and bf16 to a version before "
                            "11 (bf16: from 9 on)")


class Building:
    """Builds one model. It owns the objects of TensorRT that are needed for that."""

    def __init__(self, trt, logger, settings, cuda_facts):
        self._trt, self._logger, self._settings = trt, logger, settings
        self._cuda_facts = cuda_facts
        self.facts = {}
        self._cache = None  # TensorRT needs it as long as the builder
        logger.forget()
        try:
            self._builder = trt.Builder(logger)
        except TypeError:  # pybind11 raises this for a null pointer
            reason = logger.reason()
            raise CompilerError("compiler_failed", f"TensorRT cannot make a builder: {reason}",
                                bindings.kernels_advice(trt, reason)) from None
        self._builder.max_threads = settings.threads

    def build(self, model):
        """Return the serialised engine, as bytes-like. Raises CompilerError."""
        trt, builder = self._trt, self._builder
        self._logger.forget()
        network = builder.create_network(self._network_flags())
        parser = self._parse(network, model.path)
        inputs = [network.get_input(index) for index in range(network.num_inputs)]
        _check_inputs(inputs, model.inputs)
        config = builder.create_builder_config()
        self._set_flags(config)
        self._add_profile(config, inputs, model.inputs)
        path = self._timing_cache(config)
        self._logger.forget()
        plan = builder.build_serialized_network(network, config)
        del parser  # not earlier: it owns the network's weights
        if plan is None:
            raise self._build_failure(self._logger.reason())
        self.facts.update(builder_resources=", ".join(sorted(self._logger.kernels)) or "none")
        if path is not None:
            _keep(path, config.get_timing_cache().serialize())
        return plan

    def close(self) -> None:
        """Free the builder, and then what it needs."""
        self._builder = None
        self._cache = None

    def _network_flags(self) -> int:
        """Before 10, a network includes its batch in its shapes only with this flag; later it always does."""
        if int(self._trt.__version__.split(".")[0]) >= 10:
            return 0
        return 1 << int(self._trt.NetworkDefinitionCreationFlag.EXPLICIT_BATCH)

    def _parse(self, network, path: str):
        """Return the parser, which owns the network's weights until the engine is built."""
        if not os.path.isfile(path):
            raise CompilerError("invalid_model", f"{path}: no such file")
        parser = self._trt.OnnxParser(network, self._logger)
        if parser.parse_from_file(path):
            return parser
        errors = [parser.get_error(index) for index in range(parser.num_errors)]
        raise _parse_failure(path, errors, self._logger.reason())

    def _set_flags(self, config) -> None:
        trt, options = self._trt, self._settings.options
        config.clear_flag(trt.BuilderFlag.TF32)  # on by default, and changes f32
        flag = _PRECISION_FLAGS.get(self._settings.precision)
        if flag is not None:
            config.set_flag(getattr(trt.BuilderFlag, flag))
        self._hand_on(config)
        config.builder_optimization_level = options["builder_optimization_level"]
        workspace = trt.MemoryPoolType.WORKSPACE
        if options["workspace_bytes"]:
            config.set_memory_pool_limit(workspace, options["workspace_bytes"])
        reduced = [name for name in ("TF32", *_PRECISION_FLAGS.values())
                   if hasattr(trt.BuilderFlag, name) and config.get_flag(getattr(trt.BuilderFlag, name))]
        self.facts.update(precision=self._settings.precision, reduced_precision_flags=" ".join(reduced) or "none",
                          workspace_bytes=str(config.get_memory_pool_limit(workspace)),
                          builder_optimization_level=str(config.builder_optimization_level),
                          builder_threads=str(self._builder.max_threads))

    def _hand_on(self, config) -> None:
        """Set or clear the builder flags that the study hands on."""
        for name, value in self._settings.settings.items():
            try:
                flag = getattr(self._trt.BuilderFlag, name)
            except AttributeError as error:
                raise CompilerError("invalid_option", f"setting {name}: {error}", _FLAG_ADVICE) from None
            if not isinstance(value, bool):
                raise CompilerError("invalid_option", f"setting {name}={value}: a builder flag is true or false",
                                    _FLAG_ADVICE)
            (config.set_flag if value else config.clear_flag)(flag)
            self.facts[name] = "true" if config.get_flag(flag) else "false"

    def _add_profile(self, config, inputs, signatures) -> None:
        """Set the file's open extents to the cell's: smallest, best and largest shape are the same."""
        shapes = {signature.name: signature.shape for signature in signatures}
        is_open = [tensor for tensor in inputs if -1 in tuple(tensor.shape)]
        if not is_open:
            return
        profile = self._builder.create_optimization_profile()
        for tensor in is_open:
            profile.set_shape(tensor.name, shapes[tensor.name], shapes[tensor.name], shapes[tensor.name])
        config.add_optimization_profile(profile)

    def _timing_cache(self, config):
        """Return the cache's file, or None if none is requested. Times measured within this build are used in any case.
        """
        if not self._settings.options["timing_cache"]:
            return None
        if not self._settings.cache_dir:
            raise CompilerError("internal", "the worker was given no folder for a timing cache")
        facts = self._cuda_facts
        name = re.sub(r"[^A-Za-z0-9.]+", "-", f'{self._trt.__version__} {facts["device_name"]} '
                                              f'{facts["compute_capability"]}')
        path = os.path.join(self._settings.cache_dir, "tensorrt", f"timing-{name}.cache")
        kept = b""
        if os.path.isfile(path):
            with open(path, "rb") as file:
                kept = file.read()
        self._cache = config.create_timing_cache(kept)
        if not config.set_timing_cache(self._cache, False):
            kept = b""  # TensorRT rejected it: other driver or GPU
            self._cache = config.create_timing_cache(kept)
            config.set_timing_cache(self._cache, False)
        self.facts.update(timing_cache_bytes_found=str(len(kept)))
        return path

    def _build_failure(self, reason: str) -> CompilerError:
        text, message = reason.lower(), f"TensorRT cannot make an engine: {reason}"
        if "out of memory" in text or "outofmemory" in text or "insufficient memory" in text:
            return CompilerError("out_of_memory", message, "choose a smaller batch size")
        if "could not find any implementation" in text or "unsupported" in text:
            return CompilerError("unsupported_operator", message,
                                 "leave this model out for tensorrt, or try another version")
        advice = bindings.kernels_advice(self._trt, reason)
        return CompilerError("compiler_failed", message, advice or "its messages are in the log of this attempt")


def _keep(path: str, content) -> None:
    """Write the file in one step: a reader sees the old or the new one."""
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=name + ".", delete=False) as file:
        file.write(content)
    os.replace(file.name, path)


def _check_inputs(inputs, signatures) -> None:
    given = {signature.name: signature for signature in signatures}
    known = {tensor.name for tensor in inputs}
    if set(given) != known:
        raise CompilerError("invalid_model", f"the model's inputs are {', '.join(sorted(known))}; "
                                             f"given were {', '.join(sorted(given))}")
    for tensor in inputs:
        if tensor.is_shape_tensor:
            raise CompilerError("unsupported_operator", f'input "{tensor.name}" holds a shape, whose values TensorRT '
                                                        "must know when it compiles",
                                "make it a constant of the model")
        wanted, theirs = given[tensor.name], tuple(tensor.shape)
        fits = len(theirs) == len(wanted.shape) and all(a in (-1, b) for a, b in zip(theirs, wanted.shape))
        dtype = TYPES.get(tensor.dtype.name, tensor.dtype.name)
        if not fits or not (dtype == wanted.dtype or (wanted.dtype, dtype) == NARROWED):
            raise CompilerError("invalid_model", f'input "{tensor.name}" is {dtype} {list(theirs)} in the model and '
                                                 f"{wanted.dtype} {list(wanted.shape)} in the cell")


def _parse_failure(path: str, errors, reason: str) -> CompilerError:
    """Convert the parser's errors, with the nodes concerned."""
    if not errors:
        return CompilerError("invalid_model", f"TensorRT cannot read {path}: {reason}")
    codes = {error.code().name for error in errors}
    if "MEM_ALLOC_FAILED" in codes:
        return CompilerError("out_of_memory", f"TensorRT's parser: {errors[0].desc()}")
    unsupported = [error for error in errors if error.code().name.startswith("UNSUPPORTED")
                   or "No importer registered" in error.desc()]
    if unsupported:
        nodes = "; ".join(dict.fromkeys(f"{_node_of(error)}: {error.desc()}" for error in unsupported))
        return CompilerError("unsupported_operator", f"TensorRT does not support {nodes}",
                             "leave this model out for tensorrt, or try a newer version")
    first = errors[0]
    return CompilerError("invalid_model", f"TensorRT cannot read {path}: {_node_of(first)}: {first.desc()}",
                         "check the file with onnx.checker")


def _node_of(error) -> str:
    """Return operator and node. Releases before 8.6.1 report only the node's number."""
    operator = error.node_operator() if hasattr(error, "node_operator") else ""
    name = error.node_name() if hasattr(error, "node_name") else ""
    return f'{operator or "a node"} ("{name}", node {error.node()})' if name or operator else f"node {error.node()}"
