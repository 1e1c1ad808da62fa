# SPDX-License-Identifier: Apache-2.0
"""tvm's compile process, spoken to as its plugin does: a tuning that is killed goes on. Skipped, saying so, where the
toolchain is not installed."""
import glob
import json
import os
import subprocess
import tempfile
import unittest

from toolchain import LIB, toolchain_or_skip

SCRIPT = os.path.join(LIB, "compilers", "tvm", "python", "compile.py")
OURS = os.path.join(LIB, "python")
TRIALS = 4  # two tasks: two rounds of two


PYTHON, SITE = toolchain_or_skip("tvm", "tvm")
WRITE_MODEL = """
import numpy, onnx, sys
from onnx import helper, numpy_helper, TensorProto
weights = [numpy_helper.from_array(numpy.ones(shape, "f4"), name) for name, shape in (("a", (16, 32)), ("b", (32, 8)))]
nodes = [helper.make_node("MatMul", ["input", "a"], ["hidden"]), helper.make_node("MatMul", ["hidden", "b"], ["output"])]
value = helper.make_tensor_value_info
graph = helper.make_graph(nodes, "two", [value("input", TensorProto.FLOAT, [4, 16])],
                          [value("output", TensorProto.FLOAT, [4, 8])], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 9
onnx.save(model, sys.argv[1])
"""


class CompileProcess:
    def __init__(self, folder):
        environment = {**os.environ, "PYTHONPATH": SITE + ":" + OURS, "TVM_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                       "TVM_BIND_THREADS": "0"}
        replies, theirs = os.pipe()
        command = ["sh", "-c", f'exec "$0" "$@" 3>&{theirs}', PYTHON, SCRIPT]
        self.log = open(os.path.join(folder, "log"), "a", encoding="utf-8")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log,
                                        pass_fds=[theirs], env=environment, text=True, start_new_session=True)
        os.close(theirs)
        self.replies = os.fdopen(replies, encoding="utf-8")
        self.next("ready")
        os.makedirs(os.path.join(folder, "out"), exist_ok=True)
        request = {"model": os.path.join(folder, "model.onnx"), "output": os.path.join(folder, "out", "model.so"),
                   "signature": os.path.join(folder, "out", "signature.json"),
                   "inputs": [{"name": "input", "dtype": "float32", "shape": [4, 16]}], "threads": 1, "trials": TRIALS,
                   "early_stop": 150, "seed": 0, "cache": os.path.join(folder, "cache")}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def next(self, *kinds):
        for line in self.replies:
            message = json.loads(line)
            for kind in (*kinds, "failed"):
                if kind in message:
                    return message[kind]
        return None

    def reports(self):
        """Until it is done: what it says, the last being the facts."""
        while True:
            said = self.next("report", "done")
            yield said
            if said is None or isinstance(said, dict):
                return

    def end(self):
        os.killpg(self.process.pid, 9)
        self.process.stdin.close()
        self.process.wait()
        self.replies.close()
        self.log.close()


class Tuning(unittest.TestCase):
    def test_a_killed_tuning_goes_on_and_a_finished_one_is_used_again(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PYTHON, "-c", WRITE_MODEL, os.path.join(folder, "model.onnx")], check=True,
                           env={**os.environ, "PYTHONPATH": SITE})
            killed = CompileProcess(folder)
            self.assertTrue(any(str(said).startswith("tuning 2 of 4") for said in killed.reports()))
            killed.end()
            (records,) = glob.glob(os.path.join(folder, "cache", "tvm", "*", "database_tuning_record.json"))
            with open(records, "a", encoding="utf-8") as file:
                file.write("[0, [[")  # as if it had been writing

            said = self.all_of(CompileProcess(folder))
            self.assertTrue(said[0].startswith("tuning 2 of 4"), said[0])
            facts = said[-1]
            self.assertEqual((facts["trials"], facts["tuning_sessions"], facts["tuning_tasks"]), ("4", "2", "2"))
            self.assertEqual(json.loads(facts["tuning_curve"])["trials"][0], 0)
            self.assertGreater(float(facts["tuning_seconds"]), 0)

            said = self.all_of(CompileProcess(folder))
            self.assertEqual(said[0], "building")
            self.assertEqual(said[-1], {**facts, "tuning_seconds_here": "0.0"})

    def all_of(self, process):
        said = list(process.reports())
        process.end()
        return said


if __name__ == "__main__":
    unittest.main()
