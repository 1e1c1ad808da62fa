# SPDX-License-Identifier: Apache-2.0
"""Profiles through the bridge: kernels arrive as an adaptor tells them, and what are no kernels is refused."""
import unittest

import _probe
import bridge_test
from bridge_test import STATUS, Plain, adaptor, session
from ngraphbench.adaptor import Kernel


class Profiles(bridge_test.BridgeTest):
    def profile(self, kernels):
        session(adaptor(begin_profile=lambda self: None, end_profile=lambda self, inferences: kernels))
        _probe.begin_profile()
        return _probe.end_profile(1)

    def test_kernels_arrive_as_the_adaptor_tells_them(self):
        told = self.profile([Kernel("fused", 1500.5, "Conv", ("conv1", "bn1"), ["act1"], "tensor name"),
                             Kernel("copy", 0)])
        self.assertEqual(told, [("fused", "Conv", 1500.5, ["conv1", "bn1"], ["act1"], "tensor name"),
                                ("copy", "", 0.0, [], [], "")])

    def test_the_runner_is_asked_for_before_and_after_a_profile(self):
        calls = []

        class Profiling(Plain):
            is_profiling = False

            def runner(self):
                return lambda is_profiling=self.is_profiling: calls.append(is_profiling)

            def begin_profile(self):
                self.is_profiling = True

            def end_profile(self, inferences):
                self.is_profiling = False
                return [Kernel("a", inferences)]

        session(Profiling)
        for _ in range(2):
            _probe.run(1)
            _probe.begin_profile()
            _probe.run(2)
            self.assertEqual(_probe.end_profile(2)[0][2], 2.0)
        _probe.run(1)
        self.assertEqual(calls, [False, True, True, False, True, True, False])

    def test_a_session_is_told_that_it_is_profiled_and_has_many_shapes(self):
        seen = []
        session(adaptor(__init__=lambda self, settings: seen.extend([settings.is_profiled, settings.has_many_shapes])),
                until="open")
        self.assertEqual(seen, [True, True])

    def test_an_adaptor_that_does_not_tell_says_why(self):
        session(adaptor(no_profile_because="its library has no such interface"))
        self.assertEqual(self.failure(_probe.begin_profile),
                         (STATUS["no_profile"], "this compiler does not tell its kernels' times: its library has no such "
                                                "interface", "leave it out of the profile"))

    def test_words_that_are_no_text_are_made_text(self):
        self.assertEqual(self.profile([Kernel("a\0\ud800", 1, None, (5,))]), [("a\ufffd?", "None", 1.0, ["5"], [], "")])

    def test_kernels_that_are_no_kernels_are_refused(self):
        for kernels in (None, 5, [None], [("a", 1)], [Kernel("a", -1)], [Kernel("a", float("nan"))],
                        [Kernel("a", float("inf"))], [Kernel("a", None)], [Kernel("a", 1, nodes="conv1")],
                        [Kernel("a", 1, outputs=None)]):
            with self.assertRaises(RuntimeError) as caught:
                self.profile(kernels)
            self.assertIn(caught.exception.args[0], (STATUS["internal"], STATUS["compiler_failed"]), kernels)
            _probe.close()

    def test_a_negative_time_names_its_kernel(self):
        with self.assertRaises(RuntimeError) as caught:
            self.profile([Kernel("conv", -1)])
        self.assertEqual(caught.exception.args[1],
                         'TypeError: kernel "conv": its time must be a number of nanoseconds >= 0')

    def test_a_hundred_thousand_kernels_arrive(self):
        told = self.profile([Kernel(f"k{i}", i, nodes=(f"n{i}",)) for i in range(100_000)])
        self.assertEqual((len(told), told[-1][3]), (100_000, ["n99999"]))


if __name__ == "__main__":
    unittest.main()
