// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ngraphbench/tables.h"

namespace ngb::litert {
namespace {

using nlohmann::json;

struct Row {
  ngb_dtype ours;
  int theirs;
};
constexpr std::array<Row, 6> kTypes{{{NGB_F32, api::kF32},
                                     {NGB_I64, api::kI64},
                                     {NGB_I32, api::kI32},
                                     {NGB_BOOL, api::kBool},
                                     {NGB_U8, api::kU8},
                                     {NGB_I8, api::kI8}}};

int type_of(ngb_dtype ours, const std::string& tensor) {
  for (const Row& row : kTypes) {
    if (row.ours == ours) return row.theirs;
  }
  throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR,
                        "\"" + tensor + "\" has an element type that litert does not support");
}

ngb_dtype type_of(int theirs, const std::string& tensor) {
  for (const Row& row : kTypes) {
    if (row.theirs == theirs) return row.ours;
  }
  throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR, "\"" + tensor + "\" has an element type that cannot be read");
}

std::size_t elements_of(const api::Layout& layout) {
  std::size_t count = 1;
  for (unsigned i = 0; i < layout.rank; ++i) count *= static_cast<std::size_t>(layout.dimensions[i]);
  return count;
}

constexpr const char* kProgram = "model.tflite";

std::ptrdiff_t count_threads() {
  std::error_code code;
  return std::distance(std::filesystem::directory_iterator("/proc/self/task", code),
                       std::filesystem::directory_iterator());
}

// LiteRT's converter makes 32-bit integers of those with 64 bits.
template <class To, class From>
std::vector<char> converted(const void* data, std::size_t count) {
  const auto* const from = static_cast<const From*>(data);
  std::vector<To> to(from, from + count);
  std::vector<char> bytes(count * sizeof(To));
  std::memcpy(bytes.data(), to.data(), bytes.size());
  return bytes;
}

std::size_t place_of(const std::vector<Slot>& slots, const std::string& key) {
  const auto found = std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return slot.key == key; });
  if (found != slots.end()) return static_cast<std::size_t>(found - slots.begin());
  throw plugin::Failure(NGB_INTERNAL, "LiteRT's file has no input or output \"" + key + "\"");
}

}  // namespace

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : CompiledElsewhere(kProgram),
      settings_(given),
      has_delegate_(options.text("delegate") == "xnnpack"),
      runtime_(settings_.toolchain_dir),
      run_(runtime_.run()) {
  if (settings_.has_compiled_file) {
    facts_.emplace_back("version", plugin::version_of(settings_.toolchain_dir, "ai_edge_litert"));
  } else {
    start_process("litert", given, {{"JAX_PLATFORMS", "cpu"}, {"OMP_NUM_THREADS", std::to_string(settings_.threads)}});
  }
  facts_.insert(facts_.end(), {{"device", "cpu"}, {"precision", settings_.precision}});
  if (is_half() && !has_delegate_) {
    throw plugin::Failure(NGB_INVALID_OPTION, "only XNNPACK computes in f16, LiteRT's own kernels do not",
                          "remove the option delegate, or use precision: f32");
  }
}

void Session::compile(const ngb_model& model) {
  compile_elsewhere(model, {{"threads", settings_.threads}, {"has_delegate", has_delegate_}});
}

void Session::load(const ngb_model& model) {
  const plugin::ArtifactFolder artifact = end_process(model);
  model_ = runtime_.model_of(settings_.has_compiled_file ? model.path : artifact.program);
  input_slots_ = runtime_.inputs_of(model_.get());
  output_slots_ = runtime_.outputs_of(model_.get());
  if (settings_.has_compiled_file) {
    name_by_file(model);
  } else {
    name_by_signature(artifact.read_signature());
  }
  place_outputs();
  const std::ptrdiff_t before = count_threads();
  plain_.emplace(prepare({.is_half = is_half()}));
  const std::ptrdiff_t threads = 1 + count_threads() - before;
  if (has_delegate_) {
    plugin::check_threads("XNNPACK", threads, settings_.threads);
    facts_.emplace_back("threads", std::to_string(threads));
  }
  const bool is_full = runtime_.is_fully_delegated(plain_->prepared.get());
  facts_.emplace_back("delegate", has_delegate_ ? "xnnpack" : "none");
  facts_.emplace_back("is_fully_delegated", is_full ? "true" : "false");
}

void Session::name_by_signature(const json& signature) {
  input_keys_ = signature.at("inputs").get<std::vector<std::string>>();
  outputs_.clear();
  for (const json& each : signature.at("outputs")) {
    const table::TypeRow* const type = table::type_row(each.at("dtype").get<std::string>());
    if (type == nullptr) throw plugin::Failure(NGB_INTERNAL, "an output has an unknown type");
    outputs_.push_back({.name = each.at("name"), .key = each.at("key"), .type = type->type});
  }
}

