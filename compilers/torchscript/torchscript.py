# SPDX-License-Identifier: Apache-2.0
"""TorchScript: the identity's module as a program, optimised in advance and run by PyTorch's C++ interpreter."""
from .scripted import Scripted


class TorchScript(Scripted):
    NAME = "torchscript"

    def compile(self, model):
        if not model.is_compiled:
            return super().compile(model)
        from . import script

        self._input_names = [tensor.name for tensor in model.inputs]
        program = script.quietly(lambda: self._torch.jit.load(model.path, map_location=self._device).eval())
        self._operators = script.operators_of(program)
        self._enter_mode()
        self._call = script.forward_of(program)

    def prepare(self, module, signatures):
        from . import script

        program, inputs = self.traced(module, signatures)
        if self._options["optimize_for_inference"]:
            program = script.quietly(lambda: self._torch.jit.optimize_for_inference(program))
        elif self._options["freeze"]:
            program = script.quietly(lambda: self._torch.jit.freeze(program))
        self._operators = script.operators_of(program)
        forward = script.forward_of(program)
        # The executor observes some runs, and then optimises for the shapes that occurred.
        for _ in range(self._torch._C._jit_get_num_profiled_runs() + 1):
            forward(*inputs)
        return forward

    def begin_profile(self):
        if self._module is None:
            from ngraphbench.adaptor import CompilerError

            raise CompilerError("no_profile", "the modules of a compiled program are not known")
        super().begin_profile()

    def inspect(self):
        facts = super().inspect()
        if self._call is not None:
            facts["operators"] = str(self._operators)
        return facts
