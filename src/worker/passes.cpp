// SPDX-License-Identifier: Apache-2.0
#include "worker/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/random.h"
#include "ngraphbench/rows.h"
#include "worker/in_flight.h"

namespace ngb::worker {
namespace {

constexpr float kStale = 1000;  // in rows that no token has written

TensorSignature signature_of(const ngb_tensor& tensor) {
  return {tensor.name == nullptr ? "" : tensor.name,
          static_cast<DataType>(tensor.dtype),
          {tensor.shape, tensor.shape + tensor.rank}};
}

void make_stale(const ngb_tensor& tensor, int axis, std::size_t from) {
  if (tensor.dtype != NGB_F32) return;
  const RowBlocks blocks(tensor, axis);
  const std::size_t of_row = blocks.row_bytes / sizeof(float);
  auto* const elements = static_cast<float*>(tensor.data);
  for (std::size_t i = 0; i < blocks.count; ++i) {
    float* const block = elements + i * blocks.rows * of_row;
    std::fill(block + from * of_row, block + blocks.rows * of_row, kStale);
  }
}

void fill_with_number(const ngb_tensor& tensor, std::int64_t number) {
  const auto set = [&]<class T>(T* elements) {
    std::fill_n(elements, tensor.size_bytes / sizeof(T), static_cast<T>(number));
  };
  if (tensor.dtype == NGB_I64) set(static_cast<std::int64_t*>(tensor.data));
  if (tensor.dtype == NGB_I32) set(static_cast<std::int32_t*>(tensor.data));
  if (tensor.dtype == NGB_BOOL) set(static_cast<std::uint8_t*>(tensor.data));
}

}  // namespace

Result<Passes> Passes::make(const work::Model& model, std::uint64_t seed, const Target& target, const Inputs& inputs) {
  Passes passes;
  const work::Decoding& decoding = *model.decoding;
  passes.decoding_ = &decoding;
  passes.target_ = target;
  passes.inputs_ = inputs.tensors();
  std::vector<std::string> needed{decoding.ids};
  for (const work::Counter& counter : decoding.counters) needed.push_back(counter.input);
  for (const work::CachePart& part : decoding.parts) needed.push_back(part.input);
  if (!decoding.mask.empty()) needed.push_back(decoding.mask);
  for (const std::string& name : needed) {
    if (passes.place_of(name) == passes.inputs_.size()) return fail(fmt::format("there is no input \"{}\"", name));
  }
  passes.ids_ = passes.inputs_[passes.place_of(decoding.ids)];
  for (const work::Counter& counter : decoding.counters) {
    passes.counters_.emplace_back(passes.inputs_[passes.place_of(counter.input)], counter.offset);
  }
  for (const work::CachePart& part : decoding.parts) {
    const std::size_t place = passes.place_of(part.input);
    passes.pairs_.push_back({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(part.output), part.axis});
    passes.add_part(place, part.grows);
  }
  if (!decoding.mask.empty()) passes.add_mask();
  passes.draw_ids(model, seed);
  if (const Status made = passes.make_room(); !made) return error_of(made);
  if (!decoding.is_stateful) return passes;
  if (target.compiler->reset_state == nullptr) return fail("this compiler cannot empty what a model keeps");
  if (const Status made = passes.make_prompt(model, seed); !made) return error_of(made);
  return passes;
}

std::size_t Passes::place_of(const std::string& input) const {
  const auto found =
      std::find_if(inputs_.begin(), inputs_.end(), [&](const ngb_tensor& each) { return each.name == input; });
  return static_cast<std::size_t>(found - inputs_.begin());
}

void Passes::add_part(std::size_t place, bool grows) {
  const ngb_tensor& tensor = inputs_[place];
  make_stale(tensor, decoding_->rows_axis, static_cast<std::size_t>(decoding_->context));
  parts_.push_back({tensor, std::string(static_cast<const char*>(tensor.data), tensor.size_bytes), place, grows});
}

void Passes::add_mask() {
  mask_ = place_of(decoding_->mask);
  if (!decoding_->mask_grows) return;
  pairs_.push_back({static_cast<std::uint32_t>(*mask_), NGB_LENGTHENED, inputs_[*mask_].rank - 1});
  is_bound_ = false;
}

// Gives the parts that grow memory for all rows of a pass, and a mask that grows memory for its last length.
Status Passes::make_room() {
  bound_.assign(inputs_.begin(), inputs_.end());
  std::vector<std::size_t> places;
  std::vector<TensorSignature> longest;
  const auto add = [&](std::size_t place, std::size_t axis, std::int64_t more) {
    places.push_back(place);
    longest.push_back(signature_of(inputs_[place]));
    longest.back().shape[axis] += more;
  };
  for (const Part& part : parts_) {
    if (part.grows) add(part.place, static_cast<std::size_t>(decoding_->rows_axis), decoding_->new_tokens);
  }
  if (decoding_->mask_grows) add(*mask_, static_cast<std::size_t>(inputs_[*mask_].rank - 1), decoding_->new_tokens - 1);
  for (const ngb_tensor& tensor : bound_) shapes_.push_back(signature_of(tensor).shape);
  if (longest.empty()) return Done{};
  Result<Inputs> made = Inputs::make(longest, 0);
  if (!made) return error_of(made);
  grown_ = *std::move(made);
  for (std::size_t i = 0; i < places.size(); ++i) bound_[places[i]].data = grown_->tensors()[i].data;
  if (decoding_->mask_grows) fill_with_number(grown_->tensors().back(), 1);
  return Done{};
}

// Makes an input that is bound so many rows long.
void Passes::grow(std::size_t place, std::size_t axis, std::int64_t rows) {
  std::vector<std::int64_t>& shape = shapes_[place];
  shape[axis] = rows;
  bound_[place].shape = shape.data();
  bound_[place].size_bytes = TensorSignature{{}, static_cast<DataType>(bound_[place].dtype), shape}.element_count() *
                             size_bytes(static_cast<DataType>(bound_[place].dtype));
}

void Passes::draw_ids(const work::Model& model, std::uint64_t seed) {
  const work::InputValues* const values = work::values_of(model.values, decoding_->ids);
  const auto type = static_cast<DataType>(ids_.dtype);
  const std::uint64_t count = ids_.size_bytes / size_bytes(type);
  ids_of_steps_.resize(steps() * ids_.size_bytes);
  for (std::size_t step = 0; step < steps(); ++step) {
    char* const ids = ids_of_steps_.data() + step * ids_.size_bytes;
    const std::uint64_t of_step = mix64(seed ^ fnv1a64("new_tokens")) + step;
    if (values != nullptr && values->range)
      fill(type, of_step, decoding_->ids, *values->range, ids, count);
    else
      std::memcpy(ids, ids_.data, ids_.size_bytes);  // those of the study's file
  }
}

// Makes the inputs of the run that reads the context: its tokens, their places, and a mask that shows all of them.
// Tokens that the study gives in a file are repeated.
Status Passes::make_prompt(const work::Model& model, std::uint64_t seed) {
  const work::InputValues* const of_ids = work::values_of(model.values, decoding_->ids);
  const bool are_drawn = of_ids != nullptr && of_ids->range;
  std::vector<work::InputValues> values{{.input = decoding_->ids, .range = {{0, 0}}}};
  if (are_drawn) values.front().range = of_ids->range;
  if (mask_) values.push_back({.input = decoding_->mask, .range = {{1, 1}}});
  for (const work::Counter& counter : decoding_->counters) {
    values.push_back({.input = counter.input, .range = {{0, decoding_->context - 1}}, .counts = true});
  }
  std::vector<TensorSignature> signatures = model.inputs;
  for (TensorSignature& signature : signatures) {
    if (work::values_of(values, signature.name) != nullptr) signature.shape.back() = decoding_->context;
  }
  values.insert(values.end(), model.values.begin(), model.values.end());  // of other inputs
  Result<Inputs> made = Inputs::make(signatures, seed);
  if (!made) return error_of(made);
  if (const Status put = made->put(values, model.files, model.key.batch, seed); !put) return put;
  prompt_ = *std::move(made);
  const ngb_tensor& ids = prompt_->tensors()[place_of(decoding_->ids)];
  for (std::uint64_t at = 0; at < ids.size_bytes && !are_drawn; at += ids_.size_bytes) {
    std::memcpy(static_cast<char*>(ids.data) + at, ids_.data, ids_.size_bytes);
  }
  return Done{};
}

ngb_status Passes::bind(std::span<const ngb_tensor> inputs) {
  return target_.compiler->bind(target_.session, inputs.data(), static_cast<std::uint32_t>(inputs.size()),
                                target_.error);
}

ngb_status Passes::read_prompt() {
  ngb_status status = target_.compiler->reset_state(target_.session, target_.error);
  if (status == NGB_OK) status = bind(prompt_->tensors());
  if (status == NGB_OK) status = target_.compiler->run(target_.session, target_.error);
  is_bound_ = false;
  return status;
}

// Returns to the start of a pass.
ngb_status Passes::begin() {
  for (const Part& part : parts_) {
    std::memcpy(part.into.data, part.start.data(), part.start.size());
    if (!part.grows) continue;
    std::memcpy(bound_[part.place].data, part.start.data(), part.start.size());
    grow(part.place, static_cast<std::size_t>(decoding_->rows_axis), decoding_->context);
  }
  if (mask_) write_mask(decoding_->context + 1);
  if (keeps_) kept_.clear();
  std::uint64_t copied = NGB_FED_BY_HOST;
  ngb_status status = decoding_->is_stateful ? read_prompt() : NGB_OK;
  if (!is_bound_ && status == NGB_OK) status = bind(bound_);
  is_bound_ = true;
  if (status == NGB_OK && target_.compiler->feed_back != nullptr) {
    status = target_.compiler->feed_back(target_.session, pairs_.data(), static_cast<std::uint32_t>(pairs_.size()),
                                         decoding_->context, &copied, target_.error);
  }
  is_fed_by_host_ = copied == NGB_FED_BY_HOST;
  copied_bytes_ = is_fed_by_host_ ? 0 : copied;
  return status;
}

void Passes::write_step(std::size_t step) {
  std::memcpy(ids_.data, ids_of_steps_.data() + step * ids_.size_bytes, ids_.size_bytes);
  const std::int64_t before = decoding_->context + static_cast<std::int64_t>(step);
  for (const auto& [counter, offset] : counters_) fill_with_number(counter, before + offset);
  if (mask_ && step > 0) write_mask(before + 1);
}

// Shows so many tokens to the next step.
void Passes::write_mask(std::int64_t tokens) {
  const ngb_tensor& mask = inputs_[*mask_];
  if (decoding_->mask_grows) {  // all of its elements are 1; a plugin that feeds back lengthens it by itself
    if (is_fed_by_host_ || tokens == decoding_->context + 1)
      grow(*mask_, static_cast<std::size_t>(mask.rank - 1), tokens);
    return;
  }
  const auto length = static_cast<std::uint64_t>(mask.shape[mask.rank - 1]);
  const auto set = [&]<class T>(T* elements) {
    for (std::uint64_t i = 0; i < mask.size_bytes / sizeof(T); ++i) {
      elements[i] = static_cast<T>(i % length < static_cast<std::uint64_t>(tokens) ? 1 : 0);
    }
  };
  if (mask.dtype == NGB_I64) set(static_cast<std::int64_t*>(mask.data));
  if (mask.dtype == NGB_I32) set(static_cast<std::int32_t*>(mask.data));
  if (mask.dtype == NGB_BOOL) set(static_cast<std::uint8_t*>(mask.data));
}

std::size_t Passes::repeat(const Times& times, std::span<std::int64_t> latencies_ns, samples::RunCount& done,
                           ngb_status* status) {
  const std::size_t stride = latency_stride(steps());
  const std::size_t kept_of_pass = latency_count(steps());
  for (std::size_t pass = 0; pass < times.walls_ns.size(); ++pass) {
    *status = begin();
    std::int64_t sum_ns = 0;
    for (std::size_t step = 0; step < steps() && *status == NGB_OK; ++step) {
      write_step(step);
      const std::int64_t begin_ns = now_ns();
      *status = run_step(step);
      const std::int64_t wall_ns = now_ns() - begin_ns;
      if (step == 0) times.begins_ns[pass] = begin_ns;
      sum_ns += wall_ns;
      const std::size_t place = pass * kept_of_pass + step / stride;
      if (step % stride == 0 && place < latencies_ns.size()) latencies_ns[place] = wall_ns;
      if (keeps_ && *status == NGB_OK) *status = keep_step(step);
    }
    if (*status != NGB_OK) return pass;
    keeps_ = false;
    times.walls_ns[pass] = sum_ns;
    done.repetitions.fetch_add(1, std::memory_order_relaxed);
    done.inferences.fetch_add(steps(), std::memory_order_relaxed);
  }
  return times.walls_ns.size();
}

ngb_status Passes::run_and_copy(std::size_t step) {
  const ngb_compiler& compiler = *target_.compiler;
  ngb_status status = bind(bound_);
  if (status == NGB_OK) status = compiler.run(target_.session, target_.error);
  copied_bytes_ = 0;
  for (std::size_t i = 0; i < parts_.size() && status == NGB_OK; ++i) {
    status = copy_back(i, step);
  }
  return status;
}

ngb_status Passes::copy_back(std::size_t part, std::size_t step) {
  const ngb_feedback& pair = pairs_[part];
  const ngb_tensor& into = parts_[part].into;
  ngb_tensor output{};
  std::uint32_t count = 0;
  const ngb_status status = target_.compiler->read(target_.session, pair.output, &output, &count, target_.error);
  if (status != NGB_OK) return status;
  const std::int64_t row = decoding_->context + static_cast<std::int64_t>(step);
  if (pair.axis >= 0 && RowCopy::is_possible(output, into, pair.axis) &&
      row + output.shape[pair.axis] <= into.shape[pair.axis]) {
    const RowCopy rows(output, into, pair.axis);
    rows.copy_to(row);
    copied_bytes_ += rows.bytes();
    return NGB_OK;
  }
  const auto rows = row + 1;  // one token
  if (parts_[part].grows && output.rank == into.rank && output.shape[decoding_->rows_axis] == rows) {
    grow(parts_[part].place, static_cast<std::size_t>(decoding_->rows_axis), rows);
    if (bound_[parts_[part].place].size_bytes == output.size_bytes) {
      std::memcpy(bound_[parts_[part].place].data, output.data, output.size_bytes);
      copied_bytes_ += output.size_bytes;
      return NGB_OK;
    }
  }
  if (pair.axis < 0 && output.size_bytes == into.size_bytes) {
    std::memcpy(into.data, output.data, into.size_bytes);
    copied_bytes_ += into.size_bytes;
    return NGB_OK;
  }
  const auto end = fmt::format_to_n(target_.error->message, sizeof target_.error->message - 1,
                                    "output {} has {} bytes and does not fit the input \"{}\" of {}, into which it is "
                                    "fed back",
                                    pair.output, output.size_bytes, into.name, into.size_bytes);
  *end.out = '\0';
  return NGB_INVALID_MODEL;
}

ngb_status Passes::keep_step(std::size_t step) {
  std::uint32_t count = 0;
  ngb_status status = target_.compiler->read(target_.session, UINT32_MAX, nullptr, &count, target_.error);
  kept_.resize(count);
  for (std::uint32_t i = 0; i < count && status == NGB_OK; ++i) {
    ngb_tensor tensor{};
    status = target_.compiler->read(target_.session, i, &tensor, &count, target_.error);
    if (status == NGB_OK) keep_output(i, tensor, step);
  }
  return status;
}

void Passes::keep_output(std::uint32_t index, const ngb_tensor& tensor, std::size_t step) {
  const bool is_whole_cache = std::any_of(pairs_.begin(), pairs_.end(), [index](const ngb_feedback& pair) {
    return pair.output == index && pair.axis < 0;
  });
  Kept& kept = kept_[index];
  const auto* const data = static_cast<const char*>(tensor.data);
  const int axis = decoding_->rows_axis;
  const auto from = static_cast<std::size_t>(decoding_->context);
  if (is_whole_cache && step + 1 < steps()) return;
  if (is_whole_cache && tensor.rank > axis &&
      tensor.shape[axis] >= decoding_->context + static_cast<std::int64_t>(steps())) {
    kept.signature = signature_of(tensor);
    kept.signature.shape[static_cast<std::size_t>(axis)] = steps();
    const RowBlocks blocks(tensor, axis);
    for (std::size_t i = 0; i < blocks.count; ++i) {
      kept.bytes.append(data + (i * blocks.rows + from) * blocks.row_bytes, steps() * blocks.row_bytes);
    }
    return;
  }
  if (step == 0 || is_whole_cache) {
    kept.signature = signature_of(tensor);
    if (!is_whole_cache) kept.signature.shape.insert(kept.signature.shape.begin(), steps());
  }
  kept.bytes.append(data, tensor.size_bytes);
}

std::vector<OutputView> Passes::outputs() const {
  std::vector<OutputView> views;
  for (const Kept& kept : kept_) views.push_back({kept.signature, kept.bytes.data()});
  return views;
}

std::uint64_t Passes::cache_bytes() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) {
    TensorSignature last = signature_of(part.into);
    if (part.grows) last.shape[static_cast<std::size_t>(decoding_->rows_axis)] += decoding_->new_tokens;
    sum += last.element_count() * size_bytes(last.type);
  }
  return sum;
}

void Passes::add_to(samples::ProcessResult& result) const {
  result.facts["feeding_back"] = decoding_->is_stateful ? "by the model, which keeps its cache"
                                 : is_fed_by_host_ ? "outputs are copied to inputs, which are bound again at each step"
                                                   : "by the compiler";
  const auto add = [&](const char* quantity, const char* unit, std::uint64_t value) {
    result.readings.push_back({quantity, unit, "timed", Known<double>::of(static_cast<double>(value))});
  };
  add("new_tokens", "1", steps());
  if (!parts_.empty()) add("cache_bytes", "bytes", cache_bytes());  // else the model does not tell it
  add("copied_bytes_per_token", "bytes", copied_bytes_);
  if (decoding_->bytes_per_token > 0) add("bytes_per_token", "bytes", decoding_->bytes_per_token);
}

}  // namespace ngb::worker
