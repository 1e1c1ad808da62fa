# SPDX-License-Identifier: Apache-2.0
"""The bridge, called through its C table as the worker calls it."""
import array
import gc
import os
import struct
import sys
import unittest

import _probe
from ngraphbench.adaptor import Adaptor, CompilerError
from ngraphbench.hosting import Host

HERE = os.path.dirname(os.path.abspath(__file__))
STATUS = {"invalid_option": 1, "invalid_model": 2, "unsupported_operator": 3, "toolchain_missing": 4,
          "import_error": 5, "out_of_memory": 6, "fallback": 7, "device_lost": 8, "internal": 9,
          "no_device": 10, "compiler_failed": 11, "no_profile": 12}


class Plain(Adaptor):
    """Does its duty; tests replace single methods."""

    def __init__(self, settings):
        self.settings = settings

    def compile(self, model):
        self.model = model

    def bind(self, inputs):
        self.inputs = inputs

    def runner(self):
        return lambda: None

    def read(self):
        return [("output", "f32", (2,), struct.pack("ff", 1.5, -2.0))]

    def inspect(self):
        return {"version": "1.2"}


class FixedHost(Host):
    def __init__(self, adaptor_class, produces_file=False):
        super().__init__(os.path.join(HERE, "toys"))
        self.produces_file = produces_file
        self._fixed = adaptor_class

    def adaptor_class(self):
        return self._fixed


def adaptor(**methods):
    return type("Changed", (Plain,), methods)


def session(adaptor_class, until="bind", recipe=""):
    _probe.use(FixedHost(adaptor_class))
    _probe.open(1, None, None)
    if until != "open":
        _probe.compile(recipe)
    if until == "bind":
        _probe.bind()


def raising(exception):
    def method(self, *arguments):
        raise exception

    return method


class BridgeTest(unittest.TestCase):
    def setUp(self):
        # What failures print belongs in an attempt's log.
        self._stderr, sys.stderr = sys.stderr, open(os.devnull, "w")

    def tearDown(self):
        _probe.close()
        sys.stderr.close()
        sys.stderr = self._stderr

    def failure(self, call, *arguments):
        with self.assertRaises(RuntimeError) as caught:
            call(*arguments)
        return caught.exception.args


