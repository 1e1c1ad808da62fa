# SPDX-License-Identifier: Apache-2.0
"""TorchScript: the identity's module as a program, optimised in advance and run by PyTorch's C++ interpreter."""
from .identity import Identity


class TorchScript(Identity):
    NAME = "torchscript"

    @classmethod
    def preload(cls):
        super().preload()
        from . import program_times, script  # noqa: F401

    def prepare(self, module, signatures):
        from . import script

        inputs = self.zeros(signatures)
        program = script.trace(self.flat(module), inputs)
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
        from . import program_times

        self._refuse_gpu_profile()
        self._times = program_times.ProgramTimes()

    def inspect(self):
        facts = super().inspect()
        if self._call is not None:
            facts["operators"] = str(self._operators)
        return facts
