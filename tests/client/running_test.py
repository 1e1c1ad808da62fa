# SPDX-License-Identifier: Apache-2.0
"""ngb.run: a study as a dict or a file, its progress, its errors, and an interruption."""

import contextlib
import io
import os
import pathlib
import signal
import threading
import unittest
import warnings

from package import STUDY, PackageTest, ngb

ONE = STUDY | {"compilers": [{"null": {"options": {"made_up_ns": 500_000}}}], "baseline": "null"}


class Running(PackageTest):
    def test_a_dict_is_measured_into_its_own_folder_and_leaves_no_file_behind(self):
        results = ngb.run(ONE, progress=False)
        self.assertEqual(results.folders, (pathlib.Path("results/test").absolute(),))
        self.assertEqual(set(results.cells["status"]), {"measured"})
        self.assertEqual(list(pathlib.Path().glob(".study-*")), [])

    def test_a_file_is_measured_into_the_folder_that_is_given(self):
        pathlib.Path("study.yaml").write_text('models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]\n'
                                              'compilers: ["null"]\nreference: none\nprocesses: 1\nrepetitions: 3\n'
                                              'disturbance: {max_wait_percent: 100}\n')
        results = ngb.run("study.yaml", "mine", report=True, progress=False)
        self.assertEqual(len(results.cells), 1)
        self.assertTrue(pathlib.Path("mine/report/index.html").exists())

    def test_names_that_begin_as_options_do_are_paths(self):
        pathlib.Path("-study.yaml").write_text('models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]\n'
                                               'compilers: ["null"]\nreference: none\nprocesses: 1\nrepetitions: 3\n'
                                               'disturbance: {max_wait_percent: 100}\n')
        for results in (ngb.run("-study.yaml", "-mine", progress=False), ngb.open("-mine")):
            self.assertEqual(len(results.cells), 1)
            self.assertEqual(set(results.samples["process_index"]), {0})
        self.assertEqual(ngb.compare("-mine", "-mine").baseline_only, 0)

    def test_progress_counts_processes_on_stderr(self):
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            ngb.run(ONE, "shown")
        self.assertIn("12/12", shown.getvalue())
        self.assertIn("samples/s", shown.getvalue())

    def test_cells_that_fail_are_a_warning_and_their_reasons_are_in_failures(self):
        results = self.measure("failing", compilers=[*ONE["compilers"], "onnxruntime"], baseline="null")
        self.assertEqual(set(results.failures["kind"]), {"toolchain_missing"})

    def test_a_wrong_study_raises_the_programs_text_with_the_place_in_the_study(self):
        error = self.raised(ngb.ProgramError, ngb.run, ONE | {"proceses": 3}, "wrong", progress=False)
        self.assertEqual(error.exit_code, 2)
        self.assertIn("did you mean processes?", error.text)
        self.assertRegex(error.text, r"^study:\d+")
        self.assertFalse(pathlib.Path("wrong").exists())

    def test_what_no_study_can_hold_is_named(self):
        self.assertIn("is none of them", str(self.raised(TypeError, ngb.run, ONE | {"seed": object()}, progress=False)))

    def test_ctrl_c_ends_the_run_as_in_a_terminal_and_the_next_call_resumes_it(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        long = ONE | {"processes": 30}
        timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with contextlib.suppress(KeyboardInterrupt):
            ngb.run(long, "stopped", progress=False)
            timer.cancel()
            self.fail("it was not interrupted")
        measured = len(ngb.open("stopped").samples)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            results = ngb.run(long, "stopped", progress=False)
        self.assertGreater(len(results.samples), measured)
        self.assertEqual(set(results.cells["completed_processes"]), {30})


if __name__ == "__main__":
    unittest.main()
