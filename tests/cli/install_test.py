# SPDX-License-Identifier: Apache-2.0
"""What a new user meets first: studies that ship with ngb, a study to start from, a choice of toolchains,
and the packages."""

import gzip
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

from ngb_program import BIN, NgbTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(BIN).parent
PIP = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
PIP.pop("PIP_FIND_LINKS", None)


class FirstSteps(NgbTest):
    def test_a_study_that_ships_with_ngb_is_known_by_its_name(self):
        planned = self.ngb("plan", "quickstart")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertIn("12 cells, 84 processes", planned.stdout)
        self.assertIn("paper/quick/conv", self.ngb("plan", "absent").stderr)

    def test_a_file_of_that_name_comes_first(self):
        self.write("quickstart", "name: mine\n")
        self.assertIn(": models: the key is missing", self.ngb("plan", "quickstart").stderr)

    def test_an_unknown_study_is_refused_with_the_names_that_ship(self):
        planned = self.ngb("plan", "quikstart")
        self.assertEqual(planned.returncode, 2)
        self.assertIn("no such file", planned.stderr)
        self.assertIn("studies that ship with ngb: decode, encoder, mha, paper/compile,", planned.stderr)

    def test_a_new_study_can_be_planned_as_it_is_and_is_never_overwritten(self):
        written = self.ngb("new", "first.yaml")
        self.assertEqual((written.returncode, written.stdout),
                         (0, "first.yaml: written. Next:\n  ngb plan first.yaml\n  ngb run first.yaml\n"))
        planned = self.ngb("plan", "first.yaml")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        again = self.ngb("new", "first.yaml")
        self.assertEqual(again.returncode, 2)
        self.assertIn("first.yaml: this file exists already; give another name", again.stderr)
        self.assertIn("ends in .yaml", self.ngb("new", "my study").stderr)

    def test_a_new_study_may_have_a_name_that_yaml_reads_as_something_else(self):
        for name in ("null", "true", "1", "1e3", "2026-11-26"):
            with self.subTest(name):
                self.assertEqual(self.ngb("new", f"{name}.yaml").returncode, 0)
                planned = self.ngb("plan", f"{name}.yaml")
                self.assertEqual(planned.returncode, 0, planned.stderr)
                self.assertIn(f"Study {name} ", planned.stdout)

    def test_the_toolchains_that_can_be_had_are_listed_with_their_sizes_if_nobody_can_be_asked(self):
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "none")
        asked = self.ngb("toolchain", "install")
        self.assertEqual(asked.returncode, 2)
        self.assertRegex(asked.stdout, r"(?m)^onnxruntime +\S+ +\d+ MB  ONNX Runtime")
        self.assertRegex(asked.stdout, r"(?m)^identity .* GB  PyTorch eager.*; also for aotinductor, ")
        self.assertNotIn("tensorrt", asked.stdout)  # there is no GPU here, or this would ask for 2 GB
        self.assertIn("ngb toolchain install identity onnxruntime openvino", asked.stderr)


