# SPDX-License-Identifier: Apache-2.0
"""ngb bisect, over made-up wheels of a made-up compiler with a known culprit."""

import hashlib
import http.server
import shutil
import signal
import sqlite3
import threading

from bisected_wheels import STUDY, BisectedWheels
from ngb_program import kill
from slowpoke import UNSTEADY

SLOW = 0.080  # eight times as long as a good version


class Bisect(BisectedWheels):
    def digest(self, results):
        return hashlib.sha256((self.folder / results / "results.db").read_bytes()).hexdigest()

    def test_finds_the_first_slower_version_in_the_order_of_pep_440(self):
        self.publish(["1.0", "1.2", "1.9", "1.9.post1", "2.0rc1"])
        self.publish(["1.10", "1.11", "2.0"], seconds=SLOW)
        answer = self.answer("1.0", "2.0", "--slower", "100%")
        self.assertEqual(answer["versions"], ["1.0", "1.2", "1.9", "1.9.post1", "1.10", "1.11", "2.0"])
        self.assertEqual(answer["first_bad"], "1.10")
        self.assertEqual(answer["last_good"], "1.9.post1")
        self.assertEqual(self.verdicts(answer), {"1.9.post1": "not slower", "1.10": "slower", "2.0": "slower"})
        slow = answer["tried"][-1]
        self.assertLess(slow["ratio"]["high"], 0.5)
        self.assertEqual(slow["results"], str(self.folder / "results/speed-bisect/2.0"))
        self.assertEqual(self.query("results/speed-bisect/2.0", "SELECT DISTINCT compiler_version FROM cell ORDER BY 1"),
                         [("1.0",), ("2.0",)])

    def test_ends_on_request_with_the_operator_that_made_the_first_bad_version_slow(self):
        self.make(["1.0", "1.1"])
        self.make(["1.2", "1.3"], seconds=SLOW)
        told = self.bisect("1.0", "1.3", "--slower", "100%", "--explain")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertRegex(told.stdout, r"\A.*1\.2 is the first")
        self.assertRegex(told.stdout, r"\n.*1\.2 is \d+\.\d+ ms \[.*\] slower of \d+\.\d+ ms: 70\.00 ms of it in blocks\.0\.act")

    def test_prints_the_answer_and_a_table_and_reads_only_results_the_second_time(self):
        self.make(["1.0", "1.1"])
        self.make(["1.2"], seconds=SLOW)
        told = self.bisect("1.0", "1.2", "--slower", "100%")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0],
                         "onnxruntime 1.2 is the first version that is slower than 1.0 by more than 100 %")
        self.assertRegex(told.stdout, r"\n +1\.1 +not slower +[01]\.\d+ +\[")
        self.assertRegex(told.stdout, r"\n +1\.2 +slower +0\.\d+ +\[")
        shutil.rmtree(self.folder / "toolchains")
        shutil.rmtree(self.wheels)
        again = self.bisect("1.0", "1.2", "--slower", "100%")
        self.assertEqual((again.returncode, again.stdout), (0, told.stdout), again.stderr)

    def test_finds_the_first_faster_version(self):
        self.make(["1.0", "1.1"], seconds=SLOW)
        self.make(["1.2", "1.3"])
        answer = self.answer("1.0", "1.3", "--faster", "100%")
        self.assertEqual(answer["first_bad"], "1.2")
        self.assertEqual(self.verdicts(answer), {"1.1": "not faster", "1.2": "faster", "1.3": "faster"})
        self.assertEqual(answer["summary"], "onnxruntime 1.2 is the first version that is faster than 1.0 by more than 100 %")

    def test_finds_the_first_failing_version(self):
        self.make(["1.0", "1.1"])
        self.make(["1.2", "1.3"], fails=True)
        answer = self.answer("1.0", "1.3", "--fails")
        self.assertEqual(answer["first_bad"], "1.2")
        self.assertEqual(self.verdicts(answer), {"1.1": "works", "1.2": "fails", "1.3": "fails"})
        self.assertIn("this version is broken", answer["tried"][-1]["reason"])

    def test_finds_the_first_inaccurate_version_and_steps_over_one_that_fails(self):
        self.make(["1.0", "1.3"])
        self.make(["1.1", "1.4"], fails=True)
        self.make(["1.5", "1.6"], error=0.5)
        answer = self.answer("1.0", "1.6", "--inaccurate")
        self.assertEqual(answer["first_bad"], "1.5")
        self.assertEqual(answer["last_good"], "1.3")
        self.assertEqual(answer["stepped_over"], ["1.4"])
        self.assertEqual(self.verdicts(answer),
                         {"1.3": "accurate", "1.4": "stepped over", "1.5": "inaccurate", "1.6": "inaccurate"})

    def test_steps_over_a_version_that_does_not_load_and_says_why(self):
        self.make(["1.0", "1.1"])
        self.publish(["1.2"], begin="raise RuntimeError('no such instruction')\n")
        self.make(["1.3", "1.4"], seconds=SLOW)
        told = self.bisect("1.0", "1.4", "--slower", "100%")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("onnxruntime 1.3 is the first version", told.stdout)
        self.assertIn("1.2 was stepped over: cannot install onnxruntime 1.2: cannot import slowpoke: RuntimeError: no such "
                      "instruction\n", told.stdout)
        self.assertIn("The change may be in what was stepped over just before 1.3 already: 1.2\n", told.stdout)

    def test_measures_an_undecided_version_again_in_more_rounds_and_then_cannot_tell(self):
        self.make(["1.0", "1.1"])
        self.make(["1.2"], seconds=UNSTEADY)
        self.make(["1.3"], seconds=SLOW)
        answer = self.answer("1.0", "1.3", "--slower", "100%", code=5)
        self.assertEqual(answer["outcome"], "undecided")
        self.assertEqual(answer["undecided"], ["1.2"])
        self.assertEqual(answer["first_bad"], "1.3")
        tried = {each["version"]: each for each in answer["tried"]}
        self.assertEqual(tried["1.2"]["processes"], 6)
        self.assertEqual(tried["1.2"]["results"], str(self.folder / "results/speed-bisect/1.2-again"))
        self.assertEqual(answer["summary"], "onnxruntime 1.3 is the first version that was shown to be slower than 1.0 by "
                                            "more than 100 %; undecided between 1.1 and 1.3")

    def test_decides_in_twice_as_many_rounds_where_the_study_has_too_few(self):
        """Twice as long, then eight times: t is 3.5 after 3 rounds (4.3 is needed), and 5.0 after 4 (4.7 is needed)."""
        self.make(["1.0"])
        self.make(["1.1"], seconds='0.020 if os.environ["NGB_PROCESS_INDEX"] == "0" else 0.080')
        answer = self.answer("1.0", "1.1", "--slower", "50%")
        self.assertEqual(answer["first_bad"], "1.1")
        self.assertEqual(answer["tried"][0]["results"], str(self.folder / "results/speed-bisect/1.1-again"))
        self.assertGreater(answer["tried"][0]["processes"], 3)

    def test_has_nothing_to_search_for_if_the_last_version_is_not_worse(self):
        self.make(["1.0", "1.1", "1.2"])
        told = self.bisect("1.0", "1.2", "--slower", "100%")
        self.assertEqual(told.returncode, 5, told.stderr)
        self.assertEqual(told.stdout.splitlines()[0],
                         "onnxruntime 1.2 is not slower than 1.0 by more than 100 %: there is nothing to search for")
        self.assertFalse((self.folder / "results/speed-bisect/1.1").exists())

    def test_refuses_ends_that_fail_and_says_what_to_search_for_instead(self):
        self.make(["1.0", "1.1"])
        self.make(["1.2", "1.3"], fails=True)
        told = self.bisect("1.0", "1.2", "--slower", "100%")
        self.assertEqual(told.returncode, 3)
        self.assertIn("--to cannot be judged: onnxruntime 1.2: ", told.stderr)
        self.assertIn("search for the first failing one with --fails", told.stderr)
        self.assertEqual(self.answer("1.0", "1.2", "--fails")["first_bad"], "1.2")
        self.write("study.yaml", STUDY.replace("reference: onnxruntime", "reference: none"))
        told = self.bisect("1.2", "1.3", "--fails", "--output", "other")
        self.assertEqual(told.returncode, 3)
        self.assertIn("--from must work, and onnxruntime 1.2 does not: ", told.stderr)

    def test_keeps_the_settings_of_a_label_and_refuses_a_name_that_can_mean_several(self):
        self.write("study.yaml", STUDY.replace(
            '  - onnxruntime: {version: "1.0"}\n',
            '  - onnxruntime: {version: "1.0", label: one}\n  - onnxruntime: {version: "1.0", label: two, threads: 2}\n'))
        self.make(["1.0"])
        self.make(["1.1"], fails=True)
        told = self.bisect("1.0", "1.1", "--fails")
        self.assertEqual(told.returncode, 2)
        self.assertIn('several compilers that "onnxruntime@1.0" can mean', told.stderr)
        self.assertFalse((self.folder / "results").exists())
        told = self.ngb("bisect", "study.yaml", "--compiler", "two", "--from", "1.0", "--to", "1.1", "--fails")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(self.query("results/speed-bisect/1.1", "SELECT DISTINCT threads FROM cell"), [(2,)])

    def test_refuses_versions_in_the_wrong_order_or_that_do_not_exist(self):
        self.make(["1.0", "1.1"])
        told = self.bisect("1.1", "1.0")
        self.assertEqual(told.returncode, 2)
        self.assertIn("1.1 is not older than 1.0; --from is the older version", told.stderr)
        told = self.bisect("newest", "1.0")
        self.assertEqual(told.returncode, 2)
        self.assertIn("newest", told.stderr)
        told = self.bisect("0.9", "1.1")
        self.assertEqual(told.returncode, 3)
        self.assertIn("no such version: onnxruntime 0.9; versions near it: 1.0, 1.1", told.stderr)
        self.assertFalse((self.folder / "results").exists())
        told = self.ngb("bisect", "study.yaml", "--compiler", "onxruntime", "--from", "1.0", "--to", "1.1")
        self.assertEqual(told.returncode, 2)
        self.assertIn("did you mean onnxruntime?", told.stderr)

    def test_refuses_the_folder_of_another_bisection_and_names_what_differs(self):
        self.make(["1.0", "1.1", "1.2"])
        self.assertEqual(self.bisect("1.0", "1.2", "--slower", "100%").returncode, 5)
        self.write("study.yaml", STUDY.replace("repetitions: 4", "repetitions: 5"))
        told = self.bisect("1.1", "1.2", "--fails")
        self.assertEqual(told.returncode, 2)
        self.assertIn("differs in: from, study.repetitions", told.stderr)

    def test_a_step_that_a_gate_continues_is_refused_after_its_toolchain_was_replaced(self):
        self.make(["1.0", "1.1"])
        gate = ("gate", "study.yaml", "--baseline", "onnxruntime@1.0", "--candidate", "onnxruntime@1.1", "-o", "gated")
        self.assertIn(self.ngb(*gate).returncode, (0, 4))
        self.make(["1.1"], seconds=0.011)
        refused = self.ngb(*gate)
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("gated: what was measured there has changed since: toolchain onnxruntime 1.1; measure into another folder",
                      refused.stderr)

    def test_refuses_a_step_that_was_measured_beside_another_build_of_the_baseline(self):
        self.make(["1.0", "1.1"])
        self.make(["1.2"], fails=True)
        self.assertEqual(self.answer("1.0", "1.2", "--fails")["first_bad"], "1.2")
        shutil.rmtree(self.folder / "results/speed-bisect/1.1")
        self.make(["1.0"], seconds=0.011)
        told = self.bisect("1.0", "1.2", "--fails")
        self.assertEqual(told.returncode, 3, told.stderr)
        self.assertIn("results/speed-bisect/1.1: this step was not measured with what the bisection began with: toolchain "
                      "onnxruntime 1.0 on local; restore what has changed, remove this folder and repeat the command; or "
                      "choose another folder with --output", told.stderr)
        self.assertEqual(self.bisect("1.0", "1.2", "--fails").returncode, 3, "still")

    def test_refuses_a_step_that_was_measured_with_another_model(self):
        self.make(["1.0", "1.1"])
        self.make(["1.2"], fails=True)
        self.assertEqual(self.answer("1.0", "1.2", "--fails")["first_bad"], "1.2")
        with sqlite3.connect(self.folder / "results/speed-bisect/1.1/results.db") as database:
            database.execute("UPDATE model SET model_hash = 'another'")  # as if a file had been replaced before this step
        told = self.bisect("1.0", "1.2", "--fails")
        self.assertEqual(told.returncode, 3, told.stderr)
        self.assertIn("results/speed-bisect/1.1: this step was not measured with what the bisection began with: conv_block "
                      "width=8 depth=1 image_size=16, batch 1;", told.stderr)

    def test_what_is_installed_beside_a_toolchain_is_not_there_for_it(self):
        needs_nothing = ("import sys\nif not sys.flags.no_site or any('site-packages' in each for each in sys.path):\n"
                         "    raise ImportError(str(sys.path))\n")
        self.make(["1.0", "1.1"], begin=needs_nothing)
        gate = ("gate", "study.yaml", "--baseline", "onnxruntime@1.0", "--candidate", "onnxruntime@1.1", "-o", "gated")
        done = self.ngb(*gate)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertNotIn("import_error", done.stdout + done.stderr)

    def test_refuses_a_folder_with_other_results_or_a_damaged_state(self):
        self.make(["1.0", "1.1"])
        for name, problem in (("results.db", "this folder has the results of a study"), ("bisect.json", "parse error")):
            folder = self.folder / name.partition(".")[0]
            folder.mkdir()
            (folder / name).write_text("{")
            told = self.bisect("1.0", "1.1", "--output", folder)
            self.assertEqual(told.returncode, 3)
            self.assertIn(problem, told.stderr)
            self.assertIn("choose another", told.stderr)
            self.assertEqual([each.name for each in folder.iterdir()], [name])

    def test_continues_after_the_index_could_not_be_reached(self):
        self.publish(["1.0", "1.1", "1.2"])
        self.publish(["1.3", "1.4"], seconds=SLOW)
        with Index(self.wheels) as index:
            self.environment |= {"PIP_FIND_LINKS": index.address, "PIP_RETRIES": "0", "PIP_DEFAULT_TIMEOUT": "5"}
            index.breaks_at = "slowpoke-1.2-"
            told = self.bisect("1.0", "1.4", "--slower", "100%")
            self.assertEqual(told.returncode, 3, told.stderr)
            self.assertIn("no connection to the package index", told.stderr)
            self.assertIn("nothing is lost: what was measured is in", told.stderr)
            before = self.digest("results/speed-bisect/1.4")
            again = self.bisect("1.0", "1.4", "--slower", "100%")  # still broken, before any page of it can be read
            self.assertEqual(again.returncode, 3, again.stderr)
            self.assertIn("the same command continues", again.stderr)
            index.mend()
            answer = self.answer("1.0", "1.4", "--slower", "100%")
        self.assertEqual(answer["first_bad"], "1.3")
        self.assertEqual(answer["stepped_over"], [])
        self.assertEqual(self.digest("results/speed-bisect/1.4"), before)

    def test_continues_after_ctrl_c_and_after_it_was_killed(self):
        self.make(["1.0", "1.1"], waits=0.2)
        self.make(["1.2", "1.3"], seconds=SLOW, waits=0.2)
        arguments = ("bisect", "study.yaml", *self.ends("1.0", "1.3"), "--slower", "100%", "--json")
        running = self.start(*arguments)
        self.wait_for(lambda: self.completed("1.3"))
        running.send_signal(signal.SIGINT)
        told = running.stdout.read()
        self.assertEqual(running.wait(300), 130, told)
        self.assertIn("the same command continues", told)
        of_last = self.completed("1.3")
        running = self.start(*arguments)
        self.wait_for(lambda: self.completed("1.1"))
        kill(running.pid)
        running.wait(300)
        of_middle = self.completed("1.1")
        before = self.digest("results/speed-bisect/1.3")
        answer = self.answer("1.0", "1.3", "--slower", "100%")
        self.assertEqual(answer["first_bad"], "1.2")
        self.assertEqual(self.digest("results/speed-bisect/1.3"), before)
        for version, kept in (("1.1", of_middle), ("1.3", of_last)):
            self.assertEqual(self.completed(version)[:len(kept)], kept)
            self.assertEqual(len(self.completed(version)), 6)
            self.assertEqual(self.query(f"results/speed-bisect/{version}", "SELECT count(*) FROM run"), [(1,)])

    def completed(self, version):
        """Returns what identifies each process that was measured for a version, in the order of measuring."""
        try:
            return self.query(f"results/speed-bisect/{version}",
                              "SELECT process_key, started_unix_ns FROM process WHERE is_complete ORDER BY 1")
        except sqlite3.OperationalError:  # there is no file, or no table yet
            return []


class Index:
    """A page of links that stops answering when a certain file is asked for, until it is mended."""

    def __init__(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(handler, *arguments):
                super().__init__(*arguments, directory=str(folder))

            def do_GET(handler):
                if self.breaks_at and self.breaks_at in handler.path:
                    self.is_broken = True
                if self.is_broken:
                    handler.close_connection = True
                else:
                    super().do_GET()

            def log_message(handler, *_):
                pass

        self.breaks_at = None
        self.is_broken = False
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"

    def mend(self):
        self.breaks_at = None
        self.is_broken = False

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
