# SPDX-License-Identifier: Apache-2.0
"""What a machine lacks (Python, disk, a package index) is told in one line: what failed, where, and what to do next."""

import http.server
import os
import resource
import shutil
import subprocess
import threading
import unittest

from ngb_program import BIN, NULL_STUDY, NgbTest

INSTALL_PYTHON = "install Python 3.9 or newer (apt-get install python3 python3-pip), or name one with NGB_PYTHON"
WHEEL = "onnxruntime-1.31.1-py3-none-any.whl"


class Messages(NgbTest):
    def told(self, code, *arguments, lines=1, **more):
        """The last line on stderr of a command that ends with this code and prints so many lines there."""
        ended = subprocess.run([BIN / "ngb", *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, stdout=more.pop("stdout", subprocess.PIPE), text=True, timeout=1500,
                               **more)
        self.assertEqual((ended.returncode, len(ended.stderr.splitlines())), (code, lines), ended.stderr)
        return ended.stderr.splitlines()[-1] if lines else ""

    def measure(self):
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)

    def mount(self, name, options):
        """Mounts an empty file system in memory; `options` limit its size or make it read-only."""
        if os.geteuid() != 0:
            self.skipTest("mounting a tmpfs needs root")
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]).returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", folder])
        return folder


class WithoutPython(Messages):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/sh").symlink_to(shutil.which("sh"))
        self.environment["PATH"] = str(self.folder / "bin")
        self.write("study.yaml", NULL_STUDY.replace('- "null"', "- onnxruntime").replace('"null"', "none"))

    def test_an_installation_says_what_to_install(self):
        self.assertEqual(self.told(3, "toolchain", "install", "onnxruntime@1.31.1", lines=2),
                         f"ngb: python3: cannot install onnxruntime 1.31.1: no such program in PATH; {INSTALL_PYTHON}")
        self.environment["NGB_PYTHON"] = "/absent/python3"
        self.assertIn("ngb: /absent/python3: cannot install onnxruntime 1.31.1: there is no such program; ",
                      self.told(3, "toolchain", "install", "onnxruntime@1.31.1", lines=2))

    def test_a_bisection_says_what_to_install_and_nothing_of_its_ends(self):
        self.assertEqual(self.told(3, "bisect", "study.yaml", "--compiler", "onnxruntime", "--from", "1.30.0", "--to", "1.31.1"),
                         f"ngb: python3: no such program in PATH; {INSTALL_PYTHON}")

    def test_a_run_measures_what_needs_no_python(self):
        self.write("null.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "null.yaml").returncode, 0)


class WithoutDisk(Messages):
    def test_output_that_is_not_whole_is_an_error_unless_its_reader_has_closed_it(self):
        self.measure()
        with open("/dev/full", "w") as full:
            self.assertEqual(self.told(3, "show", "results/test", "--json", stdout=full),
                             "ngb: standard output: cannot write all of the output: No space left on device; free some space "
                             "and run the same command again")
        reads, writes = os.pipe()
        os.close(reads)
        self.assertEqual(self.told(0, "show", "results/test", lines=0, stdout=writes, restore_signals=False), "")
        os.close(writes)

    def test_a_run_continues_if_nobody_can_read_its_progress(self):
        self.write("study.yaml", NULL_STUDY)
        reads, writes = os.pipe()
        os.close(reads)
        ended = subprocess.run([BIN / "ngb", "run", "study.yaml"], cwd=self.folder, env=self.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writes, text=True, timeout=1500)
        os.close(writes)
        self.assertEqual(ended.returncode, 0)
        self.assertIn("4 cells: 4 measured", ended.stdout)

    def test_a_limit_of_a_files_size_is_an_error_that_names_it_and_no_signal(self):
        self.write("study.yaml", NULL_STUDY)
        told = self.told(3, "run", "study.yaml",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)))
        self.assertIn("results/test/results.db: ", told)
        self.assertIn("the limit of a file's size (ulimit -f)", told)

    def test_a_read_only_folder_is_named_with_what_to_choose(self):
        self.write("study.yaml", NULL_STUDY)
        locked = self.mount("locked", "size=1m,ro")
        self.assertEqual(self.told(3, "run", "study.yaml", "-o", "locked/results"),
                         f"ngb: {locked}/results: cannot create folder: Read-only file system; check the permissions, or "
                         "choose another folder")
        self.environment["NGB_CACHE"] = str(locked / "cache")
        self.assertIn("cannot create folder: Read-only file system; name a folder that can be written, for the cache, with "
                      "NGB_CACHE", self.told(3, "run", "study.yaml"))
        self.environment["NGB_TOOLCHAINS"] = str(locked / "toolchains")
        self.assertIn("Read-only file system", self.told(3, "toolchain", "install", "onnxruntime@1.31.1", lines=2))

    def test_a_bundle_on_a_full_disk_names_the_disk_of_the_bundle(self):
        self.measure()
        small = self.mount("small", "size=64k")
        told = self.told(3, "bundle", "results/test", "-o", "small/new.zip")
        self.assertTrue(told.startswith("ngb: small/new.zip"), told)
        self.assertIn("no space left on the disk for a copy of the results; free some space", told)
        self.assertEqual(list(small.iterdir()), [])


