# SPDX-License-Identifier: Apache-2.0
"""A compiler for tests: output = input + 1, or whatever the option "misbehave" says."""
import array
import gc
import os
import signal
import time

from ngraphbench.adaptor import Adaptor, CompilerError


class Toy(Adaptor):
    is_imported = False
    imported_by = None  # the process that paid for the imports

    @classmethod
    def preload(cls):
        if cls.is_imported:
            return
        time.sleep(float(os.environ.get("TOY_IMPORT_SECONDS", "0")))
        if os.environ.get("TOY_IMPORT_FAILS"):
            raise ImportError("libtoy.so.7: cannot open shared object file")
        if os.environ.get("TOY_IMPORT_STARTS_A_THREAD"):
            import threading

            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        cls.is_imported = True
        cls.collects_at_import = gc.isenabled()
        cls.imported_by = os.getpid()

    @classmethod
    def preload_models(cls, kinds):
        cls.kinds = "any" if kinds is None else " ".join(kinds)

    def __init__(self, settings):
        self.how = settings.options["misbehave"]
        self.settings = settings
        self.calls = 0
        self.output = array.array("f")
        self._misbehave("open")

    def _misbehave(self, where):
        if self.how == f"{where}: raise":
            raise RuntimeError(f"broken in {where}")
        if self.how == f"{where}: crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.how == f"{where}: sleep":
            time.sleep(60)
        if self.how == f"{where}: exit":
            os._exit(9)

    def compile(self, model):
        if self.how == "unsupported":
            raise CompilerError("unsupported_operator", "Foo is not known", "leave Foo out")
        self._misbehave("compile")
        self.model = model

    def bind(self, inputs):
        self._misbehave("bind")
        self.values = array.array("f", inputs[0].data.cast("f"))

    def runner(self):
        return self.infer

    def infer(self):
        self._misbehave("run")
        self.calls += 1
        self.output = array.array("f", [value + 1 for value in self.values])

    def read(self):
        self._misbehave("read")
        return [("output", "f32", (1, len(self.output)), self.output)]

    def inspect(self):
        return {"version": "1", "threads": str(self.settings.threads), "imported_by": str(self.imported_by),
                "model_kinds": self.kinds, "collects_garbage": f"{self.collects_at_import} {gc.isenabled()}"}
