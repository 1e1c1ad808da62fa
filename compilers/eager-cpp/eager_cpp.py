# SPDX-License-Identifier: Apache-2.0
"""Calls the identity's operators one by one as eager mode does, but from C++: TorchScript's interpreter runs the trace
with every optimisation off. The only gain over the identity is Python's dispatch."""
from .identity import Identity


class EagerCpp(Identity):
    NAME = "eager-cpp"

    @classmethod
    def preload(cls):
        super().preload()
        from . import program_times, script  # noqa: F401

    def prepare(self, module, signatures):
        from . import script

        inputs = self.zeros(signatures)
        program = script.trace(self.flat(module), inputs)
        script.fold_shapes(program)  # needs the optimiser
        self._torch._C._set_graph_executor_optimize(False)
        forward = script.forward_of(program)
        forward(*inputs)  # the interpreter's code is made by the first call
        return forward

    def begin_profile(self):
        from . import program_times

        self._refuse_gpu_profile()
        self._times = program_times.ProgramTimes()

    def inspect(self):
        facts = super().inspect()
        facts["graph_optimization"] = "true" if self._torch._C._get_graph_executor_optimize() else "false"
        return facts

    def close(self):
        super().close()
        if hasattr(self, "_torch"):
            self._torch._C._set_graph_executor_optimize(True)
