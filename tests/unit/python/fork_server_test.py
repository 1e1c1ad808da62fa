# SPDX-License-Identifier: Apache-2.0
"""The fork server, from the agent's end of its socket."""
import os
import signal
import socket
import subprocess
import sys
import time
import unittest

from agent_side import TOYS, ForkServer, WorkerFiles, fresh_worker, request


def misbehaving(how):
    return request(compiler={"options": [["misbehave", how]]})


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


class Workers(unittest.TestCase):
    def test_a_forked_worker_measures_and_its_end_is_told(self):
        with ForkServer() as server:
            self.assertEqual((server.ready["ready"], server.ready["threads"]), (True, 1))
            self.assertRegex(server.ready["version"], r"^\d+\.\d+\.\d+$")
            files = WorkerFiles(request())
            run, started = server.start(files)
            self.assertEqual((started["run"], started["threads"]), (run, 1))
            ended = server.receive()
            self.assertEqual((ended["run"], ended["pid"], ended["status"]), (run, started["pid"], 0))
            self.assertGreater(ended["max_rss_bytes"], 1 << 20)
            self.assertGreater(ended["cpu_ns"], 0)
            result = files.result()
            self.assertIsNone(result.get("failure"))
            self.assertGreaterEqual(len(result["repetitions"]), 5)
            self.assertEqual(result["facts"]["version"], "1")
            files.close()

    def test_a_fresh_interpreter_does_the_same(self):
        result, code, log, _ = fresh_worker(request())
        self.assertEqual((code, result.get("failure")), (0, None), log)
        self.assertGreaterEqual(len(result["repetitions"]), 5)

    def test_imports_are_paid_once(self):
        with ForkServer(TOY_IMPORT_SECONDS="0.1") as server:
            self.assertGreaterEqual(server.ready["import_ns"], 100_000_000)
            importers = set()
            for _ in range(5):
                result, ended, _ = server.measure(request())
                self.assertIsNone(result.get("failure"))
                importers.add(result["facts"]["imported_by"])
            self.assertEqual(importers, {str(server.process.pid)})

    def test_garbage_is_collected_while_something_is_measured_and_not_while_packages_are_imported(self):
        with ForkServer() as server:
            forked, _, _ = server.measure(request())
        fresh, _, _, _ = fresh_worker(request())
        for result in (forked, fresh):
            self.assertEqual(result["facts"]["collects_garbage"], "False True")

    def test_the_kinds_of_models_that_will_come_are_imported_or_any_kind(self):
        for arguments, kinds in ((["--model-kind", "mlp", "--model-kind", "file"], "mlp file"), ([], "any")):
            with ForkServer(arguments=arguments) as server:
                result, _, _ = server.measure(request())
                self.assertEqual(result["facts"]["model_kinds"], kinds)

    def test_failures_of_the_adaptor_are_results(self):
        with ForkServer() as server:
            for how, kind, phase in (("unsupported", "unsupported_operator", "compile"),
                                     ("open: raise", "compiler_failed", "open")):
                result, ended, log = server.measure(misbehaving(how))
                self.assertEqual((result["failure"]["kind"], result["failure"]["phase"]), (kind, phase))
                self.assertEqual(ended["status"], 0)
            self.assertIn("RuntimeError: broken in open", log)
            self.assertIn("Traceback", log)

    def test_imports_that_fail_are_told_and_every_worker_says_why(self):
        with ForkServer(TOY_IMPORT_FAILS="1") as server:
            self.assertIn("libtoy.so.7", server.ready["import_error"])
            result, ended, _ = server.measure(request())
            self.assertEqual(ended["status"], 0)
            self.assertEqual((result["failure"]["kind"], result["failure"]["phase"]), ("import_error", "open"))
            self.assertIn("libtoy.so.7", result["failure"]["message"])

    def test_a_fresh_interpreter_says_why_imports_fail_too(self):
        result, code, _, _ = fresh_worker(request(), TOY_IMPORT_FAILS="1")
        self.assertEqual((code, result["failure"]["kind"]), (0, "import_error"))

    def test_crash_kill_and_exit_are_reported_as_waitpid_gives_them(self):
        with ForkServer() as server:
            _, ended, log = server.measure(misbehaving("compile: crash"))
            self.assertTrue(os.WIFSIGNALED(ended["status"]))
            self.assertEqual(os.WTERMSIG(ended["status"]), signal.SIGSEGV)
            self.assertRegex(log, r'Fatal Python error: Segmentation fault\n(.*\n)*  File ".*toy.py", line \d+ in compile\n')
            _, ended, _ = server.measure(misbehaving("compile: exit"))
            self.assertEqual(os.WEXITSTATUS(ended["status"]), 9)
            files = WorkerFiles(misbehaving("compile: sleep"))
            _, started = server.start(files)
            os.killpg(started["pid"], signal.SIGKILL)
            self.assertEqual(server.receive()["status"], signal.SIGKILL)
            files.close()
            self.assertIsNone(server.measure(request())[0].get("failure"))

    def test_interrupts_reach_neither_server_nor_worker(self):
        with ForkServer() as server:
            files = WorkerFiles(misbehaving("run: sleep"))
            _, started = server.start(files)
            os.kill(server.process.pid, signal.SIGINT)
            os.kill(started["pid"], signal.SIGINT)
            time.sleep(0.3)
            self.assertTrue(is_running(started["pid"]))
            os.killpg(started["pid"], signal.SIGKILL)
            self.assertEqual(server.receive()["status"], signal.SIGKILL)
            files.close()

    def test_the_environment_of_a_request_is_the_childs_alone(self):
        with ForkServer() as server:
            environment = {"TOY_IMPORT_FAILS": "x"}
            result, ended, _ = server.measure(request(), **environment)
            self.assertEqual(ended["status"], 0)
            with open(f"/proc/{server.process.pid}/environ") as file:
                self.assertNotIn("TOY_IMPORT_FAILS", file.read())

    def test_a_worker_has_its_own_group_and_only_its_own_descriptors(self):
        with ForkServer() as server:
            files = WorkerFiles(misbehaving("compile: sleep"))
            _, started = server.start(files)
            pid = started["pid"]
            folder = f"/proc/{pid}/fd"
            self.assertTrue(wait_until(lambda: set(os.listdir(folder)) == set("012345")), os.listdir(folder))
            self.assertEqual(os.getpgid(pid), pid)
            self.assertEqual(os.readlink(f"{folder}/0"), "/dev/null")
            self.assertEqual(os.readlink(f"{folder}/1"), os.readlink(f"{folder}/2"))
            self.assertEqual(os.stat(f"{folder}/5").st_ino, os.fstat(files.descriptors()[2]).st_ino)
            os.killpg(pid, signal.SIGKILL)
            server.receive()
            files.close()


