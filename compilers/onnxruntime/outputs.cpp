// SPDX-License-Identifier: Apache-2.0
// The outputs of a session: their shapes, where a file declares none or wrong ones, and their values.
#include <algorithm>

#include "session.h"

namespace ngb::onnxruntime {
namespace {

constexpr const char* kLeftOut = "outputs_not_compared";  // a fact: their names

}  // namespace

// Runs once with outputs that the library allocates, and records their shapes.
void Session::learn_output_shapes() {
  trusts_shapes_ = false;
  const Owned<OrtIoBinding> binding = make_binding(session_.get(), {});
  runtime_.check(api_.RunWithBinding(session_.get(), run_options_.get(), binding.get()), "run the model");
  const std::vector<Owned<OrtValue>> values = values_of(binding.get());
  for (std::size_t i = 0; i < values.size() && i < output_slots_.size(); ++i) {
    output_slots_[i] = slot_of(runtime_, output_slots_[i], values[i].get());
  }
}

std::vector<Owned<OrtValue>> Session::values_of(OrtIoBinding* binding) const {
  OrtAllocator* allocator = nullptr;
  runtime_.check(api_.GetAllocatorWithDefaultOptions(&allocator), "find its allocator");
  OrtValue** values = nullptr;
  std::size_t count = 0;
  runtime_.check(api_.GetBoundOutputValues(binding, allocator, &values, &count), "read outputs");
  std::vector<Owned<OrtValue>> owned;
  for (std::size_t i = 0; i < count; ++i) owned.emplace_back(values[i], api_.ReleaseValue);
  if (values != nullptr) runtime_.check(api_.AllocatorFree(allocator, static_cast<void*>(values)), "free a list");
  return owned;
}

ngb_tensor Session::read(std::uint32_t index) const {
  const ReadTensor& tensor = read_[index];
  const Slot& slot = tensor.slot;
  return {slot.name.c_str(),
          slot.type,
          static_cast<std::int32_t>(slot.shape.size()),
          slot.shape.data(),
          const_cast<void*>(tensor.data),  // NOLINT(cppcoreguidelines-pro-type-const-cast): the table's type
          slot.bytes()};
}

// Text and maps are left out.
void Session::begin_to_read() {
  trusts_shapes_ = false;
  for (const ngb_feedback& pair : growing_) {
    if (grown_.empty()) break;
    output_slots_[pair.output].shape = slot_of(runtime_, output_slots_[pair.output], grown_[pair.output].get()).shape;
    output_buffers_[pair.output] = data_of(grown_[pair.output].get());
  }
  read_.clear();
  read_values_.clear();
  std::string left_out;
  for (std::size_t i = 0; i < output_slots_.size(); ++i) {
    const Slot& slot = output_slots_[i];
    if (slot.can_be_bound) {
      if (gpu_memory_ != nullptr && transfer_ == nullptr) {
        gpu_->copy_out(output_buffers_[i], data_of(outputs_[i].get()), slot.bytes());
      }
      read_.push_back({slot, output_buffers_[i]});
      continue;
    }
    const std::vector<ReadTensor> found = tensors_in(runtime_, slot.name, allocated_[i].get(), read_values_);
    read_.insert(read_.end(), found.begin(), found.end());
    if (found.empty()) left_out += (left_out.empty() ? "" : ", ") + slot.name;
  }
  const bool is_said =
      std::any_of(facts_.begin(), facts_.end(), [](const auto& fact) { return fact.first == kLeftOut; });
  if (!left_out.empty() && !is_said) facts_.emplace_back(kLeftOut, left_out);
}

}  // namespace ngb::onnxruntime