class Toolchains(NgbTest):
    def make_wheel(self, name, version="9.9.9", requires=(), content=""):
        info = f"{name}-{version}.dist-info"
        files = {f"{name}/__init__.py": content, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
                 + "".join(f"Requires-Dist: {each}\n" for each in requires),
                 f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
        (self.folder / "wheels").mkdir(exist_ok=True)
        with zipfile.ZipFile(self.folder / f"wheels/{name}-{version}-py3-none-any.whl", "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)

    def serve(self):
        """Serves the wheels as an index that answers range requests. Returns the list of wheels that were downloaded whole."""
        whole = []
        wheels = self.folder / "wheels"

        class Index(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                name = self.path.rsplit("/", 1)[-1]
                if not name.endswith(".whl"):
                    project = self.path.strip("/").split("/")[-1].replace("-", "_")
                    links = [f'<a href="/{each.name}#sha256={hashlib.sha256(each.read_bytes()).hexdigest()}">{each.name}</a>'
                             for each in sorted(wheels.glob(f"{project}-*.whl"))]
                    return self.answer(200, "\n".join(links).encode(), {"Content-Type": "text/html"})
                content = (wheels / name).read_bytes()
                asked = re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
                if asked:
                    first, last = int(asked[1]), min(int(asked[2]), len(content) - 1)
                    return self.answer(206, content[first : last + 1], {"Content-Range": f"bytes {first}-{last}/{len(content)}"})
                if self.command == "GET":
                    whole.append(name)
                return self.answer(200, content, {"Accept-Ranges": "bytes"})

            do_HEAD = do_GET

            def answer(self, status, content, headers):
                self.send_response(status)
                for key, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(key, value)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(content)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.environment |= {"PIP_INDEX_URL": f"http://127.0.0.1:{server.server_port}/simple", "PIP_CONFIG_FILE": "/dev/null",
                             "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        for setting in ("PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
            self.environment.pop(setting, None)
        return whole

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has an NVIDIA GPU")
    def test_each_wheel_is_downloaded_once_and_what_only_a_gpu_needs_not_at_all(self):
        pins = json.loads((SOURCE / "versions.json").read_text())["wheels"]
        self.make_wheel("torch", requires=["nvidia-cublas", "triton"], content="import nvidia_cublas\n#" + 100_000 * "-")
        self.make_wheel("nvidia_cublas", "13.4", content="#" + 400_000 * "-")
        self.make_wheel("nvidia_cublas", "13.5", content="#" + 450_000 * "-")
        self.make_wheel("triton", content="#" + 300_000 * "-")
        # Asked for in rounds, pip would have taken 13.5 before it learnt of this.
        self.make_wheel("timm", pins["timm"], ["torch", "nvidia-cublas<13.5"])
        for name in ("torchvision", "onnx", "onnx2torch", "onnxscript"):
            self.make_wheel(name, pins[name])
        self.make_wheel("onnx_ir", pins["onnx-ir"])
        self.make_wheel("numpy", "2.0")
        downloaded = self.serve()
        self.environment |= {"NGB_TOOLCHAINS": str(self.folder / "toolchains"), "NGB_OTHER_WHEELS": "1"}
        ended = self.ngb("toolchain", "install", "identity@9.9.9")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(sorted(downloaded), sorted(
            [f"timm-{pins['timm']}-py3-none-any.whl", f"torchvision-{pins['torchvision']}-py3-none-any.whl",
             f"onnx-{pins['onnx']}-py3-none-any.whl", f"onnx2torch-{pins['onnx2torch']}-py3-none-any.whl",
             f"onnxscript-{pins['onnxscript']}-py3-none-any.whl", f"onnx_ir-{pins['onnx-ir']}-py3-none-any.whl",
             "torch-9.9.9-py3-none-any.whl", "nvidia_cublas-13.4-py3-none-any.whl", "numpy-2.0-py3-none-any.whl"]))
        said, = [line for line in ended.stderr.splitlines() if "to download" in line]
        self.assertRegex(said, r"^  9 packages: 50\d kB to download, 50\d kB on disk; 40\d kB of the download are libraries of "
                               r"NVIDIA, .*; left out, because only a GPU needs them: triton \(30\d kB\)$")

    def test_several_are_installed_side_by_side_and_one_that_fails_stops_no_other(self):
        for name in ("onnxruntime", "openvino"):
            self.make_wheel(name)
        self.environment |= {"NGB_TOOLCHAINS": str(self.folder / "toolchains"), "PIP_NO_INDEX": "1",
                             "PIP_FIND_LINKS": str(self.folder / "wheels")}
        ended = self.ngb("toolchain", "install", "onnxruntime@9.9.9", "onnxruntime@9.9.8", "openvino@9.9.9")
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertRegex(ended.stderr, r"(?m)^  onnxruntime 9\.9\.9: 1 package: \d+ B to download, \d+ B on disk$")
        self.assertRegex(ended.stderr, r"(?m)^  openvino 9\.9\.9: 1 package: \d+ B to download, \d+ B on disk$")
        self.assertIn("cannot install onnxruntime 9.9.8: no such version: onnxruntime==9.9.8; versions near it: 9.9.9", ended.stderr)
        self.assertEqual(sorted(line.split(":")[0] for line in ended.stdout.splitlines()),
                         ["onnxruntime 9.9.9", "openvino 9.9.9"])
        listed = self.ngb("toolchain", "list").stdout.split()
        self.assertEqual([word for word in listed if word.startswith("o")], ["onnxruntime", "openvino"])

    def test_nothing_is_installed_if_a_name_is_wrong(self):
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "toolchains")
        ended = self.ngb("toolchain", "install", "onnxruntime@9.9.9", "opevino")
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn("did you mean openvino?", ended.stderr)
        self.assertFalse((self.folder / "toolchains").exists())


class Packages(NgbTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory(prefix="ngb-packages-")
        cls.addClassCleanup(scratch.cleanup)
        cls.packages = pathlib.Path(scratch.name)
        made = subprocess.run([SOURCE / "scripts/package", BUILD, cls.packages, "1"], capture_output=True, text=True)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        cls.wheel, = cls.packages.glob("*-manylinux_*.whl")
        cls.stand_in, = cls.packages.glob("*-py3-none-any.whl")

    def installed(self, wheel, *options):
        """The programs' folder of a new environment with a wheel in it."""
        subprocess.run([sys.executable, "-m", "venv", *options, self.folder / "venv"], check=True)
        python = self.folder / "venv/bin/python"
        subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--quiet", wheel], check=True, env=PIP)
        return python.parent

    def test_pip_takes_the_wheel_with_the_programs_where_it_fits_and_else_the_one_without(self):
        # pip decides by the names, so one file may stand for all three wheels.
        wheels = self.folder / "wheels"
        wheels.mkdir()
        names = [f"ngraphbench-0.1.0-py3-none-{tag}.whl" for tag in ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "any")]
        for name in names:
            shutil.copy(self.stand_in, wheels / name)
        for platform, taken in (("manylinux_2_28_x86_64", names[0]), ("manylinux_2_28_aarch64", names[1]),
                                ("musllinux_1_2_x86_64", names[2]), ("macosx_14_0_arm64", names[2]),
                                ("manylinux_2_17_x86_64", names[2]), ("linux_riscv64", names[2]), ("win_amd64", names[2])):
            with self.subTest(platform):
                subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-index", "--find-links", wheels,
                                "--only-binary", ":all:", "--platform", platform, "--dest", self.folder / platform, "ngraphbench"],
                               check=True, env=PIP)
                self.assertEqual([each.name for each in (self.folder / platform).iterdir()], [taken])

    def test_the_commands_of_the_wheel_without_programs_say_what_can_be_done_and_end_with_3(self):
        programs = self.installed(self.stand_in, "--without-pip")
        for name in ("ngb", "ngraphbench"):
            ran = subprocess.run([programs / name, "run", "quickstart"], capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stdout), (3, ""))
            # The tests run where ngb does, and nobody gets this wheel there but by an old pip.
            self.assertIn("ngb: this system can run ngb, but the package without its programs was installed", ran.stderr)
        told = subprocess.run([programs / "python", "-c", """if True:
            from ngraphbench_stand_in import hindrance, message
            systems = [("Darwin", "arm64", True, None, (3, 13)), ("Windows", "AMD64", True, None, (3, 13)),
                       ("Linux", "x86_64", True, None, (3, 13)), ("Linux", "x86_64", True, (2, 17), (3, 13)),
                       ("Linux", "riscv64", True, (2, 39), (3, 13)), ("Linux", "aarch64", False, (2, 31), (3, 13)),
                       ("Linux", "aarch64", True, (2, 31), (3, 8)), ("Linux", "x86_64", True, (2, 28), (3, 9))]
            for system in systems:
                print(message(hindrance(*system)).splitlines()[0])
            """], check=True, capture_output=True, text=True).stdout
        here = "ngb: no program of ngb runs here: this is "
        self.assertEqual(told.splitlines()[:-1], [
            here + "macOS on arm64", here + "Windows on AMD64",
            here + "Linux with another C library than glibc, such as musl of Alpine", here + "Linux with glibc 2.17",
            here + "Linux on the processor riscv64", here + "a 32-bit Python on Linux", here + "Python 3.8"])
        self.assertTrue(told.splitlines()[-1].startswith("ngb: this system can run ngb"))

    def apt_fails(self):
        """Whether apt cannot read its sources either, without any option of ours for images."""
        lists = self.folder / "lists"
        (lists / "partial").mkdir(parents=True)
        asked = ["apt-get", "update", "-qq", "--error-on=any", "-o", f"Dir::State::Lists={lists}", "-o", "APT::Sandbox::User="]
        return subprocess.run(asked, capture_output=True).returncode != 0

    @unittest.skipIf(shutil.which("mmdebstrap") is None, "mmdebstrap is not installed")
    @unittest.skipIf(os.geteuid() != 0, "only root may run a program in another root folder")
    def test_the_image_is_an_oci_layout_in_which_the_programs_run(self):
        package, = self.packages.glob("*.deb")
        made = subprocess.run([SOURCE / "scripts/image", package, self.folder, "1"], capture_output=True, text=True)
        if "E: apt-get update" in made.stderr and self.apt_fails():
            self.assertIn("It reads the sources that apt uses: try apt-get update", made.stderr)
            self.skipTest("apt's sources cannot be read at present")
        self.assertEqual(made.returncode, 0, made.stderr)
        layout, = self.folder.glob("*-oci")
        for path in (layout / "blobs/sha256").iterdir():
            self.assertEqual(path.name, hashlib.sha256(path.read_bytes()).hexdigest())

        def blob(told):
            return (layout / "blobs" / told["digest"].replace(":", "/")).read_bytes()

        index = json.loads((layout / "index.json").read_text())
        manifest = json.loads(blob(index["manifests"][0]))
        config = json.loads(blob(manifest["config"]))
        layers = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
        self.assertEqual(config["rootfs"]["diff_ids"], [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers])
        root = self.folder / "root"
        root.mkdir()
        for layer in layers:
            subprocess.run(["tar", "-x", "-C", root, "--keep-directory-symlink"], input=layer, check=True)
        for words in (["ngb", "--version"], ["ngb-agent", "--version"], ["python3", "-m", "pip", "--version"]):
            ran = subprocess.run(["chroot", root, *words], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, (words, ran.stderr))
        self.assertEqual(subprocess.run(["chroot", root, "python3", "-c", "import pwd; print(pwd.getpwuid(0).pw_name)"],
                                        capture_output=True, text=True).stdout, "root\n")

    def test_the_wheel_runs_from_an_environment_of_its_own(self):
        wheel = self.wheel
        self.assertRegex(wheel.name, rf"^ngraphbench-[0-9.]+-py3-none-manylinux_2_\d+_{os.uname().machine}\.whl$")
        self.assertLess(int(wheel.name.split("_")[2]), 35)
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        self.assertTrue(any(name.endswith("licenses/libssl-dev") for name in names))
        self.assertFalse([name for name in names if "__pycache__" in name])
        self.assertIn("ngraphbench/py.typed", names)  # the package for users
        self.installed(wheel)
        for name in ("ngb", "ngraphbench"):
            planned = subprocess.run([self.folder / "venv/bin" / name, "plan", "quickstart"], capture_output=True, text=True,
                                     cwd=self.folder, env={**os.environ, **self.environment})
            self.assertIn("12 cells, 84 processes", planned.stdout, planned.stderr)
        self.write("first.yaml", "name: first\nmodels: [{zoo: {mlp: {}}}]\ncompilers: ['null']\nreference: none\n"
                                "batch_sizes: [1]\nprocesses: 1\nrepetitions: 3\n"
                                 "disturbance: {max_wait_percent: 100}\n")
        ran = subprocess.run([self.folder / "venv/bin/ngb", "run", "first.yaml"], capture_output=True, text=True,
                             cwd=self.folder, env={**os.environ, **self.environment})
        self.assertRegex(ran.stdout, r"(?m)^1 cell: 1 measured$", ran.stderr)
        # What pip has installed is enough to add a compiler of one's own, as docs/plugin.md says.
        shutil.copytree(SOURCE / "compilers/template", self.folder / "mine")
        description = self.folder / "mine/compiler.json"
        description.write_text(description.read_text().replace('"template"', '"mine"'))
        with_programs = {**os.environ, **self.environment, "PATH": f"{self.folder}/venv/bin:{os.environ['PATH']}"}
        for words in (["-B", "build"], ["--build", "build"], ["--install", "build"]):
            done = subprocess.run(["cmake", *words], capture_output=True, text=True, cwd=self.folder / "mine", env=with_programs)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        first = (self.folder / "first.yaml").read_text()
        self.write("mine.yaml", first.replace("first", "mine").replace("['null']", "['null', mine]"))
        ran = subprocess.run(["ngb", "run", "mine.yaml"], capture_output=True, text=True, cwd=self.folder, env=with_programs)
        self.assertRegex(ran.stdout, r"(?m)^2 cells: 2 measured$", ran.stderr)
        # A pip installs toolchains even if the environment is not activated and the first python3 of the PATH has none: that of the
        # environment, or of the interpreter behind that python3.
        (self.folder / "without-pip").mkdir()
        python = self.folder / "without-pip/python3"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        python.chmod(0o755)
        environment = {**os.environ, **self.environment, "PATH": f"{python.parent}:{os.environ['PATH']}", "PIP_NO_INDEX": "1"}
        environment["NGB_TOOLCHAINS"] = str(self.folder / "none")
        for program in (self.folder / "venv/bin/ngb", f"{BIN}/ngb"):
            installed = subprocess.run([program, "toolchain", "install", "onnxruntime"], capture_output=True, text=True,
                                       cwd=self.folder, env=environment)
            self.assertEqual(installed.returncode, 3, installed.stdout)
            self.assertIn("pip finds no version of onnxruntime", installed.stderr)


if __name__ == "__main__":
    unittest.main()
