# SPDX-License-Identifier: Apache-2.0
"""_loop.abi3.so as a file: what it asks of the machine and of the Python that loads it."""
import os
import re
import subprocess
import sys
import unittest

FOLDER = os.path.join(os.environ["NGB_LIB"], "python", "ngraphbench")
EXTENSION = os.path.join(FOLDER, "_loop.abi3.so")
SANITIZED = "LD_PRELOAD" in os.environ


def symbols():
    """(defined, undefined) dynamic symbols, the latter with their versions."""
    lines = subprocess.run(["objdump", "-T", EXTENSION], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in lines if re.match(r"[0-9a-f]{8,}", line)]
    undefined = {row[-1]: row[-2] for row in rows if "*UND*" in row}
    return {row[-1] for row in rows if "*UND*" not in row}, undefined


class Extension(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "sanitizer builds stay on the machine that built them")
    def test_it_needs_nothing_newer_than_glibc_2_34(self):
        versions = re.findall(r"GLIBC_([0-9.]+)", " ".join(symbols()[1].values()))
        self.assertTrue(versions)
        self.assertLessEqual(max(tuple(map(int, version.split("."))) for version in versions), (2, 34))

    @unittest.skipIf(SANITIZED, "sanitizer builds link their own runtime")
    def test_it_links_neither_libpython_nor_a_shared_c_plus_plus_runtime(self):
        text = subprocess.run(["objdump", "-p", EXTENSION], check=True, capture_output=True, text=True).stdout
        needed = set(re.findall(r"NEEDED\s+(\S+)", text))
        self.assertEqual({name for name in needed if "python" in name or "stdc++" in name}, set())

    @unittest.skipIf(SANITIZED, "sanitizer builds export their own symbols")
    def test_it_exports_its_entry_point_only(self):
        self.assertEqual(symbols()[0], {"PyInit__loop"})

    def test_its_python_functions_are_in_the_stable_abi_of_3_9(self):
        used = {name for name in symbols()[1] if re.match(r"_?Py", name)}
        allowed = {
            "PyBool_FromLong", "PyBytes_AsStringAndSize", "PyBytes_FromObject", "PyBytes_Size", "PyDict_New",
            "PyDict_SetItem", "PyErr_Clear", "PyErr_Fetch", "PyErr_Format", "PyErr_GivenExceptionMatches",
            "PyErr_NormalizeException", "PyErr_Occurred", "PyErr_SetFromErrno", "PyErr_SetString", "PyExc_MemoryError",
            "PyExc_OSError", "PyExc_RuntimeError", "PyExc_TypeError", "PyExc_ValueError", "PyException_SetTraceback",
            "PyImport_ImportModule", "PyList_GetItem", "PyList_Size", "PyLong_AsLongLong", "PyLong_FromLong",
            "PyLong_FromLongLong",
            "PyMemoryView_FromMemory", "PyMemoryView_FromObject", "PyModule_AddStringConstant", "PyModule_Create2",
            "PyObject_CallNoArgs", "PyObject_CallObject", "PyObject_GetAttrString", "PyObject_IsTrue",
            "PySequence_List", "PyTuple_GetItem", "PyTuple_New", "PyTuple_Pack", "PyTuple_SetItem", "PyTuple_Size",
            "PyType_GetFlags", "PyUnicode_AsUTF8String", "PyUnicode_DecodeUTF8", "Py_DecRef", "Py_IncRef",
            "PyFloat_AsDouble", "_Py_BuildValue_SizeT", "_Py_NoneStruct",
        }
        self.assertEqual(used - allowed, set())

    def test_the_modules_import_from_a_folder_that_cannot_be_written_to(self):
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": "/proc/nowhere"}
        script = "import ngraphbench.fork_server, ngraphbench._loop as loop; print(loop.version)"
        run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"^\d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