// A user's file has the names itself.
void Session::name_by_file(const ngb_model& model) {
  input_keys_.clear();
  for (std::uint32_t i = 0; i < model.input_count; ++i) input_keys_.emplace_back(model.inputs[i].name);
  outputs_.clear();
  for (const Slot& slot : output_slots_) {
    outputs_.push_back({.name = slot.key, .key = slot.key, .type = type_of(slot.type.element_type, slot.key)});
  }
}

void Session::place_outputs() {
  for (Output& output : outputs_) {
    output.place = place_of(output_slots_, output.key);
    const api::Layout& layout = output_slots_[output.place].type.layout;
    output.shape.assign(layout.dimensions, layout.dimensions + layout.rank);
  }
}

Session::Prepared Session::prepare(Preparation how) const {
  how.threads = settings_.threads;
  how.has_delegate = has_delegate_;
  Prepared made{.prepared = runtime_.prepare(model_.get(), how)};
  for (std::size_t i = 0; i < input_slots_.size(); ++i) {
    made.buffers.push_back(runtime_.input_buffer(made.prepared.get(), i, input_slots_[i].type));
    made.arguments.push_back(made.buffers.back().get());
  }
  for (std::size_t i = 0; i < output_slots_.size(); ++i) {
    made.buffers.push_back(runtime_.output_buffer(made.prepared.get(), i, output_slots_[i].type));
    made.results.push_back(made.buffers.back().get());
  }
  return made;
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  inputs_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    const ngb_tensor& given = inputs[i];
    const Slot& slot = input_slots_[place_of(input_slots_, input_keys_.at(i))];
    const std::size_t elements = elements_of(slot.type.layout);
    const bool is_narrowed = given.dtype == NGB_I64 && slot.type.element_type == api::kI32;
    if (!is_narrowed && type_of(given.dtype, given.name) != slot.type.element_type) {
      throw plugin::Failure(NGB_INTERNAL, std::string("LiteRT's file has another type for \"") + given.name + "\"");
    }
    const auto* const bytes = static_cast<const char*>(given.data);
    inputs_.push_back({slot.key, is_narrowed ? converted<std::int32_t, std::int64_t>(given.data, elements)
                                             : std::vector<char>(bytes, bytes + given.size_bytes)});
  }
  fill(*plain_);
  running_ = &*plain_;
  if (is_half() && !is_told_) require_half();
}

// XNNPACK computes in f32 where the processor has no instructions for f16.
void Session::require_half() {
  const std::vector<std::vector<char>> ours = outputs_now();
  Prepared in_f32 = prepare({});
  fill(in_f32);
  running_ = &in_f32;
  const std::vector<std::vector<char>> theirs = outputs_now();
  running_ = &*plain_;
  if (ours == theirs) {
    throw plugin::Failure(NGB_FALLBACK,
                          "LiteRT was told to compute in f16, and its outputs are those of f32, bit for bit: here it "
                          "computes in f32",
                          "measure litert in f32 on this processor");
  }
  is_told_ = true;
}

std::vector<std::vector<char>> Session::outputs_now() {
  if (const int status = run(); status != 0) fail(status);
  std::vector<std::vector<char>> outputs;
  for (std::uint32_t i = 0; i < outputs_.size(); ++i) {
    read(i);
    outputs.push_back(outputs_[i].data);
  }
  return outputs;
}

void Session::fill(Prepared& prepared) const {
  for (const Input& input : inputs_) {
    runtime_.write(prepared.arguments[place_of(input_slots_, input.key)], input.data.data(), input.data.size());
  }
}

ngb_tensor Session::read(std::uint32_t index) {
  Output& read = outputs_[index];
  const api::TensorType& type = output_slots_[read.place].type;
  const std::size_t elements = elements_of(type.layout);
  const bool is_narrowed = read.type == NGB_I64 && type.element_type == api::kI32;
  if (!is_narrowed && type_of(read.type, read.name) != type.element_type) {
    throw plugin::Failure(NGB_INTERNAL, "LiteRT's file has another type for \"" + read.name + "\"");
  }
  read.data.resize(elements * (is_narrowed ? sizeof(std::int32_t) : table::type_row(read.type)->size_bytes));
  runtime_.read(running_->results[read.place], read.data.data(), read.data.size());
  if (is_narrowed) read.data = converted<std::int64_t, std::int32_t>(read.data.data(), elements);
  return {read.name.c_str(), read.type,        static_cast<std::int32_t>(read.shape.size()),
          read.shape.data(), read.data.data(), read.data.size()};
}

}  // namespace ngb::litert
