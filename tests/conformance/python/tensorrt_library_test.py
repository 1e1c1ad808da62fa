# SPDX-License-Identifier: Apache-2.0
"""TensorRT's own library, as far as it goes on a machine without a GPU: it loads, tells its version, leaves CUDA alone
until a session is opened, and a session ends with the reason. Skipped where no toolchain of it is installed or
adopted."""
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.join(os.environ["NGB_LIB"], "compilers", "tensorrt")


def toolchain_or_skip():
    """(version, site-packages) of the first that is there."""
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    root = os.path.join(os.environ.get("NGB_TOOLCHAINS") or os.path.join(home, "ngraphbench", "toolchains"), "tensorrt")
    for version in sorted(os.listdir(root)) if os.path.isdir(root) else ():
        manifest = os.path.join(root, version, "manifest.json")
        if os.path.isfile(manifest):
            with open(manifest) as file:
                return version, os.path.join(root, version, json.load(file)["site"])
    print(f"SKIPPED: no toolchain of tensorrt in {root}; docs/compilers/tensorrt.md says how to get one")
    sys.exit(77)


VERSION, SITE = toolchain_or_skip()
_OPEN = """
import json, os, sys
from ngraphbench.adaptor import CompilerError
from ngraphbench.hosting import Host
folder, site = sys.argv[1:]
sys.path.insert(0, site)
host = Host(folder)
told = {}
try:
    host.preload()
    told["threads"] = len(os.listdir("/proc/self/task"))
    with open("/proc/self/maps") as maps:
        told["driver_is_open"] = "libcuda.so" in maps.read()
    told["facts"] = dict(host.open(site, "cuda", "f32", 1, {}).inspect())
except CompilerError as error:
    told.update(kind=error.kind, message=error.message, advice=error.advice)
print(json.dumps(told))
"""


_LIST_NAMES = """
import json, sys
from ngraphbench.hosting import Host
folder, site = sys.argv[1:]
sys.path.insert(0, site)
Host(folder).preload()
trt = sys.modules.get("tensorrt") or sys.modules["tensorrt_bindings"]
print(json.dumps({name: dir(getattr(trt, name)) for name in dir(trt) if isinstance(getattr(trt, name), type)}))
"""
_STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recording_tensorrt_stand_in", "tensorrt",
                         "__init__.py")
_OF_SOME_VERSIONS = {"EXPLICIT_BATCH", "FP16", "BF16"}


def names_of_the_stand_in():
    """{class: names that are called of it}, those of enumerations included."""
    with open(_STAND_IN) as file:
        module = ast.parse(file.read())
    found = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            found[node.name] = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            found[node.name] |= {part.targets[0].id for part in node.body
                                 if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)}
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args:
            if getattr(node.value.func, "attr", "") == "Enum":
                found[node.value.args[0].value] = {text.value for text in ast.walk(node.value.args[1])
                                                   if isinstance(text, ast.Constant) and isinstance(text.value, str)}
    return {name: {part for part in parts if not part.startswith("_")} - _OF_SOME_VERSIONS
            for name, parts in found.items()}


class Library(unittest.TestCase):
    def test_the_stand_in_has_no_name_that_the_library_lacks(self):
        run = subprocess.run([sys.executable, "-B", "-c", _LIST_NAMES, FOLDER, SITE], capture_output=True, text=True,
                             check=True)
        real = json.loads(run.stdout.splitlines()[-1])
        stand_in = names_of_the_stand_in()
        self.assertGreater(len(stand_in), 15)
        self.assertIn("execute_async_v3", stand_in["IExecutionContext"])
        stand_in.pop("Severity")  # it stands within ILogger
        its_own = {"IBuilderConfig": {"cache"}, "INetworkDefinition": {"model", "parser"}}
        missing = {name: sorted(parts - set(real.get(name, ())) - its_own.get(name, set()))
                   for name, parts in stand_in.items()}
        self.assertEqual({name: parts for name, parts in missing.items() if parts}, {})

    def open(self, site=SITE):
        run = subprocess.run([sys.executable, "-B", "-c", _OPEN, FOLDER, site], capture_output=True, text=True,
                             check=True)
        return json.loads(run.stdout.splitlines()[-1])

    def test_it_loads_with_one_thread_and_without_cuda(self):
        told = self.open()
        self.assertEqual((told["threads"], told["driver_is_open"]), (1, False))

    def test_it_tells_its_version_and_that_there_is_no_gpu(self):
        told = self.open()
        if "facts" in told:
            self.assertEqual((told["facts"]["version"], told["facts"]["device"]), (VERSION, "cuda"))
            return
        self.assertEqual(told["kind"], "no_device")
        self.assertTrue(told["message"].startswith(f"no CUDA device: TensorRT {VERSION} needs one"), told["message"])
        self.assertIn("NVIDIA GPU and its driver", told["advice"])

    def test_without_its_libraries_it_says_what_is_missing_and_where_it_belongs(self):
        if not os.path.isdir(os.path.join(SITE, "tensorrt_libs")):
            self.skipTest("this toolchain's libraries are the system's")
        with tempfile.TemporaryDirectory() as site:
            shutil.copytree(os.path.join(SITE, "tensorrt_bindings"), os.path.join(site, "tensorrt_bindings"))
            told = self.open(site)
        self.assertEqual(told["kind"], "toolchain_missing")
        self.assertIn("cannot open shared object file", told["message"])
        self.assertIn(os.path.join(site, "tensorrt_libs"), told["advice"])

    def test_a_damaged_library_is_an_import_error(self):
        libraries = os.path.join(SITE, "tensorrt_libs")
        if not os.path.isdir(libraries):
            self.skipTest("this toolchain's libraries are the system's")
        with tempfile.TemporaryDirectory() as site:
            shutil.copytree(os.path.join(SITE, "tensorrt_bindings"), os.path.join(site, "tensorrt_bindings"))
            os.mkdir(os.path.join(site, "tensorrt_libs"))
            with open(os.path.join(site, "tensorrt_libs", "libnvinfer.so.11"), "wb") as file:
                file.write(b"\x7fELF")
            told = self.open(site)
        self.assertEqual(told["kind"], "import_error")

    def test_without_the_module_it_says_how_to_get_it(self):
        with tempfile.TemporaryDirectory() as site:
            told = self.open(site)
        self.assertEqual(told["kind"], "toolchain_missing")
        self.assertIn("ngb toolchain adopt tensorrt", told["advice"])


if __name__ == "__main__":
    unittest.main()
