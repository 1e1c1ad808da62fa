# SPDX-License-Identifier: Apache-2.0
"""Runs `pip install --no-compile --target SITE`, and makes the bytecode of what it has installed, except of tests.

Run as `python3 -c TEXT QUESTION ARGUMENT…`: QUESTION is JSON (`site`: SITE; `bytecode`: whether this Python will import it), the
arguments are pip's. A quarter of the Python in the toolchains is tests of their packages, which pip would compile as well;
if somebody imports one, Python compiles it then. Before version 25.1, pip reads downloads in pieces of 10 kB, which takes a
second of processor time for each GB.
"""

import compileall
import json
import os
import re
import sys
import warnings

from pip._internal.cli.main import main
from pip._internal.network import download

TESTS = re.compile(r"/tests?/")


def make_bytecode(site):
    warnings.simplefilter("ignore")
    os.chdir(site)  # so that only folders within it can be called tests
    compileall.compile_dir(".", maxlevels=100, quiet=2, rx=TESTS)  # some packages contain templates, which are no Python


question = json.loads(sys.argv[1])
download.CONTENT_CHUNK_SIZE = 1 << 18  # newer versions have no such name, and need none
code = main(["install", "--no-compile", "--target", question["site"], *sys.argv[2:]])
if code == 0 and question["bytecode"] and os.path.isdir(question["site"]):
    make_bytecode(question["site"])
sys.exit(code)