class Index(http.server.BaseHTTPRequestHandler):
    """A package index with one wheel of 400 kB. It stops after the "list", or after "half" of the wheel, as `until` says. If that is
    "damaged", it does not stop, and the wheel is not a valid one."""

    protocol_version = "HTTP/1.1"
    until = ""

    def log_message(self, *arguments):
        pass

    def send(self, kind, body, length):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path.endswith(".whl"):
            body = b"PK\x03\x04" + bytes(400_000)
            self.send("application/octet-stream", body if self.until == "damaged" else body[:200_000], len(body))
        else:
            page = f'<!DOCTYPE html><html><body><a href="/{WHEEL}">{WHEEL}</a></body></html>'.encode()
            self.send("text/html", page, len(page))
        if self.until == "list" or (self.until == "half" and self.path.endswith(".whl")):
            self.close_connection = True
            self.server.socket.close()
            threading.Thread(target=self.server.shutdown).start()


class AnIndexThatIsGone(Messages):
    def install(self, until):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Dying", (Index,), {"until": until}))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.environment |= {"PIP_INDEX_URL": f"http://127.0.0.1:{server.server_port}/simple", "PIP_CONFIG_FILE": "/dev/null",
                             "PIP_RETRIES": "0", "PIP_DEFAULT_TIMEOUT": "5", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                             "PIP_NO_CACHE_DIR": "1"}
        for setting in ("PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
            self.environment.pop(setting, None)
        ended = self.ngb("toolchain", "install", "onnxruntime@1.31.1")
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)
        self.assertEqual([path.name for path in (self.folder / "toolchains/onnxruntime").iterdir()], [".1.31.1.lock"])
        return ended.stderr.splitlines()[-1]

    def test_after_its_list_is_told_as_no_connection(self):
        self.assertEqual(self.install("list"),
                         "ngb: pip: cannot install onnxruntime 1.31.1: no connection to the package index; check the network "
                         "and pip's index and proxy settings (pip config list)")

    def test_within_a_download_is_told_with_what_to_do(self):
        self.assertRegex(self.install("half"), "cannot install onnxruntime 1.31.1: (a downloaded package is cut off or damaged"
                                               "|the package index ended a download before its end); run the same command again")

    def test_or_has_a_damaged_file_is_told_without_a_path_that_is_gone(self):
        self.assertEqual(self.install("damaged"),
                         "ngb: pip: cannot install onnxruntime 1.31.1: a downloaded package is cut off or damaged; run the same "
                         "command again; if it fails in the same way, the index has a damaged file")


if __name__ == "__main__":
    unittest.main()