class Endings(unittest.TestCase):
    def started(self, server):
        files = WorkerFiles(misbehaving("compile: sleep"))
        self.addCleanup(files.close)
        return server.start(files)[1]["pid"]

    def test_end_of_file_ends_the_server_and_its_child(self):
        with ForkServer() as server:
            pid = self.started(server)
            server.socket.close()
            self.assertEqual(server.process.wait(20), 0)
            self.assertTrue(wait_until(lambda: not is_running(pid)))

    def test_a_killed_server_takes_its_child_along(self):
        with ForkServer() as server:
            pid = self.started(server)
            server.process.kill()
            self.assertTrue(wait_until(lambda: not is_running(pid)))

    def test_a_descriptor_that_is_no_such_socket_is_refused(self):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
            with ours, theirs:
                run = subprocess.run([sys.executable, "-m", "ngraphbench.fork_server", "--compiler-dir", TOYS,
                                      "--socket-fd", str(theirs.fileno())], pass_fds=[theirs.fileno()],
                                     capture_output=True, text=True, timeout=1500)
            self.assertEqual(run.returncode, 2)
            self.assertIn("SOCK_SEQPACKET", run.stderr)

    def test_a_folder_without_a_compiler_is_refused(self):
        for module in ("worker", "fork_server"):
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with ours, theirs:
                run = subprocess.run([sys.executable, "-m", f"ngraphbench.{module}", "--compiler-dir", "/nowhere"]
                                     + (["--socket-fd", str(theirs.fileno())] if module == "fork_server" else []),
                                     pass_fds=[theirs.fileno()], capture_output=True, text=True, timeout=1500)
            self.assertEqual(run.returncode, 2)
            self.assertIn("/nowhere/compiler.json", run.stderr)


class Refusals(unittest.TestCase):
    def test_it_does_not_fork_once_a_thread_was_started(self):
        with ForkServer(TOY_IMPORT_STARTS_A_THREAD="1") as server:
            self.assertEqual(server.ready["threads"], 2)
            _, answer, _ = server.measure(request())
            self.assertEqual((answer["run"], answer["kind"], answer["threads"]), (1, "threads", 2))
            self.assertIn("not safe", answer["error"])

    def test_it_has_one_child_at_a_time(self):
        with ForkServer() as server:
            files = WorkerFiles(misbehaving("compile: sleep"))
            _, started = server.start(files)
            _, answer = server.start(files)
            self.assertEqual((answer["run"], answer["kind"]), (2, "busy"))
            os.killpg(started["pid"], signal.SIGKILL)
            self.assertEqual(server.receive()["run"], 1)
            files.close()

    def test_requests_that_are_none_get_an_answer_and_do_no_harm(self):
        good = {"run": 5, "environment": {}}
        bad = [b"\xff\x00garbage", b"{", b"[]", b"null", b"5", b"[" * 60_000, {}, {"run": "1"}, {"run": True},
               {"run": -1}, {"run": 1.5}, {"run": None}, {**good, "extra": 1}, {**good, "environment": []},
               {**good, "environment": {"A": 1}}, {**good, "environment": {"": "x"}},
               {**good, "environment": {"A=B": "x"}}, {**good, "environment": {"A": "\0"}},
               b'{"run": 5, "environment": {"A": "\\ud800"}}']
        with ForkServer() as server:
            files = WorkerFiles(request())
            for packet in bad:
                server.send(packet, files.descriptors())
                answer = server.receive()
                self.assertEqual(answer["kind"], "bad_request", packet)
                self.assertIn(answer["run"], (None, 5))
            for count in (0, 1, 3, 5, 60):
                server.send(good, (files.descriptors() * 20)[:count])
                answer = server.receive()
                self.assertEqual((answer["run"], answer["kind"]), (5, "bad_request"))
                self.assertIn(f"{count} descriptors", answer["error"])
            files.close()
            self.assertIsNone(server.measure(request())[0].get("failure"))

    def test_a_packet_that_is_too_long_gets_an_answer_and_leaves_no_descriptor(self):
        with ForkServer() as server:
            files = WorkerFiles(request())
            counts = set()
            for _ in range(20):
                server.send(b"x" * 100_000, files.descriptors())
                self.assertEqual(server.receive()["kind"], "bad_request")
                counts.add(len(os.listdir(f"/proc/{server.process.pid}/fd")))
            self.assertEqual(len(counts), 1)
            files.close()

    def test_a_worker_without_a_readable_request_ends_by_itself(self):
        with ForkServer() as server:
            files = WorkerFiles(request())
            files.files[0].truncate(0)
            server.start(files)
            self.assertNotEqual(server.receive()["status"], 0)
            files.close()


if __name__ == "__main__":
    unittest.main()
