// SPDX-License-Identifier: Apache-2.0
// Adds this room's enumerations to the JSON of work/codec.h.
#pragma once

#include "samples/failure.h"
#include "work/codec.h"
#include "work/job.h"
#include "work/load.h"
#include "work/protocol.h"

namespace ngb::work {

template <>
struct Codec<Task> : WordCodec<Task, parse_task> {};
template <>
struct Codec<Until> : WordCodec<Until, parse_until> {};
template <>
struct Codec<Over> : WordCodec<Over, parse_over> {};
template <>
struct Codec<Compilation> : WordCodec<Compilation, parse_compilation> {};
template <>
struct Codec<Order> : WordCodec<Order, parse_order> {};
template <>
struct Codec<LoadKind> : WordCodec<LoadKind, parse_load_kind> {};
template <>
struct Codec<LoadPlace> : WordCodec<LoadPlace, parse_load_place> {};
template <>
struct Codec<samples::Phase> : WordCodec<samples::Phase, samples::parse_phase> {};
template <>
struct Codec<samples::FailureKind> : WordCodec<samples::FailureKind, samples::parse_failure_kind> {};

}  // namespace ngb::work
