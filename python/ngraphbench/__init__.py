# SPDX-License-Identifier: Apache-2.0
"""The Python side of NGraphBench, which a toolchain's own Python imports to host a worker."""
