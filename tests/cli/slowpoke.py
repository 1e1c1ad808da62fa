# SPDX-License-Identifier: Apache-2.0
"""An installation of ngb whose onnxruntime is a made-up compiler: its versions are wheels that the test makes.

A study may give versions only of compilers that versions.json lists, so the made-up one has the name of one of these.
"""

import json
import os
import pathlib
import shutil
import zipfile

from ngb_program import BIN

DESCRIPTION = {
    "name": "onnxruntime",
    "summary": "For tests: sleeps as long as its package says.",
    "host": "python",
    "adaptor": "adaptor:Slowpoke",
    "needs_toolchain": True,
    "requirements": ["slowpoke=={version}"],
    "imports": ["slowpoke"],
    "options": [],
}
ADAPTOR = '''\
import array
import os
import time

from ngraphbench.adaptor import Adaptor, CompilerError


class Slowpoke(Adaptor):
    @classmethod
    def preload(cls):
        import slowpoke

        cls.package = slowpoke

    def __init__(self, settings):
        self.seconds = self.package.seconds()

    def compile(self, model):
        if self.package.FAILS:
            raise CompilerError("internal", "this version is broken")

    def bind(self, inputs):
        self.values = array.array("f", inputs[0].data.cast("f"))

    def runner(self):
        return self.infer

    def infer(self):
        time.sleep(self.seconds)

    def read(self):
        values = array.array("f", [value + self.package.ERROR for value in self.values])
        return [("output", "f32", (1, len(values)), values)]

    def inspect(self):
        return {"version": self.package.__version__, "threads": "1", "device": "cpu"}
'''
PACKAGE = '''\
import os

__version__ = "{version}"
FAILS = {fails}
ERROR = {error}


def seconds():
    return {seconds}
'''
# An expression for `seconds` that alternates from one process to the next.
UNSTEADY = '(0.0025, 0.040)[len([open(__file__ + ".count", "a").write("x"), 0]) and ' \
           'os.path.getsize(__file__ + ".count") % 2]'


def make_installation(folder):
    """Copies the programs, which find their libraries by their own path, and gives them the compiler. Returns ngb's path."""
    (folder / "bin").mkdir(parents=True)
    for name in ("ngb", "ngb-agent", "ngb-worker"):
        try:
            os.link(BIN / name, folder / "bin" / name)
        except OSError:  # another file system
            shutil.copy2(BIN / name, folder / "bin" / name)
    there = BIN.parent / "lib/ngraphbench"
    library = folder / "lib/ngraphbench"
    compilers = library / "compilers"
    compilers.mkdir(parents=True)
    for each in there.iterdir():
        if each.name != "compilers":
            (library / each.name).symlink_to(each)
    (compilers / "null").symlink_to(there / "compilers/null")
    (compilers / "onnxruntime").mkdir()
    (compilers / "onnxruntime/compiler.json").write_text(json.dumps(DESCRIPTION))
    (compilers / "onnxruntime/adaptor.py").write_text(ADAPTOR)
    return folder / "bin/ngb"


def make_wheel(folder, version, seconds=0.010, fails=False, error=0.0, begin=""):
    """Writes a wheel of the compiler's package. `begin` is what its module executes first."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    information = f"slowpoke-{version}.dist-info"
    files = {
        "slowpoke.py": begin + PACKAGE.format(version=version, seconds=seconds, fails=fails, error=error),
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: slowpoke\nVersion: {version}\n",
        f"{information}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{information}/RECORD"
    files[record] = "".join(f"{name},,\n" for name in (*files, record))
    with zipfile.ZipFile(folder / f"slowpoke-{version}-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
