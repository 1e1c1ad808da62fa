# SPDX-License-Identifier: Apache-2.0
"""AOTInductor: exports the identity's module, and compiles it with Inductor into a package of machine code, which
PyTorch's C++ loader opens and runs. A package is for one batch size and one number of threads."""
import json
import os
import tempfile
import traceback

from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import cause

from . import inductor
from .identity import Identity, is_module, open_axes

_MODEL = "model"  # the package's name for its only model
_NAMES = "outputs"  # the package's metadata with the names of a user's module's outputs


class AotInductor(Identity):
    NAME = "aotinductor"

    @classmethod
    def preload(cls):
        inductor.preload()  # first: it sets what PyTorch reads when it is imported
        super().preload()
        import torch._inductor.package  # noqa: F401
        import torch.export  # noqa: F401

    def __init__(self, settings):
        super().__init__(settings)
        self._settings = settings.settings
        self._cxx = inductor.cxx()
        self._loader, self._is_compiled_file = None, False

    def compile(self, model):
        self._artifact_path = model.artifact_path
        if self._cxx is None:
            raise inductor.no_cxx()
        super().compile(model)

    def _without_gradients(self):
        return self._torch.no_grad()  # torch.export knows no_grad; a package has neither gradients nor modes

    def prepare(self, module, signatures):
        from . import inductor_times

        torch = self._torch
        settings = {**self._settings, **(inductor_times.PROFILED if self._is_profiled else {})}
        with inductor.own_cache(self._threads, self._options["freezing"], settings), \
                tempfile.TemporaryDirectory(prefix="package-", dir=inductor.scratch()) as folder:
            package = os.path.join(folder, f"{_MODEL}.pt2")
            try:
                program = torch.export.export(self.flat(module), tuple(self.zeros(signatures)), strict=False,
                                              dynamic_shapes=self._dynamic_shapes(signatures))
                torch._inductor.aoti_compile_and_package(
                    program, package_path=package, inductor_configs=self._configuration(module, signatures))
            except (torch._dynamo.exc.TorchDynamoException, RuntimeError, NotImplementedError) as error:
                traceback.print_exc()
                raise CompilerError("compiler_failed", f"AOTInductor: {cause(error)}",
                                    "the whole message is in the log of this attempt") from None
            inductor.move(package, self._artifact_path)
        self._module = None  # the package has all that is needed

    def _configuration(self, module, signatures):
        configuration = {"max_autotune": self._options["max_autotune"]}
        if self._output_names is None:  # the process that loads the package has no module that names its outputs
            outputs = self.flat(module).named(self.zeros(signatures))
            configuration["aot_inductor.metadata"] = {_NAMES: json.dumps([name for name, _ in outputs])}
        return configuration

    def _dynamic_shapes(self, signatures):
        """None leaves all shapes fixed."""
        if not any(open_axes(signature) for signature in signatures):
            return None
        def dimension(axis):
            return self._torch.export.Dim(f"axis_{axis}", min=1, max=65536)

        shapes = tuple({axis: dimension(axis) for axis in open_axes(signature)} for signature in signatures)
        return (shapes,) if self._output_names is None else shapes  # the arguments of Flat are one tuple

    def load(self, model):
        torch = self._torch
        name = _MODEL
        if model.is_compiled:
            from . import compiled_file

            name = compiled_file.model_of(model.path)
        elif not is_module(model):
            from . import onnx_weights

            proto = onnx_weights.load_onnx(model.path, with_weights=False)
            self._learn_names(proto)
            if self._is_profiled:
                self._name_nodes(proto)
        if self._mode is None:  # another process has compiled
            self._enter_mode()
        # On a GPU, the mode for several callers would record and query an event in each call.
        is_for_one_caller = self._device == "cuda"
        self._is_compiled_file = model.is_compiled
        self._loader = torch._C._aoti.AOTIModelPackageLoader(model.artifact_path, name, is_for_one_caller, 1, -1)
        if model.is_compiled:
            self._input_names = [tensor.name for tensor in model.inputs]
            count = torch.utils._pytree.treespec_loads(self._loader.get_call_spec()[1]).num_leaves
            self._output_names = [f"output{index}" for index in range(count)]
        elif is_module(model):
            self._input_names, self._keywords = [tensor.name for tensor in model.inputs], []
            self._output_names = json.loads(self._loader.get_metadata()[_NAMES])

    def _make_infer(self):
        run, inputs = self._loader.run, self._inputs

        def infer():
            self._outputs = run(inputs)

        return infer

    def begin_profile(self):
        from . import inductor_times

        self._refuse_gpu_profile()
        self._times = inductor_times.InductorTimes()

    def end_profile(self, inferences):
        self._times.stop()
        return self._times.kernels(inferences, self._graph)

    def inspect(self):
        facts = super().inspect()
        facts["cxx"] = self._cxx or "none"
        if self._loader is not None:
            facts.update(package_metadata=str(self._loader.get_metadata()))
            if not self._is_compiled_file:
                facts["weights"] = "torch.float32"
        return facts

    def close(self):
        super().close()
        self._loader = None
