# SPDX-License-Identifier: Apache-2.0
"""The fresh interpreter of a refused fork: becomes the fake worker at once."""

import os

print("fresh interpreter", flush=True)
for descriptor in (3, 4, 5):
    os.set_inheritable(descriptor, True)
os.execv(os.environ["NGB_FAKE_WORKER"], [os.environ["NGB_FAKE_WORKER"]])
