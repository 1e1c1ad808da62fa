// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ngb::worker {

// With true, the processor takes subnormal numbers as 0 in this thread from now on, in what goes in and in what comes
// out; with false, it does again what it did before. Does nothing on a processor other than x86-64 and AArch64. A
// library may set it otherwise, and so may its own threads.
void flush_subnormals(bool flush);

}  // namespace ngb::worker
