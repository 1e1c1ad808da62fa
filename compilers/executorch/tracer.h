// SPDX-License-Identifier: Apache-2.0
// Tracer notes the times of what an inference calls.
#pragma once

#include <executorch/runtime/core/event_tracer.h>

#include <vector>

#include "program.h"

namespace ngb::executorch {

class Tracer final : public ::executorch::runtime::EventTracer {
 public:
  using Entry = ::executorch::runtime::EventTracerEntry;
  using DelegateId = ::executorch::runtime::DelegateDebugIntId;
  using EValue = ::executorch::runtime::EValue;
  using Tensors = ::executorch::runtime::ArrayRef<::executorch::aten::Tensor>;
  template <class T>
  using Result = ::executorch::runtime::Result<T>;

  std::vector<Event> take_events();

  void create_event_block(const char* name) override;
  Entry start_profiling(const char* name, ::executorch::runtime::ChainID chain,
                        ::executorch::runtime::DebugHandle handle) override;
  void end_profiling(Entry entry) override;
  Entry start_profiling_delegate(const char* name, DelegateId id) override;
  void end_profiling_delegate(Entry entry, const void* metadata, std::size_t metadata_len) override;
  void log_profiling_delegate(const char* name, DelegateId id, et_timestamp_t start, et_timestamp_t end,
                              const void* metadata, std::size_t metadata_len) override;
  void track_allocation(::executorch::runtime::AllocatorID id, std::size_t size) override;
  ::executorch::runtime::AllocatorID track_allocator(const char* name) override;
  Result<bool> log_evalue(const EValue& value, ::executorch::runtime::LoggedEValueType type) override;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateId id,
                                                const ::executorch::aten::Tensor& output) override;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateId id, const Tensors output) override;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateId id, const int& output) override;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateId id, const bool& output) override;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateId id, const double& output) override;
  void set_delegation_intermediate_output_filter(::executorch::runtime::EventTracerFilterBase* filter) override;

 private:
  Entry begin(const char* name, bool is_in_delegate);
  void end(const Entry& entry);

  std::vector<Event> events_;
  std::vector<std::uint64_t> starts_ns_;
};

}  // namespace ngb::executorch
