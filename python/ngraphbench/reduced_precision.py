# SPDX-License-Identifier: Apache-2.0
"""Whether a library that was told to compute in less than f32 does so: some take the setting without a word and compute
in f32 where the processor or the build lacks the other one."""
from ngraphbench.adaptor import CompilerError


def require_other_outputs(library: str, precision: str, ours, in_f32) -> None:
    """Raise CompilerError if the outputs, which are lists of arrays, are those of f32, bit for bit."""
    if same(ours, in_f32):
        raise CompilerError("fallback", f"{library} was told to compute in {precision}, and its outputs are those of f32, bit for bit: "
                                        f"here it computes in f32", f"measure {library} in f32 on this processor")


def same(ours, theirs) -> bool:
    return all(left.tobytes() == right.tobytes() for left, right in zip(ours, theirs))
