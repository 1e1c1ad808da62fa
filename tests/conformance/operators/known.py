# SPDX-License-Identifier: Apache-2.0
"""Why a case is wrong or fails, where the reason is known: (compiler, start of the case's name, reason)."""

KNOWN = ()


def reason_for(compiler: str, case: dict, kind: str) -> str:
    found = [(len(start), reason) for name, start, reason in KNOWN
             if name == compiler and case["name"].startswith(start)]
    return max(found)[1] if found else "unexplained"
