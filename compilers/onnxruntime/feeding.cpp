// SPDX-License-Identifier: Apache-2.0
// Outputs that are fed back: the cache of a model that generates tokens.
#include "session.h"

namespace ngb::onnxruntime {
namespace {

ngb_tensor tensor_of(const Slot& slot, void* data) {
  return {slot.name.c_str(), slot.type, static_cast<std::int32_t>(slot.shape.size()),
          slot.shape.data(), data,      slot.bytes()};
}

}  // namespace

std::uint64_t Session::feed_back(std::span<const ngb_feedback> pairs, std::int64_t row) {
  if (settings_.provider != "cpu" || slots_ > 1 || !are_all_bound_) return NGB_FED_BY_HOST;
  row_ = row;
  if (!is_feeding_) {
    trusts_shapes_ = false;  // a run that fails is not repeated with other outputs
    row_copies_.clear();
    growing_.clear();
    grown_.clear();
    lengthened_.clear();
    for (const ngb_feedback& pair : pairs) {
      if (pair.output == NGB_LENGTHENED)
        add_lengthened(pair);
      else if (pair.axis < 0)
        bind_whole(pair);
      else
        add_row_copy(pair);
    }
    is_feeding_ = true;
  }
  for (const ngb_feedback& pair : growing_) {
    runtime_.check(api_.BindInput(binding_.get(), input_names_[pair.input].c_str(), inputs_[pair.input].get()),
                   "bind an input");
  }
  for (Lengthened& each : lengthened_) each.next.shape = each.first;
  runtime_.check(bind_lengthened(), "bind an input");
  std::uint64_t copied_bytes = 0;
  for (const RowCopy& rows : row_copies_) copied_bytes += rows.bytes();
  return copied_bytes;
}

void Session::add_lengthened(const ngb_feedback& pair) {
  Slot slot = slot_of(runtime_, {.name = input_names_[pair.input]}, inputs_[pair.input].get());
  std::vector<std::int64_t> first = slot.shape;
  lengthened_.push_back({pair, std::move(first), std::move(slot), {nullptr, api_.ReleaseValue}});
}

// Binds inputs with the length that they have in the next run, and makes them one longer for the one after it.
OrtStatus* Session::bind_lengthened() {
  for (Lengthened& each : lengthened_) {
    OrtValue* value = nullptr;
    const Slot& slot = each.next;
    OrtStatus* status =
        api_.CreateTensorWithDataAsOrtValue(memory_.get(), data_of(inputs_[each.pair.input].get()), slot.bytes(),
                                            slot.shape.data(), slot.shape.size(), element_type(slot.type), &value);
    if (status != nullptr) return status;
    each.value = {value, api_.ReleaseValue};
    status = api_.BindInput(binding_.get(), slot.name.c_str(), value);
    if (status != nullptr) return status;
    ++each.next.shape[static_cast<std::size_t>(each.pair.axis)];
  }
  return nullptr;
}

void Session::bind_whole(const ngb_feedback& pair) {
  OrtValue* const input = inputs_[pair.input].get();
  const Slot& output = output_slots_[pair.output];
  if (slot_of(runtime_, output, input).shape != output.shape) {  // it is longer than what it replaces
    growing_.push_back(pair);
    return;
  }
  runtime_.check(api_.BindOutput(binding_.get(), output.name.c_str(), input), "bind an output");
  output_buffers_[pair.output] = data_of(input);
}

void Session::add_row_copy(const ngb_feedback& pair) {
  const Slot& output = output_slots_[pair.output];
  const Slot input = slot_of(runtime_, output, inputs_[pair.input].get());
  const ngb_tensor from = tensor_of(output, output_buffers_[pair.output]);
  const ngb_tensor into = tensor_of(input, data_of(inputs_[pair.input].get()));
  if (!RowCopy::is_possible(from, into, pair.axis)) {
    throw plugin::Failure(NGB_INVALID_MODEL, output.name + " has no rows for " + input_names_[pair.input]);
  }
  row_copies_.emplace_back(from, into, pair.axis);
}

// Makes the last run's outputs that grow inputs of the next one.
OrtStatus* Session::hand_on_grown() {
  OrtAllocator* allocator = nullptr;
  if (OrtStatus* const status = api_.GetAllocatorWithDefaultOptions(&allocator)) return status;
  OrtValue** values = nullptr;
  std::size_t count = 0;
  if (OrtStatus* const status = api_.GetBoundOutputValues(binding_.get(), allocator, &values, &count)) return status;
  grown_.clear();
  for (std::size_t i = 0; i < count; ++i) grown_.emplace_back(values[i], api_.ReleaseValue);
  if (OrtStatus* const status = api_.AllocatorFree(allocator, static_cast<void*>(values))) return status;
  for (const ngb_feedback& pair : growing_) {
    OrtValue* const value = grown_[pair.output].get();
    if (OrtStatus* const status = api_.BindInput(binding_.get(), input_names_[pair.input].c_str(), value))
      return status;
  }
  return nullptr;
}

OrtStatus* Session::run_and_feed() {
  for (const ngb_feedback& pair : growing_) {  // else the library would keep the last run's output, and its shape
    const char* const name = output_slots_[pair.output].name.c_str();
    if (OrtStatus* const status = api_.BindOutputToDevice(binding_.get(), name, memory_.get())) return status;
  }
  OrtStatus* const status = api_.RunWithBinding(session_.get(), run_options_.get(), binding_.get());
  if (status != nullptr) return status;
  if (OrtStatus* const bound = bind_lengthened()) return bound;
  if (!growing_.empty()) return hand_on_grown();
  for (const RowCopy& rows : row_copies_) rows.copy_to(row_);
  if (!row_copies_.empty()) row_ += row_copies_.front().rows();
  return nullptr;
}

}  // namespace ngb::onnxruntime
