# SPDX-License-Identifier: Apache-2.0
"""Not TensorRT: a stand-in for its Python module, for tests on machines without a GPU. It writes every call down in the
log of the CUDA stand-in, and takes "models" in JSON: {"inputs": {name: [type, shape]}, "outputs": …, "errors": …}; of
an ONNX file it reads these names and shapes. The "engine" doubles its first input, as much of it as an output has room
for; an output of open shape has as many elements as the input has positive ones. As in
TensorRT, the parser owns the network's weights; unlike in its bindings, the network does not keep the parser."""
import ctypes
import enum
import json
import math
import os
import weakref

__version__ = os.environ.get("NGB_TENSORRT_STAND_IN_VERSION", "10.9.0.34")
_MAJOR = int(__version__.split(".")[0])
_cuda = ctypes.CDLL("libcuda.so.1")
_cuda.recording_stand_in_name.restype = ctypes.c_char_p
_cuda.recording_stand_in_name.argtypes = [ctypes.c_uint64]
_STEP = ctypes.CFUNCTYPE(None, ctypes.c_int)
fail_to_build = None  # a message: building an engine fails with it
fail_to_make_builder = None  # a message: making a builder fails with it
survived_error = None  # a message: it is logged as an error by what succeeds all the same


def _note(text):
    _cuda.recording_stand_in_note(text.encode())


def _name(address):
    return _cuda.recording_stand_in_name(address).decode()


class _Noted:
    """Its end is written down, as its beginning is."""

    def __init__(self):
        _note(f"new {type(self).__name__}")

    def __del__(self):
        _note(f"delete {type(self).__name__}")


def _log_survived_error(logger):
    if survived_error is not None:
        logger.log(ILogger.Severity.ERROR, survived_error)


class ILogger:
    class Severity(enum.Enum):
        INTERNAL_ERROR, ERROR, WARNING, INFO, VERBOSE = range(5)

        def __int__(self):
            return self.value


BuilderFlag = enum.Enum("BuilderFlag", ["TF32", "SPARSE_WEIGHTS"] + ([] if _MAJOR >= 11 else ["FP16", "BF16"]))
MemoryPoolType = enum.Enum("MemoryPoolType", ["WORKSPACE"])
TensorLocation = enum.Enum("TensorLocation", ["DEVICE", "HOST"])
TensorIOMode = enum.Enum("TensorIOMode", ["INPUT", "OUTPUT"])
DataType = enum.Enum("DataType", ["FLOAT", "HALF", "BF16", "INT64", "INT32", "INT8", "UINT8", "BOOL"])
ErrorCode = enum.Enum("ErrorCode", ["MODEL_DESERIALIZE_FAILED", "INVALID_NODE", "UNSUPPORTED_NODE", "MEM_ALLOC_FAILED"])
if _MAJOR < 10:
    class NetworkDefinitionCreationFlag(enum.IntEnum):
        EXPLICIT_BATCH = 0


class Builder(_Noted):
    max_threads = 0

    def __init__(self, logger):
        if fail_to_make_builder is not None:
            logger.log(ILogger.Severity.ERROR, fail_to_make_builder)
            raise TypeError("pybind11::init(): factory function returned nullptr")
        super().__init__()
        self._logger = logger
        logger.log(ILogger.Severity.VERBOSE, f"Loaded shared library libnvinfer_builder_resource.so.{__version__}")
        _log_survived_error(logger)

    def create_network(self, flags):
        _note(f"create_network {flags}")
        return INetworkDefinition()

    def create_builder_config(self):
        return IBuilderConfig()

    def create_optimization_profile(self):
        return IOptimizationProfile()

    def build_serialized_network(self, network, config):
        _note(f"build_serialized_network threads={self.max_threads}")
        if network.parser is None or network.parser() is None:
            self._logger.log(ILogger.Severity.ERROR, "the weights are gone with the parser")
            return None
        if fail_to_build is not None:
            self._logger.log(ILogger.Severity.ERROR, fail_to_build)
            return None
        return json.dumps(network.model).encode()


