# SPDX-License-Identifier: Apache-2.0
"""torch.compile over the identity's module. The first call, which compiles, is part of the compile phase.

What another process may load is Inductor's cache: the machine code, and graphs where PyTorch keeps them. Loading is a
first call, too: the module is made and traced again, but no machine code is compiled."""
import os
import traceback

from ngraphbench.adaptor import CompilerError
from ngraphbench.reasons import cause

from . import inductor
from .identity import Identity, open_axes


_MOST_GRAPHS = 256  # of one function: a shape's session is a graph, and may be one more for each other shape


class TorchCompile(Identity):
    NAME = "torch-compile"

    @classmethod
    def preload(cls):
        inductor.preload()  # first: it sets what PyTorch reads when it is imported
        super().preload()

    def __init__(self, settings):
        options = settings.options
        self._is_inductor = options["backend"] == "inductor"
        if not self._is_inductor and options["mode"] != "default":
            raise CompilerError("invalid_option", f'mode "{options["mode"]}" is for the backend inductor',
                                f'leave it out for the backend {options["backend"]}')
        if not self._is_inductor and settings.settings:
            raise CompilerError("invalid_option", f'the backend {options["backend"]} has no settings; they are '
                                                  "Inductor's", "leave them out for this backend")
        super().__init__(settings)
        self._settings, self._has_many_shapes = settings.settings, settings.has_many_shapes
        self._kept = self._artifact_path = ""  # the cache of another process, and where this one's is kept
        self._cxx = inductor.cxx() if self._is_inductor else "none"
        if self._cxx is None:
            raise inductor.no_cxx()
        if self._is_inductor:
            inductor.require_python_headers()

    def compile(self, model):
        self._artifact_path = model.artifact_path if self._is_inductor else ""  # the others compile nothing to keep
        super().compile(model)

    def load(self, model):
        if self._call is not None:  # by this process
            return
        if not os.path.isdir(model.artifact_path):
            raise CompilerError("internal", f"{model.artifact_path} is not a folder that torch-compile has made")
        self._kept = model.artifact_path
        super().compile(model)

    def prepare(self, module, signatures):
        from . import inductor_times

        torch = self._torch
        if self._has_many_shapes:  # each may have a session of its own, whose graphs stay
            torch._dynamo.config.recompile_limit = _MOST_GRAPHS
        else:
            torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        mode = {"mode": self._options["mode"]} if self._is_inductor else {}
        self._is_open = any(open_axes(signature) for signature in signatures)
        compiled = torch.compile(module, backend=self._options["backend"], dynamic=None if self._is_open else False,
                                 **mode)
        inputs = self.zeros(signatures)
        for tensor, signature in zip(inputs, signatures):
            for axis in open_axes(signature):
                torch._dynamo.mark_dynamic(tensor, axis)
        settings = {**self._settings, **(inductor_times.PROFILED if self._is_profiled and self._is_inductor else {})}
        with inductor.own_cache(self._threads, self._options["freezing"], settings, self._kept) as cache:
            before = inductor.machine_code(cache)
            try:
                self.call_with(compiled, inputs)
            except torch._dynamo.exc.TorchDynamoException as error:
                traceback.print_exc()
                raise self._explained(error) from None
            made = sorted(inductor.machine_code(cache) - before)
            if self._kept and made:
                raise CompilerError("internal", f"torch.compile compiled {len(made)} of the kept libraries again, such "
                                                f"as {made[0]}")
            if self._artifact_path:
                inductor.move(cache, self._artifact_path)
        self._libraries = len(made)
        self._graphs = self._count("stats", "unique_graphs")
        return compiled

    def read(self):
        if self._is_open and not self._has_many_shapes and self._count("stats", "unique_graphs") > self._graphs:
            raise CompilerError("fallback", "torch.compile compiled again for this batch size: it is not among those "
                                            "that the graph for any batch supports",
                                "PyTorch specialises for a batch of 1: leave it out of a study with dynamic_batch")
        return super().read()

    def _explained(self, error):
        return CompilerError("unsupported_operator" if isinstance(error, self._torch._dynamo.exc.Unsupported)
                             else "compiler_failed", f"torch.compile: {cause(error.__cause__ or error)}",
                             "the whole message is in the log of this attempt")

    def begin_profile(self):
        from . import inductor_times

        self._refuse_gpu_profile()
        if not self._is_inductor:
            raise CompilerError("no_profile", f'the backend {self._options["backend"]} does not tell its kernels',
                                "profile the backend inductor")
        self._times = inductor_times.InductorTimes()

    def end_profile(self, inferences):
        self._times.stop()
        return self._times.kernels(inferences, self._graph)

    def inspect(self):
        facts = super().inspect()
        facts.update(backend=self._options["backend"], cxx=self._cxx)
        if self._call is not None:
            facts.update(graphs=str(self._graphs), graph_breaks=str(self._count("graph_break")),
                        compiled_again="true" if self._count("stats", "unique_graphs") > self._graphs else "false",
                        graphs_added=str(self._count("stats", "unique_graphs") - self._graphs),
                        libraries_compiled=str(self._libraries),
                        graphs_from_cache=str(self._count("inductor", "fxgraph_cache_hit")))
        return facts

    def _count(self, group, name=None):
        counted = self._torch._dynamo.utils.counters[group]
        return counted[name] if name else sum(counted.values())

    def close(self):
        super().close()
        if hasattr(self, "_torch"):
            self._torch._dynamo.reset()
