# SPDX-License-Identifier: Apache-2.0
"""An installation of ngb whose onnxruntime is a made-up compiler: its versions are wheels that the test makes.

A study may give versions only of compilers that versions.json lists, so the made-up one has the name of one of these.
"""

import hashlib
import json
import pathlib
import zipfile

DESCRIPTION = {
    "name": "onnxruntime",
    "summary": "For tests: says that it takes as long as its package says.",
    "host": "python",
    "adaptor": "adaptor:Slowpoke",
    "needs_toolchain": True,
    "requirements": ["slowpoke=={version}"],
    "imports": ["slowpoke"],
    "options": [],
}
ADAPTOR = '''\
import array
import builtins
import os
import time

from ngraphbench.adaptor import Adaptor, CompilerError, Kernel


class Slowpoke(Adaptor):
    @classmethod
    def preload(cls):
        import slowpoke

        cls.package = slowpoke

    def __init__(self, settings):
        # What is installed beside it, or a variable, may make everything slower.
        times = 20 if "slower" in os.environ.values() else getattr(builtins, "slower_times", 1)
        self.seconds = times * self.package.seconds()
        self.kept = []

    def compile(self, model):
        time.sleep(self.package.WAITS)
        if self.package.FAILS:
            raise CompilerError("internal", "this version is broken")

    def bind(self, inputs):
        self.values = array.array("f", inputs[0].data.cast("f"))

    def runner(self):
        return self.infer

    def infer(self):
        if self.package.KEEPS:
            self.kept.append(bytearray(self.package.KEEPS))

    def read(self):
        values = array.array("f", [value + self.package.ERROR for value in self.values])
        return [("output", "f32", (1, len(values)), values)]

    def inspect(self):
        return {"version": self.package.__version__, "threads": "1", "device": "cpu", "made_up_ns": f"{self.seconds * 1e9:.0f}"}

    def begin_profile(self):
        pass

    def end_profile(self, inferences):
        """The activation takes all of what a version is slower by."""
        times_ns = {"stem+blocks.0.conv": 5e6, "blocks.0.bn": 1e6, "blocks.0.act": self.seconds * 1e9 - 6e6}
        return [Kernel(name, ns, nodes=name.split("+"), found_by="node name")
                for name, ns in times_ns.items()]
'''
PACKAGE = '''\
import os

__version__ = "{version}"
FAILS = {fails}
ERROR = {error}
WAITS = {waits}
KEEPS = {keeps}


def seconds():
    return {seconds}
'''
# An expression for `seconds` that alternates from one process to the next.
UNSTEADY = '(0.0025, 0.040)[int(os.environ["NGB_PROCESS_INDEX"]) % 2]'


def make_installation(folder):
    """Makes an installation with the compiler. Returns ngb's path."""
    from ngb_program import link_installation  # needs the environment of a test

    write_compiler(link_installation(folder, ["null"]))
    return folder / "bin/ngb"


def write_compiler(compilers):
    """Writes the compiler's description and adaptor into an installation's folder of compilers."""
    (compilers / "onnxruntime").mkdir()
    (compilers / "onnxruntime/compiler.json").write_text(json.dumps(DESCRIPTION))
    (compilers / "onnxruntime/adaptor.py").write_text(ADAPTOR)


def make_wheel(folder, version, seconds=0.010, fails=False, error=0.0, waits=0.0, keeps=0, begin=""):
    """Writes a wheel of the compiler's package and returns its path. An inference is said to take `seconds`, while compiling
    takes `waits` seconds in truth. An inference keeps `keeps` bytes. `begin` is what its module executes first."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    information = f"slowpoke-{version}.dist-info"
    files = {
        "slowpoke.py": begin + PACKAGE.format(version=version, seconds=seconds, fails=fails, error=error, waits=waits, keeps=keeps),
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: slowpoke\nVersion: {version}\n",
        f"{information}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{information}/RECORD"
    files[record] = "".join(f"{name},,\n" for name in (*files, record))
    path = folder / f"slowpoke-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


def unpack_toolchain(wheel, version, root, like):
    """Makes what `ngb toolchain install` makes of a wheel, without pip, which takes seconds for each. `like` is the folder
    of a version that was installed."""
    manifest = json.loads((like / "manifest.json").read_text())
    package, = manifest["packages"]
    package |= {"version": version, "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    identity = [manifest["compiler"], version, [[package["name"], version, package["sha256"]]]]
    manifest["version"] = version
    manifest["sha256"] = hashlib.sha256(json.dumps(identity, separators=(",", ":")).encode()).hexdigest()
    folder = root / "onnxruntime" / version
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / manifest["site"])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / ".ngraphbench-files").unlink(missing_ok=True)
