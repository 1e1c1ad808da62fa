// SPDX-License-Identifier: Apache-2.0
// JSON of what is measured and how it is said: work/codec.h, and the words of this room.
#pragma once

#include "samples/failure.h"
#include "work/codec.h"
#include "work/job.h"

namespace ngb::work {

template <>
struct Codec<Task> : WordCodec<Task, parse_task> {};
template <>
struct Codec<samples::Phase> : WordCodec<samples::Phase, samples::parse_phase> {};
template <>
struct Codec<samples::FailureKind> : WordCodec<samples::FailureKind, samples::parse_failure_kind> {};

}  // namespace ngb::work
