# SPDX-License-Identifier: Apache-2.0
"""Where the identity's toolchain is, and recipes for it."""
import json
import os
import subprocess
import sys

LIB = os.environ["NGB_LIB"]
FOLDER = os.path.join(LIB, "compilers", "identity")


def site_or_skip():
    """The toolchain's site-packages; ends the test program as skipped where there is none."""
    with open(os.environ["NGB_VERSIONS"]) as file:
        version = json.load(file)["toolchains"]["identity"]["default"]
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    root = os.environ.get("NGB_TOOLCHAINS") or os.path.join(home, "ngraphbench", "toolchains")
    site = os.path.join(root, "identity", version, "site")
    if not os.path.isdir(os.path.join(site, "torch")):
        print(f"SKIPPED: no toolchain identity@{version} ({site}); ngb toolchain install identity@{version}")
        sys.exit(77)
    return site


def write_recipe(path, name, batch=1, **parameters):
    """The canonical recipe of the ONNX file that it writes."""
    program = os.path.join(os.environ["NGB_BUILD_DIR"], "tests", "write_recipe")
    seed, threads = "1", "1"
    run = subprocess.run([program, name, json.dumps(parameters), seed, str(batch), threads, path], check=True,
                         capture_output=True, text=True)
    return json.loads(run.stdout)["recipe"]
