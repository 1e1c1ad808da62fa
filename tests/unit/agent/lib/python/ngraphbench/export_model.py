# SPDX-License-Identifier: Apache-2.0
"""An exporter that does as the module's parameter `act` says. It counts its starts in the file `starts` names."""

import json
import os
import signal
import sys

words = sys.argv[1:]
path = words[words.index("-o") + 1]
module = json.load(sys.stdin)["module"]
act = module["parameters"]["act"]
with open(module["parameters"]["starts"], "a", encoding="utf-8") as file:
    file.write("without-file\n" if "--without-file" in words else "started\n")
answer = {"inputs": [{"name": "x", "type": "f32", "shape": [1, 4]}], "open_inputs": [], "outputs": ["output"]}
if act in ("refuses", "lacks a package"):
    answer["no_file"] = {"kind": "unsupported_operator", "message": "neither exporter can", "advice": "leave it out",
                         "follows_from_module": act == "refuses"}
elif "--without-file" not in words:
    with open(path, "w", encoding="utf-8") as file:
        file.write("the model")
    answer["exporter"] = "dynamo"
with open(path + ".json", "w", encoding="utf-8") as file:
    json.dump(answer, file)
if act == "dies":
    os.kill(os.getpid(), signal.SIGKILL)