class _Tensor:
    is_shape_tensor = False

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, DataType[dtype], tuple(shape)


class INetworkDefinition(_Noted):
    model = {"inputs": {}}
    parser = None  # a weak reference

    @property
    def num_inputs(self):
        return len(self.model["inputs"])

    def get_input(self, index):
        name, (dtype, shape) = list(self.model["inputs"].items())[index]
        return _Tensor(name, dtype, shape)


class ITimingCache(_Noted):
    def __init__(self, content):
        super().__init__()
        self.content = content

    def serialize(self):
        return self.content + b"timed"


class IBuilderConfig(_Noted):
    builder_optimization_level = 3
    cache = None

    def __init__(self):
        super().__init__()
        self._flags, self._workspace_bytes = {BuilderFlag.TF32}, 1 << 33

    def set_flag(self, flag):
        _note(f"set_flag {flag.name}")
        self._flags.add(flag)

    def clear_flag(self, flag):
        _note(f"clear_flag {flag.name}")
        self._flags.discard(flag)

    def get_flag(self, flag):
        return flag in self._flags

    def set_memory_pool_limit(self, pool, size_bytes):
        _note(f"set_memory_pool_limit {pool.name} {size_bytes}")
        self._workspace_bytes = size_bytes

    def get_memory_pool_limit(self, pool):
        return self._workspace_bytes

    def add_optimization_profile(self, profile):
        _note("add_optimization_profile")
        return 0

    def create_timing_cache(self, content):
        return ITimingCache(content)

    def set_timing_cache(self, cache, ignore_mismatch):
        _note(f"set_timing_cache {cache.content.decode()!r}")
        self.cache = cache
        return cache.content != b"of another GPU"

    def get_timing_cache(self):
        return self.cache


class IOptimizationProfile:
    def set_shape(self, name, smallest, best, largest):
        _note(f"set_shape {name} {list(smallest)} {list(best)} {list(largest)}")


