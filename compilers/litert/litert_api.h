// SPDX-License-Identifier: Apache-2.0
// Declares the few of LiteRT's C functions that the plugin calls. The wheel has the library and no headers; names,
// order and sizes are those of litert/c of LiteRT 2.3, whose symbols have the version VERS_1.0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ngb::litert::api {

using Handle = void*;
using Status = int;  // 0: done

constexpr Status kMemoryAllocationFailure = 2;
constexpr Status kUnsupported = 5;
constexpr Status kCompilation = 504;

constexpr int kCpu = 1;               // of LiteRtHwAccelerators
constexpr int kAutoRegisterTag = 24;  // of LiteRtEnvOptionTag: a set of accelerators
constexpr int kIntegerValue = 2;      // of LiteRtAnyType
constexpr int kReadLock = 0;          // of LiteRtTensorBufferLockMode
constexpr int kWriteLock = 1;
constexpr int kOperatorEvent = 1 << 1;  // of LiteRtProfilerEventType: an operator of the graph, or a whole delegate
constexpr int kDelegateEvent = 1 << 3;  // an operator within a delegate, as XNNPACK tells it

// These are flags of TfLiteXNNPackDelegateOptions. Those that are given replace the usual ones, kQuantised.
constexpr unsigned kQuantised = 1U | 2U;
constexpr unsigned kForceHalf = 4U;

// These are values of LiteRtElementType.
constexpr int kF32 = 1;
constexpr int kI32 = 2;
constexpr int kU8 = 3;
constexpr int kI64 = 4;
constexpr int kBool = 6;
constexpr int kI8 = 9;

struct Layout {
  unsigned int rank : 7;
  unsigned int has_strides : 1;
  std::int32_t dimensions[8];
  std::uint32_t strides[8];
};
static_assert(sizeof(Layout) == 68);

struct TensorType {
  int element_type;
  Layout layout;
};
static_assert(sizeof(TensorType) == 72);

struct Value {
  int type;
  std::int64_t integer;
};

struct TaggedValue {
  int tag;
  Value value;
};
static_assert(sizeof(TaggedValue) == 24);

struct MemoryUsage {
  std::size_t bytes[3];
};

struct Event {
  const char* tag;
  int type;
  std::uint64_t start_us;
  std::uint64_t elapsed_us;
  MemoryUsage before;
  MemoryUsage after;
  std::uint64_t place;  // of an operator in the graph
  std::uint64_t subgraph;
  int source;
};

}  // namespace ngb::litert::api