class ALife(BridgeTest):
    def test_values_arrive_as_the_contract_says(self):
        seen = {}

        class Seeing(Plain):
            def compile(self, model):
                seen["settings"], seen["model"] = self.settings, model

            def bind(self, inputs):
                seen["inputs"] = inputs

        session(Seeing, recipe='{"family": "resnet"}')
        self.assertEqual(seen["settings"].threads, 1)
        self.assertEqual(seen["settings"].precision, "f32")
        self.assertEqual(seen["settings"].options, {"misbehave": "", "count": 1})
        self.assertEqual(seen["model"].path, "/models/a.onnx")
        self.assertEqual(seen["model"].recipe, {"family": "resnet"})
        self.assertEqual(seen["model"].inputs[0].shape, (1, 3))
        tensor = seen["inputs"][0]
        self.assertEqual((tensor.name, tensor.dtype, tensor.shape), ("input", "f32", (1, 3)))
        self.assertEqual(array.array("f", tensor.data.cast("f")).tolist(), [0.5, 0.5, 0.5])

    def test_inputs_cannot_be_written_to(self):
        def bind(self, inputs):
            inputs[0].data[0] = 1

        session(adaptor(bind=bind), until="compile")
        status, message, _ = self.failure(_probe.bind)
        self.assertEqual(status, STATUS["compiler_failed"])
        self.assertIn("read-only", message)

    def test_outputs_are_those_of_the_last_run(self):
        class Counting(Plain):
            count = 0

            def runner(self):
                return self.step

            def step(self):
                self.count += 1

            def read(self):
                return [("count", "i64", (), struct.pack("q", self.count)),
                        ("flags", "bool", [2], bytearray(b"\x01\x00"))]

        session(Counting)
        _probe.run(3)
        self.assertEqual(_probe.read()[0], ("count", 5, 0, -1, struct.pack("q", 3)))
        self.assertEqual(_probe.read()[1], ("flags", 9, 1, 2, b"\x01\x00"))
        _probe.run(1)
        self.assertEqual(_probe.read()[0][4], struct.pack("q", 4))

    def test_describe_is_the_text_of_compiler_json(self):
        with open(os.path.join(HERE, "toys", "compiler.json")) as file:
            self.assertEqual(_probe.use(FixedHost(Plain)), file.read())

    def test_facts_are_text(self):
        session(adaptor(inspect=lambda self: {"version": "1.2", "threads": 4}))
        self.assertEqual(_probe.inspect(), {"version": "1.2", "threads": "4"})

    def test_load_is_there_only_for_a_compiler_that_produces_a_file(self):
        _probe.use(FixedHost(Plain))
        self.assertFalse(_probe.has_load())
        loaded = []
        _probe.use(FixedHost(adaptor(load=lambda self, model: loaded.append(model.artifact_path)), True))
        self.assertTrue(_probe.has_load())
        _probe.open(1, None, None)
        _probe.load("")
        self.assertEqual(loaded, ["/artifacts/a"])

    def test_settings_of_the_library_have_their_types(self):
        handed_on = []

        def open_with(self, settings):
            handed_on.append(dict(settings.settings))

        session(adaptor(__init__=open_with), until="open")
        self.assertEqual(handed_on, [{"level": 2}])

    def test_the_adaptor_module_is_found_beside_compiler_json(self):
        _probe.use(Host(os.path.join(HERE, "toys")))
        _probe.open(3, None, None)
        _probe.compile("")
        _probe.bind()
        _probe.run(1)
        self.assertEqual(_probe.read(), [("output", 1, 2, 1, struct.pack("fff", 1.5, 1.5, 1.5))])
        self.assertEqual(_probe.inspect()["threads"], "3")


class Failures(BridgeTest):
    def test_every_kind_has_its_status(self):
        for kind, status in STATUS.items():
            session(adaptor(compile=raising(CompilerError(kind, "no", "try"))), until="open")
            self.assertEqual(self.failure(_probe.compile, ""), (status, "no", "try"), kind)
            _probe.close()

    def test_other_exceptions_are_the_compilers_and_have_their_first_line(self):
        session(adaptor(compile=raising(ValueError("first line\nlast line"))), until="open")
        status, message, advice = self.failure(_probe.compile, "")
        self.assertEqual((status, message), (STATUS["compiler_failed"], "ValueError: first line"))
        self.assertIn("log", advice)

    def test_memory_and_import_errors_keep_their_kind(self):
        for exception, kind in ((MemoryError(), "out_of_memory"), (ImportError("no libfoo"), "import_error")):
            session(adaptor(compile=raising(exception)), until="open")
            self.assertEqual(self.failure(_probe.compile, "")[0], STATUS[kind])
            _probe.close()

    def test_exits_and_interrupts_do_not_end_the_process(self):
        for exception in (SystemExit(3), KeyboardInterrupt(), GeneratorExit()):
            session(adaptor(runner=lambda self, e=exception: lambda: raising(e)(self)))
            self.assertEqual(self.failure(_probe.run, 1)[0], STATUS["compiler_failed"])
            _probe.close()

    def test_failures_of_each_function_are_values(self):
        for method, call in (("bind", lambda: _probe.bind()), ("runner", lambda: _probe.bind()),
                             ("read", lambda: (_probe.bind(), _probe.run(1), _probe.read()))):
            session(adaptor(**{method: raising(RuntimeError("broken"))}), until="compile")
            self.assertEqual(self.failure(call)[:2], (STATUS["compiler_failed"], "RuntimeError: broken"), method)
            _probe.close()

    def test_open_fails_with_a_value_and_close_of_nothing_is_fine(self):
        _probe.use(FixedHost(adaptor(__init__=raising(CompilerError("fallback", "bf16", "ask for f32")))))
        self.assertEqual(self.failure(_probe.open, 1, None, None), (STATUS["fallback"], "bf16", "ask for f32"))

    def test_a_message_that_is_too_long_is_cut_at_a_whole_character(self):
        session(adaptor(compile=raising(CompilerError("internal", "a" + "é" * 5000, "ü" * 5000))), until="open")
        _, message, advice = self.failure(_probe.compile, "")
        self.assertEqual(message, "a" + "é" * 2047)  # 4096 bytes less the zero: 1 + 2 * 2047
        self.assertEqual(advice, "ü" * 511)          # 1024 bytes less the zero, down to a whole character

    def test_a_recipe_that_is_no_json_object_is_an_invalid_model(self):
        for recipe in ("{", "[1]"):
            session(Plain, until="open")
            self.assertEqual(self.failure(_probe.compile, recipe)[0], STATUS["invalid_model"])
            _probe.close()

    def test_an_adaptor_that_cannot_be_closed_is_dropped(self):
        session(adaptor(close=raising(RuntimeError("stuck"))))


