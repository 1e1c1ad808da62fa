# SPDX-License-Identifier: Apache-2.0
"""Which toolchains there are to measure with."""

import json
import subprocess


def newest(ngb):
    """Of each compiler that has toolchains the newest one, as `ngb toolchain list --json` has it."""
    listed = subprocess.run([ngb, "toolchain", "list", "--json"], check=True, capture_output=True, text=True).stdout
    return {toolchain["compiler"]: toolchain for toolchain in json.loads(listed)}
