// SPDX-License-Identifier: Apache-2.0
// Outputs that are fed back: the cache of a model that generates tokens.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "model.h"
#include "session.h"

namespace ngb::openvino {
namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

std::uint64_t Session::feed_back(std::span<const ngb_feedback> pairs, std::int64_t row) {
  if (settings_.device != "CPU" || slots_.size() != 1 || settings_.is_profiled) return NGB_FED_BY_HOST;
  if (feeding_ == nullptr || !feeding_->is_on) feeding_ = make_feeding(pairs);
  for (const Feeding::Cache& cache : feeding_->caches) {
    std::memcpy(cache.of_second, cache.start->data, cache.start->size_bytes);
  }
  for (const ngb_feedback& pair : feeding_->growing) {
    set_input(slots_.front()->request.get(), pair.input, bound_[pair.input]);
  }
  feeding_->row = row;
  feeding_->runs = 0;
  feeding_->last = feeding_->second.get();  // the first run is that of the other request
  std::uint64_t copied_bytes = 0;
  for (const RowCopy& rows : feeding_->rows) copied_bytes += rows.bytes();
  return copied_bytes;
}

// The earlier feeding, to whose tensors requests refer, is freed by the caller, after this has set others.
std::unique_ptr<Session::Feeding> Session::make_feeding(std::span<const ngb_feedback> pairs) {
  ov_infer_request_t* const first = slots_.front()->request.get();
  ov_infer_request_t* second = nullptr;
  auto feeding = std::make_unique<Feeding>(Feeding{.second = {nullptr, runtime_.ov_infer_request_free}});
  feeding->has_second = std::any_of(pairs.begin(), pairs.end(), [](const ngb_feedback& pair) {
    return pair.output != NGB_LENGTHENED && pair.axis < 0;
  });
  if (feeding->has_second) {
    runtime_.check(runtime_.ov_compiled_model_create_infer_request(compiled_.get(), &second),
                   "make an inference request");
    feeding->second.reset(second);
    for (std::uint32_t i = 0; i < bound_.size(); ++i) set_input(second, i, bound_[i]);
  }
  for (const ngb_feedback& pair : pairs) {
    const ngb_tensor& input = bound_[pair.input];
    if (pair.output == NGB_LENGTHENED) {
      feeding->lengthened.push_back(pair);
      continue;
    }
    if (pair.axis < 0 && grows(pair.output)) {
      feeding->growing.push_back(pair);
      continue;
    }
    if (pair.axis < 0) {
      const ngb_tensor of_first = make_output(first, input, pair.output, *feeding);
      const ngb_tensor of_second = make_output(second, input, pair.output, *feeding);
      set_input(first, pair.input, of_second);
      set_input(second, pair.input, of_first);
      feeding->caches.push_back({&input, of_second.data});
      continue;
    }
    ov_tensor_t* raw = nullptr;
    runtime_.check(runtime_.ov_infer_request_get_output_tensor_by_index(first, pair.output, &raw), "find an output");
    const std::vector<std::int64_t> shape = output_shape(pair.output, raw);
    std::size_t bytes = 0;
    const ov_status_e status = runtime_.ov_tensor_get_byte_size(raw, &bytes);
    runtime_.ov_tensor_free(raw);
    runtime_.check(status, "read an output's size");
    const ngb_tensor like{input.name,   input.dtype, static_cast<std::int32_t>(shape.size()),
                          shape.data(), nullptr,     bytes};
    if (!RowCopy::is_possible(like, input, pair.axis)) {
      throw plugin::Failure(NGB_INVALID_MODEL, output_name(pair.output) + " has no rows for " + input.name);
    }
    feeding->rows.emplace_back(make_output(first, like, pair.output, *feeding), input, pair.axis);
  }
  feeding->is_on = true;
  return feeding;
}

// Returns whether the output's shape is known only after a run.
bool Session::grows(std::uint32_t index) const {
  ov_partial_shape_t partial{};
  runtime_.check(runtime_.ov_port_get_partial_shape(output(index).get(), &partial), "read an output's shape");
  const bool is_dynamic = runtime_.ov_partial_shape_is_dynamic(partial);
  runtime_.ov_partial_shape_free(&partial);
  return is_dynamic;
}

// Makes the request write an output into memory of the pass. The result has no name.
ngb_tensor Session::make_output(ov_infer_request_t* request, const ngb_tensor& like, std::uint32_t index,
                                Feeding& feeding) {
  void* const memory = std::aligned_alloc(kAlignment, (like.size_bytes / kAlignment + 1) * kAlignment);
  if (memory == nullptr) throw std::bad_alloc();
  feeding.memory.emplace_back(memory);
  ngb_tensor output = like;
  output.data = memory;
  const Owned<ov_tensor_t> wrapped = wrap(runtime_, output);
  runtime_.check(runtime_.ov_infer_request_set_output_tensor_by_index(request, index, wrapped.get()), "set an output");
  return output;
}

void Session::set_input(ov_infer_request_t* request, std::uint32_t index, const ngb_tensor& tensor) {
  const Owned<ov_tensor_t> wrapped = wrap(runtime_, tensor);
  runtime_.check(runtime_.ov_infer_request_set_input_tensor_by_index(request, index, wrapped.get()), "set an input");
}

// Gives the request the inputs that are one longer in each run of a pass.
void Session::lengthen(ov_infer_request_t* request) {
  for (const ngb_feedback& pair : feeding_->lengthened) {
    ngb_tensor longer = bound_[pair.input];
    std::vector<std::int64_t> shape(longer.shape, longer.shape + longer.rank);
    const std::int64_t first = shape[static_cast<std::size_t>(pair.axis)];
    shape[static_cast<std::size_t>(pair.axis)] += feeding_->runs;
    longer.shape = shape.data();
    longer.size_bytes =
        longer.size_bytes / static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(first + feeding_->runs);
    set_input(request, pair.input, longer);
  }
  ++feeding_->runs;
}

// Makes the last run's outputs that grow inputs of the other request.
ov_status_e Session::hand_on_grown() {
  ov_infer_request_t* const first = slots_.front()->request.get();
  ov_infer_request_t* const next = feeding_->last == first ? feeding_->second.get() : first;
  for (const ngb_feedback& pair : feeding_->growing) {
    ov_tensor_t* raw = nullptr;
    ov_status_e status = runtime_.ov_infer_request_get_output_tensor_by_index(feeding_->last, pair.output, &raw);
    if (status != ov_status_e::OK) return status;
    status = runtime_.ov_infer_request_set_input_tensor_by_index(next, pair.input, raw);
    runtime_.ov_tensor_free(raw);
    if (status != ov_status_e::OK) return status;
  }
  return ov_status_e::OK;
}

ov_status_e Session::run_and_feed() {
  ov_infer_request_t* const first = slots_.front()->request.get();
  Feeding& feeding = *feeding_;
  feeding.last = feeding.has_second && feeding.last == first ? feeding.second.get() : first;
  lengthen(feeding.last);
  const ov_status_e status = runtime_.ov_infer_request_infer(feeding.last);
  if (status != ov_status_e::OK) return status;
  if (!feeding.growing.empty()) return hand_on_grown();
  for (const RowCopy& rows : feeding.rows) rows.copy_to(feeding.row);
  if (!feeding.rows.empty()) feeding.row += feeding.rows.front().rows();
  return status;
}

}  // namespace ngb::openvino
