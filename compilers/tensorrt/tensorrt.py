# SPDX-License-Identifier: Apache-2.0
"""NVIDIA TensorRT, driven through its Python module, the only interface that every machine with TensorRT 8.6 or newer
has. `preload` imports the module; importing this file does not."""
from ngraphbench.adaptor import Adaptor, CompilerError


class TensorRT(Adaptor):
    @classmethod
    def preload(cls):
        from . import bindings, building, cuda_driver, execution, layer_times  # noqa: F401

        bindings.load()  # opens its libraries and uses no GPU, so that the process may be forked later

    def __init__(self, settings):
        from . import bindings, building
        from .cuda_driver import CudaDriver

        self._cuda = self._execution = None
        self._trt = trt = bindings.load()
        bindings.refuse_another(trt, settings.toolchain_dir)
        building.check_settings(trt, settings)
        self._settings = settings
        self._cuda = CudaDriver(f"TensorRT {trt.__version__}", settings.options["wait"])
        self._logger = bindings.make_logger(trt)
        self._facts = {"version": trt.__version__, "module": trt.__name__, "library": trt.__file__,
                       "wait": settings.options["wait"], **self._cuda.facts()}

    def compile(self, model):
        from .building import Building

        building = Building(self._trt, self._logger, self._settings, self._facts)
        try:
            plan = building.build(model)
        finally:
            building.close()
        try:
            with open(model.artifact_path, "wb") as file:
                file.write(plan)
        except OSError as error:
            raise CompilerError("internal", f"{model.artifact_path}: {error.strerror or error}") from None
        self._facts.update(building.facts)

    def load(self, model):
        from .execution import Execution

        with open(model.artifact_path, "rb") as file:
            plan = file.read()
        self._facts["engine_bytes"] = str(len(plan))
        self._execution = Execution(self._trt, self._cuda, self._logger, plan)

    def bind(self, inputs):
        options = self._settings.options
        self._execution.bind(inputs, options["include_transfer"], options["cuda_graph"])

    def runner(self):
        return self._execution.runner()

    def read(self):
        return self._execution.read()

    def begin_profile(self):
        if self._settings.options["cuda_graph"]:
            raise CompilerError("no_profile", "TensorRT does not measure the layers of a CUDA graph", "remove cuda_graph")
        self._execution.begin_profile()

    def end_profile(self, inferences):
        return self._execution.end_profile(inferences)

    def inspect(self):
        facts = dict(self._facts)
        if self._execution is not None:
            facts.update(self._execution.facts())
        return facts

    def close(self):
        execution, self._execution = self._execution, None
        cuda, self._cuda = self._cuda, None
        try:
            if execution is not None:
                execution.close()
        finally:
            if cuda is not None:
                cuda.close()
