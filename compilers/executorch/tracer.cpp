// SPDX-License-Identifier: Apache-2.0
#include "tracer.h"

#include <chrono>
#include <utility>

namespace ngb::executorch {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace

std::vector<Event> Tracer::take_events() {
  starts_ns_.clear();
  return std::exchange(events_, {});
}

Tracer::Entry Tracer::begin(const char* name, bool is_in_delegate) {
  events_.push_back({name == nullptr ? "" : name, is_in_delegate, 0});
  starts_ns_.push_back(now_ns());
  Entry entry{};
  entry.event_id = static_cast<std::int64_t>(events_.size()) - 1;
  entry.start_time = starts_ns_.back();
  return entry;
}

void Tracer::end(const Entry& entry) {
  const auto place = static_cast<std::size_t>(entry.event_id);
  if (place < events_.size()) events_[place].ns = now_ns() - starts_ns_[place];
}

void Tracer::create_event_block(const char* /*name*/) {}

Tracer::Entry Tracer::start_profiling(const char* name, ::executorch::runtime::ChainID /*chain*/,
                                      ::executorch::runtime::DebugHandle /*handle*/) {
  return begin(name, false);
}

void Tracer::end_profiling(Entry entry) { end(entry); }

Tracer::Entry Tracer::start_profiling_delegate(const char* name, DelegateId id) {
  return begin(name == nullptr ? std::to_string(id).c_str() : name, true);
}

void Tracer::end_profiling_delegate(Entry entry, const void* /*metadata*/, std::size_t /*metadata_len*/) { end(entry); }

// The delegate's clock is ExecuTorch's, whose ticks are nanoseconds on Linux.
void Tracer::log_profiling_delegate(const char* name, DelegateId id, et_timestamp_t start, et_timestamp_t end,
                                    const void* /*metadata*/, std::size_t /*metadata_len*/) {
  events_.push_back({name == nullptr ? std::to_string(id) : name, true, end - start});
  starts_ns_.push_back(start);
}

void Tracer::track_allocation(::executorch::runtime::AllocatorID /*id*/, std::size_t /*size*/) {}
::executorch::runtime::AllocatorID Tracer::track_allocator(const char* /*name*/) { return 0; }

// No outputs are logged.
Tracer::Result<bool> Tracer::log_evalue(const EValue& /*value*/, ::executorch::runtime::LoggedEValueType /*type*/) {
  return false;
}
Tracer::Result<bool> Tracer::log_intermediate_output_delegate(const char* /*name*/, DelegateId /*id*/,
                                                              const ::executorch::aten::Tensor& /*output*/) {
  return false;
}
Tracer::Result<bool> Tracer::log_intermediate_output_delegate(const char* /*name*/, DelegateId /*id*/,
                                                              const Tensors /*output*/) {
  return false;
}
Tracer::Result<bool> Tracer::log_intermediate_output_delegate(const char* /*name*/, DelegateId /*id*/,
                                                              const int& /*output*/) {
  return false;
}
Tracer::Result<bool> Tracer::log_intermediate_output_delegate(const char* /*name*/, DelegateId /*id*/,
                                                              const bool& /*output*/) {
  return false;
}
Tracer::Result<bool> Tracer::log_intermediate_output_delegate(const char* /*name*/, DelegateId /*id*/,
                                                              const double& /*output*/) {
  return false;
}
void Tracer::set_delegation_intermediate_output_filter(::executorch::runtime::EventTracerFilterBase* /*filter*/) {}

}  // namespace ngb::executorch
