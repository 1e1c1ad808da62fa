# SPDX-License-Identifier: Apache-2.0
"""The fact by which a compiler says that it has none of some operators and computes them for their value alone."""
import collections
from typing import Dict, Sequence


def fact(emulated: Sequence[str], nodes: int) -> Dict[str, str]:
    """Return {"emulated": "QLinearConv 20, Loop 1 of 57 nodes"}, or {} if nothing is emulated. `emulated` has the operator
    of each such node; `nodes` counts all nodes that are computed."""
    if not emulated:
        return {}
    counts = collections.Counter(emulated).most_common()
    return {"emulated": f"{', '.join(f'{name} {count}' for name, count in counts)} of {nodes} nodes"}