def _fields(message):
    """Yield number and content of each field of one level of a Protobuf message without fields of fixed length."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while at < len(message):
            byte, at = message[at], at + 1
            value, shift = value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                break
        return value

    while at < len(message):
        key, value = number(), number()
        if key % 8 == 0:
            yield key // 8, value
            continue
        yield key // 8, message[at:at + value]
        at += value


def _field(message, wanted, default=b""):
    return next((content for number, content in _fields(message) if number == wanted), default)


def _read_model(content):
    """Return names and shapes of a ModelProto's inputs and outputs, all taken as f32. The numbers are those of
    onnx.proto."""
    try:
        return json.loads(content)
    except ValueError:
        model = {11: {}, 12: {}}
    for number, value in _fields(_field(content, 7)):
        if number in model:
            extents = _fields(_field(_field(_field(value, 2), 1), 2))
            model[number][_field(value, 1).decode()] = ["FLOAT", [_field(extent, 1, 0) for _, extent in extents]]
    return {"inputs": model[11], "outputs": model[12]}


class ParserError:
    def __init__(self, given):
        self._given = given

    def code(self):
        return ErrorCode[self._given["code"]]

    def desc(self):
        return self._given["desc"]

    def node(self):
        return self._given.get("node", 0)

    def node_name(self):
        return self._given.get("name", "")

    def node_operator(self):
        return self._given.get("operator", "")


class OnnxParser(_Noted):
    def __init__(self, network, logger):
        super().__init__()
        self._network, self._errors = network, []
        network.parser = weakref.ref(self)

    def parse_from_file(self, path):
        _note("parse_from_file")
        with open(path, "rb") as file:
            self._network.model = _read_model(file.read())
        self._errors = self._network.model.get("errors", [])
        return not self._errors

    @property
    def num_errors(self):
        return len(self._errors)

    def get_error(self, index):
        return ParserError(self._errors[index])


class Runtime(_Noted):
    def __init__(self, logger):
        super().__init__()
        _log_survived_error(logger)

    def deserialize_cuda_engine(self, plan):
        _note("deserialize_cuda_engine")
        return ICudaEngine(json.loads(bytes(plan)))


class ICudaEngine(_Noted):
    num_layers = 1
    device_memory_size_v2 = 4096

    def __init__(self, model):
        super().__init__()
        self.model = model
        self._tensors = {**model["inputs"], **model["outputs"]}

    @property
    def num_io_tensors(self):
        return len(self._tensors)

    def get_tensor_name(self, index):
        return list(self._tensors)[index]

    def get_tensor_mode(self, name):
        return TensorIOMode.INPUT if name in self.model["inputs"] else TensorIOMode.OUTPUT

    def get_tensor_location(self, name):
        return TensorLocation[self.model.get("locations", {}).get(name, "DEVICE")]

    def get_tensor_dtype(self, name):
        return DataType[self._tensors[name][0]]

    def get_tensor_shape(self, name):
        return tuple(self._tensors[name][1])

    def create_execution_context(self):
        return IExecutionContext(self)


class IOutputAllocator:
    pass


class IProfiler:
    pass


class IExecutionContext(_Noted):
    def __init__(self, engine):
        super().__init__()
        self._engine, self._shapes, self._addresses, self._allocators = engine, {}, {}, {}
        self._profiler = None
        this = weakref.ref(self)
        self._step = _STEP(lambda which: this()._compute())  # kept: it is called when the stream is synchronised

    def set_input_shape(self, name, shape):
        _note(f"set_input_shape {name} {list(shape)}")
        self._shapes[name] = tuple(shape)
        return True

    def set_tensor_address(self, name, address):
        _note(f"set_tensor_address {name} {_name(address)}")
        self._addresses[name] = address
        return True

    def set_output_allocator(self, name, allocator):
        _note(f"set_output_allocator {name}")
        self._allocators[name] = allocator
        return True

    def get_max_output_size(self, name):
        return 4 * self._input_elements()

    def get_tensor_shape(self, name):
        shape = self._engine.get_tensor_shape(name)
        is_batch_open = len(shape) > 1 and shape[0] == -1
        return (list(self._shapes.values())[0][0],) + shape[1:] if is_batch_open else shape

    @property
    def profiler(self):
        return self._profiler

    @profiler.setter
    def profiler(self, profiler):
        _note("set profiler" if profiler is not None else "set profiler None")
        self._profiler = profiler

    def execute_async_v3(self, stream_handle):
        _note(f"execute_async_v3 {_name(stream_handle)}")
        if self._profiler is not None:
            for name, ms in self._engine.model.get("layers", []):
                self._profiler.report_layer_time(name, ms)
        _cuda.recording_stand_in_enqueue(self._step, 0)
        return True

    def _input_elements(self):
        name = next(iter(self._engine.model["inputs"]))
        return math.prod(self._shapes.get(name, self._engine.get_tensor_shape(name)))

    def _compute(self):
        elements = ctypes.c_float * self._input_elements()
        source = elements.from_address(self._addresses[next(iter(self._engine.model["inputs"]))])
        for name in self._engine.model["outputs"]:
            allocator = self._allocators.get(name)
            if allocator is None:
                room = min(len(source), math.prod(self.get_tensor_shape(name)))
                doubled = (ctypes.c_float * room)(*(2 * value for value in source[:room]))
                ctypes.memmove(self._addresses[name], doubled, ctypes.sizeof(doubled))
                continue
            positive = [value for value in source if value > 0]
            address = allocator.reallocate_output_async(name, self._addresses[name], 4 * len(positive), 256, 0)
            (ctypes.c_float * len(positive)).from_address(address)[:] = positive
            allocator.notify_shape(name, (len(positive),))
