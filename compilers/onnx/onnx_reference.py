# SPDX-License-Identifier: Apache-2.0
"""The onnx package's own evaluator, in NumPy. It is slow; its outputs are what the standard says."""
import sys

from ngraphbench.adaptor import Adaptor, CompilerError
from ngraphbench.reasons import cause

_TYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64", "i64": "int64", "i32": "int32",
          "i8": "int8", "u8": "uint8", "bool": "bool"}
_WORDS = {name: word for word, name in _TYPES.items()}


class OnnxReference(Adaptor):
    @classmethod
    def preload(cls):
        import ml_dtypes  # noqa: F401
        import onnx.reference  # noqa: F401

    def __init__(self, settings):
        self._threads = settings.threads
        self._evaluator = self._outputs = None

    def compile(self, model):
        from ngraphbench import onnx_file
        from onnx.reference import ReferenceEvaluator

        proto = onnx_file.read(model.path)
        onnx_file.check_inputs(proto, [{"name": tensor.name, "shape": tensor.shape} for tensor in model.inputs])
        self._names = [output.name for output in proto.graph.output]
        try:
            self._evaluator = ReferenceEvaluator(proto)
        except Exception as error:  # the package raises many types
            if not _unknown_operators(proto):
                onnx_file.check(proto)
            raise _unsupported(error) from None

    def bind(self, inputs):
        import ml_dtypes
        import numpy

        self._feeds = {}
        for tensor in inputs:
            dtype = ml_dtypes.bfloat16 if tensor.dtype == "bf16" else numpy.dtype(_TYPES[tensor.dtype])
            self._feeds[tensor.name] = numpy.frombuffer(tensor.data, dtype).reshape(tensor.shape)

    def runner(self):
        evaluator, feeds = self._evaluator, self._feeds

        def infer():
            try:
                self._outputs = evaluator.run(None, feeds)
            except MemoryError:
                raise
            except Exception as error:
                raise _unsupported(error) from error

        return infer

    def read(self):
        import numpy

        rows = []
        for name, value in zip(self._names, self._outputs):
            if not isinstance(value, (numpy.ndarray, numpy.generic)) or str(value.dtype) not in _WORDS:
                kind = value.dtype if isinstance(value, (numpy.ndarray, numpy.generic)) else type(value).__name__
                raise CompilerError("unsupported_operator", f'output "{name}" is {kind}, which cannot be compared')
            array = numpy.ascontiguousarray(value)
            rows.append((name, _WORDS[str(array.dtype)], tuple(numpy.shape(value)), array.tobytes()))
        return rows

    def inspect(self):
        from importlib import metadata

        import numpy
        import onnx

        return {"version": metadata.version("torch"),  # the toolchain's, which is the identity's
                "computed_by": f"onnx {onnx.__version__}", "numpy_version": numpy.__version__, "device": "cpu",
                "precision": "f32", "library": sys.modules["onnx"].__file__}

    def close(self):
        self._evaluator = self._outputs = None


def _unknown_operators(proto):
    import onnx

    own = {(function.domain, function.name) for function in proto.functions}
    return [node.op_type for node in proto.graph.node
            if (node.domain, node.op_type) not in own and not onnx.defs.has(node.op_type, node.domain)]


def _unsupported(error) -> CompilerError:
    return CompilerError("unsupported_operator",
                         f"the onnx package's evaluator cannot run this model: {cause(error)}",
                         "leave this model out, or name another reference")
