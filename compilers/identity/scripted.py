# SPDX-License-Identifier: Apache-2.0
"""What adaptors have in common that trace the identity's module into a program for PyTorch's C++ interpreter."""
from .identity import Identity


class Scripted(Identity):
    @classmethod
    def preload(cls):
        super().preload()
        from . import program_times, script  # noqa: F401

    def traced(self, module, signatures):
        """Return the program, and inputs to call it with."""
        from . import script

        inputs = self.zeros(signatures)
        return script.trace(self.flat(module), inputs), inputs

    def begin_profile(self):
        from . import program_times

        self._refuse_gpu_profile()
        self._times = program_times.ProgramTimes()
