# SPDX-License-Identifier: Apache-2.0
"""The identity's operators, one after the other as in eager mode, called from C++: TorchScript's interpreter over the
trace, with every optimisation off. What it gains over the identity is Python's dispatch, nothing else."""
from .identity import Identity


class EagerCpp(Identity):
    NAME = "eager-cpp"

    @classmethod
    def preload(cls):
        super().preload()
        from . import script  # noqa: F401

    def prepare(self, module, signatures):
        from . import script

        inputs = self.zeros(signatures)
        program = script.trace(module, inputs)
        script.fold_shapes(program)  # which needs the optimiser
        self._torch._C._set_graph_executor_optimize(False)
        forward = script.forward_of(program)
        forward(*inputs)  # the interpreter's code is made at the first call
        return forward

    def inspect(self):
        told = super().inspect()
        told["graph_optimization"] = "true" if self._torch._C._get_graph_executor_optimize() else "false"
        return told

    def close(self):
        super().close()
        if hasattr(self, "_torch"):
            self._torch._C._set_graph_executor_optimize(True)
