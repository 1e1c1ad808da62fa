// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "ngraphbench/tables.h"

namespace ngb::executorch {
namespace {

using nlohmann::json;

struct Row {
  ngb_dtype ours;
  int theirs;  // PyTorch's number of the type
};
constexpr std::array<Row, 9> kTypes{{{NGB_F32, 6},
                                     {NGB_F16, 5},
                                     {NGB_BF16, 15},
                                     {NGB_F64, 7},
                                     {NGB_I64, 4},
                                     {NGB_I32, 3},
                                     {NGB_I8, 1},
                                     {NGB_U8, 0},
                                     {NGB_BOOL, 11}}};

template <class Is>
const Row& row_where(Is is, const std::string& tensor) {
  const auto* const row = std::find_if(kTypes.begin(), kTypes.end(), is);
  if (row != kTypes.end()) return *row;
  throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR,
                        "\"" + tensor + "\" is no tensor of a type that executorch supports here");
}

constexpr const char* kProgram = "model.pte";

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kReadBeyond = 64;  // XNNPACK may read a few bytes past the end of a tensor

}  // namespace

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : CompiledElsewhere(kProgram),
      settings_(given),
      has_xnnpack_(options.text("delegate") == "xnnpack"),
      runtime_(settings_.toolchain_dir, has_xnnpack_, settings_.threads) {
  if (settings_.has_compiled_file) {
    facts_.emplace_back("version", plugin::version_of(settings_.toolchain_dir, "executorch"));
  } else {
    start_process("executorch", given, {{"OMP_NUM_THREADS", std::to_string(settings_.threads)}});
  }
  facts_.insert(facts_.end(), {{"device", "cpu"}, {"precision", settings_.precision}});
  plugin::check_threads("ExecuTorch", static_cast<std::int64_t>(runtime_.threads()), settings_.threads);
  facts_.emplace_back("threads", std::to_string(runtime_.threads()));
}

void Session::compile(const ngb_model& model) {
  compile_elsewhere(
      model, {{"threads", settings_.threads}, {"has_xnnpack", has_xnnpack_}, {"precision", settings_.precision}});
}

void Session::load(const ngb_model& model) {
  const plugin::ArtifactFolder artifact = end_process(model);
  path_ = settings_.has_compiled_file ? model.path : artifact.program;
  if (!settings_.has_compiled_file) learn(artifact.read_signature());
  refuse_missing_kernels();
  plain_ = open(false);
  running_ = plain_.get();
  if (settings_.has_compiled_file) number(model.input_count);
  if (settings_.is_profiled) profiled_ = open(true);  // the file may be gone later
  facts_.emplace_back("delegate", running_->uses_backend("XnnpackBackend") ? "xnnpack" : "none");
}

void Session::learn(const json& signature) {
  places_ = signature.at("inputs").get<std::vector<std::size_t>>();
  calls_ = signature.at("calls").get<std::vector<std::string>>();
  outputs_.clear();
  for (const json& name : signature.at("outputs")) outputs_.push_back({.name = name});
}

// A user's file has no names: its inputs and outputs are counted.
void Session::number(std::size_t inputs) {
  places_.resize(inputs);
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  outputs_.clear();
  for (std::size_t i = 0; i < output_count(); ++i) outputs_.push_back({.name = "output" + std::to_string(i)});
  const Calls calls = running_->count_calls();
  facts_.emplace_back("delegates", std::to_string(calls.delegates));
  facts_.emplace_back("not_delegated", std::to_string(calls.others));
}

// ExecuTorch itself names one at a time, in its log.
void Session::refuse_missing_kernels() const {
  std::string missing;
  for (const std::string& call : calls_) {
    const bool is_kernel = call.find("::") != std::string::npos;
    if (!is_kernel || runtime_.has_kernel(call) || missing.find(call) != std::string::npos) continue;
    missing += (missing.empty() ? "" : ", ") + call;
  }
  if (missing.empty()) return;
  throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR, "ExecuTorch has no kernel for " + missing,
                        "leave this model out for executorch");
}

std::unique_ptr<Program> Session::open(bool is_profiled) const {
  std::unique_ptr<Program> program = runtime_.open(path_, is_profiled);
  std::string why;
  bool is_out_of_memory = false;
  if (program->load(why, is_out_of_memory)) return program;
  throw plugin::Failure(is_out_of_memory ? NGB_OUT_OF_MEMORY : NGB_COMPILER_FAILED,
                        "ExecuTorch cannot load its program: " + why + "; its words are in the log of this attempt");
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  memory_.clear();
  inputs_.assign(count, {});
  for (std::uint32_t i = 0; i < count; ++i) {
    const ngb_tensor& given = inputs[i];
    const std::size_t room = (given.size_bytes + kReadBeyond + kAlignment - 1) / kAlignment * kAlignment;
    memory_.emplace_back(std::aligned_alloc(kAlignment, room));
    if (memory_.back() == nullptr) throw plugin::Failure(NGB_OUT_OF_MEMORY, "no memory for the inputs");
    std::memcpy(memory_.back().get(), given.data, given.size_bytes);
    Tensor& input = inputs_.at(places_.at(i));
    input.type = row_where([&](const Row& row) { return row.ours == given.dtype; }, given.name).theirs;
    input.shape.assign(given.shape, given.shape + given.rank);
    input.data = memory_.back().get();
    input.size_bytes = given.size_bytes;
  }
  std::string why;
  if (!plain_->set_inputs(inputs_, why)) throw plugin::Failure(NGB_INTERNAL, "ExecuTorch refuses an input: " + why);
  running_ = plain_.get();
}

void Session::fail(std::uint32_t error) const {
  throw plugin::Failure(NGB_COMPILER_FAILED, std::string("ExecuTorch cannot run the model: ") +
                                                 running_->error_called(error) +
                                                 "; its words are in the log of this attempt");
}

ngb_tensor Session::read(std::uint32_t index) {
  Output& read = outputs_.at(index);
  const Tensor tensor = running_->output(index);
  const ngb_dtype type = row_where([&](const Row& row) { return row.theirs == tensor.type; }, read.name).ours;
  read.shape.assign(tensor.shape.begin(), tensor.shape.end());
  return {read.name.c_str(), type,        static_cast<std::int32_t>(read.shape.size()),
          read.shape.data(), tensor.data, tensor.size_bytes};
}

}  // namespace ngb::executorch
