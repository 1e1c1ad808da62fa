# SPDX-License-Identifier: Apache-2.0
"""Calls the identity's operators one by one as eager mode does, but from C++: TorchScript's interpreter runs the trace
with every optimisation off. The only gain over the identity is Python's dispatch."""
from .scripted import Scripted


class EagerCpp(Scripted):
    NAME = "eager-cpp"

    def prepare(self, module, signatures):
        from . import script

        program, inputs = self.traced(module, signatures)
        script.fold_shapes(program)  # needs the optimiser
        self._torch._C._set_graph_executor_optimize(False)
        forward = script.forward_of(program)
        forward(*inputs)  # the interpreter's code is made by the first call
        return forward

    def inspect(self):
        facts = super().inspect()
        facts["graph_optimization"] = "true" if self._torch._C._get_graph_executor_optimize() else "false"
        return facts

    def close(self):
        super().close()
        if hasattr(self, "_torch"):
            self._torch._C._set_graph_executor_optimize(True)
