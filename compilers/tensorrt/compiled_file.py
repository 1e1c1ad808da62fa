# SPDX-License-Identifier: Apache-2.0
"""What an engine of TensorRT (.engine, .plan) wants as inputs."""
from ngraphbench.adaptor import CompilerError

from . import bindings, building, cuda_driver


def inputs(path):
    """Return [{"name", "type", "shape"}] in the engine's order; an open extent is -1. Only a GPU can open an engine."""
    trt = bindings.load()
    cuda_driver.CudaDriver(f"TensorRT {trt.__version__}", "spin").close()
    logger = bindings.make_logger(trt)
    with open(path, "rb") as file:
        engine = trt.Runtime(logger).deserialize_cuda_engine(file.read())
    if engine is None:
        raise CompilerError("invalid_model", logger.reason(),
                            "an engine runs in the TensorRT and on the GPU that it was built for")
    names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
    return [{"name": name, "type": building.TYPES[engine.get_tensor_dtype(name).name],
             "shape": list(engine.get_tensor_shape(name))}
            for name in names if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT]