class Awkward(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Nonsense(BridgeTest):
    def test_exceptions_without_words_are_internal(self):
        session(adaptor(compile=raising(Awkward())), until="open")
        self.assertEqual(self.failure(_probe.compile, "")[0], STATUS["internal"])

    def test_compiler_errors_of_odd_types_are_internal(self):
        for error in (CompilerError("nosuchkind", "m"), CompilerError(None, None, 5), CompilerError([], b"x", object()),
                      CompilerError("internal", "a\0b\ud800")):
            session(adaptor(compile=raising(error)), until="open")
            self.assertEqual(self.failure(_probe.compile, "")[0], STATUS["internal"])
            _probe.close()

    def test_runners_that_cannot_be_called_are_refused(self):
        for runner in (None, 5, "run", object()):
            session(adaptor(runner=lambda self, r=runner: r), until="compile")
            self.assertIn("callable", self.failure(_probe.bind)[1])
            _probe.close()

    def test_runners_that_want_arguments_fail_with_a_value(self):
        session(adaptor(runner=lambda self: lambda x: x))
        self.assertIn("argument", self.failure(_probe.run, 1)[1])

    def test_outputs_that_are_no_outputs_are_refused(self):
        four = struct.pack("f", 1)
        bad = [None, 5, "text", {}, object(), iter([]), [None], [()], [("a",)], [("a", "f32", (1,))],
               [("a", "f32", (1,), four, 0)], [(None, "f32", (1,), four)], [("a\0b", "f32", (1,), four)],
               [("\ud800", "f32", (1,), four)], [("a", "float", (1,), four)], [("a", 1, (1,), four)],
               [("a", "f32", None, four)], [("a", "f32", 1, four)], [("a", "f32", (-1,), four)],
               [("a", "f32", (1.0,), four)], [("a", "f32", (2**70,), four)], [("a", "f32", (2**62, 2**62), four)],
               [("a", "f32", (2,), four)], [("a", "f32", (1,), "text")], [("a", "f32", (1,), None)],
               [("a", "f32", (1,), [0, 0, 0, 0])], [("a", "f32", (1,), 4)]]
        for outputs in bad:
            session(adaptor(read=lambda self, o=outputs: o))
            _probe.run(1)
            self.assertEqual(self.failure(_probe.read)[0], STATUS["internal"], outputs)
            _probe.close()

    def test_a_wrong_size_is_told_in_bytes(self):
        session(adaptor(read=lambda self: [("a", "f32", (2, 3), b"1234")]))
        _probe.run(1)
        self.assertEqual(self.failure(_probe.read)[1],
                         'TypeError: output "a": its type and shape need 24 bytes, its data has 4')

    def test_facts_that_cannot_be_told_become_one_fact(self):
        for facts in (None, 5, [("a", "b")], {1: 2, "\ud800": "\0"}):
            session(adaptor(inspect=lambda self, f=facts: f))
            self.assertIsInstance(_probe.inspect(), dict)
            _probe.close()
        session(adaptor(inspect=raising(RuntimeError("mute"))))
        self.assertEqual(_probe.inspect(), {"inspect_error": "RuntimeError: mute"})


    def test_what_was_timed_is_let_go_before_close(self):
        gone = []

        class Runner:
            def __call__(self):
                pass

            def __del__(self):
                gone.append("runner")

        session(adaptor(runner=lambda self: Runner(), close=lambda self: gone.append("close")))
        _probe.run(1)
        _probe.close()
        self.assertEqual(gone, ["runner", "close"])

    def test_failures_that_only_torch_knows_have_their_kind(self):
        for name, kind in (("OutOfMemoryError", "out_of_memory"), ("AcceleratorError", "device_lost")):
            error = type(name, (RuntimeError,), {})("CUDA error")
            session(adaptor(compile=raising(error)), until="open")
            self.assertEqual(self.failure(_probe.compile, "")[:2], (STATUS[kind], f"{name}: CUDA error"))
            _probe.close()


    def test_failures_of_a_gpu_have_their_kind(self):
        accelerator = type("AcceleratorError", (RuntimeError,), {})
        for error, kind in ((RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
                             "out_of_memory"),
                            (RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"), "out_of_memory"),
                            (accelerator("CUDA error: out of memory"), "out_of_memory"),
                            (RuntimeError("CUDA error: an illegal memory access was encountered"), "device_lost"),
                            (RuntimeError("cuDNN error: CUDNN_STATUS_BAD_PARAM"), "compiler_failed"),
                            (RuntimeError("misaligned address"), "compiler_failed")):
            session(adaptor(compile=raising(error)), until="open")
            self.assertEqual(self.failure(_probe.compile, "")[0], STATUS[kind], error)
            _probe.close()


class Counts(BridgeTest):
    def test_a_run_leaves_every_reference_count_as_it_was(self):
        result = object()
        runner = lambda: result  # noqa: E731
        session(adaptor(runner=lambda self: runner))
        before = sys.getrefcount(result), sys.getrefcount(runner), sys.getrefcount(None)
        _probe.run(100_000)
        after = sys.getrefcount(result), sys.getrefcount(runner), sys.getrefcount(None)
        self.assertEqual(before[:2], after[:2])
        self.assertLess(abs(after[2] - before[2]), 100)

    def test_fifty_sessions_leave_nothing_behind(self):
        def life():
            session(Plain, recipe='{"family": "resnet"}')
            _probe.run(10)
            _probe.read()
            _probe.inspect()
            _probe.close()

        life()
        gc.unfreeze()
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(50):
            life()
        gc.unfreeze()
        gc.collect()
        self.assertLess(len(gc.get_objects()) - before, 50)

    def test_failing_runs_leave_nothing_behind(self):
        def fail():
            raise CompilerError("internal", "x")

        session(adaptor(runner=lambda self: fail))
        blocks = []
        for _ in range(3):
            for _ in range(2000):
                self.failure(_probe.run, 1)
            gc.collect()
            blocks.append(sys.getallocatedblocks())
        self.assertLess(blocks[2] - blocks[1], 200)

    def test_a_call_costs_less_than_a_microsecond(self):
        session(adaptor(runner=lambda self: lambda: None))
        nanoseconds = min(_probe.run(200_000) for _ in range(5))
        session_builtin = adaptor(runner=lambda self: {}.copy)
        _probe.close()
        session(session_builtin)
        builtin = min(_probe.run(200_000) for _ in range(5))
        print(f"[ {nanoseconds:.0f} ns a call of a Python function, {builtin:.0f} ns of a built-in one ]")
        self.assertLess(nanoseconds, 1000)


if __name__ == "__main__":
    unittest.main()
