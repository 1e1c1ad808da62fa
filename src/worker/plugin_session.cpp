// SPDX-License-Identifier: Apache-2.0
#include "worker/plugin_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/removal.h"
#include "base/text.h"
#include "ngraphbench/tables.h"
#include "worker/settings.h"
#include "worker/sizes.h"

namespace ngb::worker {
namespace {

// Converts a plugin's tensor. Returns an error for values that would make a later access invalid.
Result<OutputView> view_of(const ngb_tensor& tensor, std::uint32_t index) {
  const auto wrong = [index](std::string_view what) { return fail(fmt::format("output {} {}", index, what)); };
  if (table::type_row(tensor.dtype) == nullptr) return wrong("has an unknown element type");
  if (tensor.rank < 0 || (tensor.rank > 0 && tensor.shape == nullptr)) return wrong("has no shape");
  OutputView view;
  view.signature.name = plugin_text(tensor.name);
  view.signature.type = static_cast<DataType>(tensor.dtype);
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) {
    if (tensor.shape[axis] < 0) return wrong("has a negative extent");
    view.signature.shape.push_back(tensor.shape[axis]);
  }
  const std::uint64_t bytes = view.signature.element_count() * size_bytes(view.signature.type);
  if (bytes != tensor.size_bytes) {
    return wrong(fmt::format("has {} bytes, its shape says {}", tensor.size_bytes, bytes));
  }
  if (bytes != 0 && tensor.data == nullptr) return wrong("has no data");
  view.data = tensor.data;
  return view;
}

void receive_remark(void* page, const char* text) {
  samples::write_remark(*static_cast<samples::ProgressPage*>(page), plugin_text(text));
}

// Returns the plugin's description; an empty object if it is not one.
nlohmann::json description_of(const ngb_compiler& compiler) {
  auto description = json_text::parse(plugin_text(compiler.describe()));
  return description.is_object() ? description : nlohmann::json::object();
}

bool makes_artifact(const ngb_compiler& compiler, const nlohmann::json& description) {
  return compiler.load != nullptr && description.value("produces_file", false);
}

// Returns whether the compiler runs what it compiles, and writes it for other processes where that is asked for.
bool keeps_artifact(const ngb_compiler& compiler, const nlohmann::json& description) {
  return compiler.load != nullptr && description.value("keeps_file", false);
}

// Owns everything that a plugin receives of a model. The arguments outlive it.
struct HandedModel {
  HandedModel(const std::string& path, const work::Model& model, const std::string& artifact)
      : inputs(describe(model.open_inputs.empty() ? model.inputs : model.open_inputs)),
        value{sizeof(ngb_model),
              path.c_str(),
              work::json_of(model.source).c_str(),
              inputs.data(),
              static_cast<std::uint32_t>(inputs.size()),
              artifact.c_str()} {}
  HandedModel(const HandedModel&) = delete;
  HandedModel& operator=(const HandedModel&) = delete;

  std::vector<ngb_tensor> inputs;
  ngb_model value;
};

samples::Failure for_one_shape_only(const std::string& compiler, const work::Model& model) {
  samples::Failure failure;
  failure.kind = samples::FailureKind::invalid_option;
  if (model.decoding) {
    failure.message = compiler + " compiles for one shape, and a growing cache has another one at each step";
    failure.advice = "give this compiler another form of the cache";
    return failure;
  }
  if (!model.dynamic_batch) {
    failure.message = compiler + " compiles for one shape; it has no dynamic shapes";
    failure.advice =
        "list the model a second time without dynamic, or with pad_to, and leave this entry to the compilers that have "
        "them: compilers: [onnxruntime, openvino]";
    return failure;
  }
  failure.message = compiler + " compiles for one batch size; it has no dynamic_batch";
  failure.advice =
      "list the model a second time without dynamic_batch, and give that entry to this compiler in the study's pairs";
  return failure;
}

}  // namespace

samples::FailureKind failure_kind(ngb_status status) {
  return samples::parse_failure_kind(table::word_of(status)).value_or(samples::FailureKind::internal);
}

samples::Failure failure_of(samples::FailureKind kind, const Error& error) {
  samples::Failure failure;
  failure.kind = kind;
  failure.message = error.where.empty() ? error.what : error.where + ": " + error.what;
  failure.advice = error.next;
  return failure;
}

std::string plugin_text(const char* text) { return text == nullptr ? std::string() : text::to_utf8(text); }

Session::~Session() {
  if (session_ != nullptr) compiler_.close(session_);
}

samples::Failure Session::failure(ngb_status status) const {
  samples::Failure failure;
  failure.kind = failure_kind(status);
  failure.message = plugin_text(error_.message);
  failure.advice = plugin_text(error_.advice);
  if (failure.message.empty())
    failure.message = fmt::format("the compiler reported status {}", static_cast<int>(status));
  return failure;
}

Attempt<Done> Session::attempt(ngb_status status) const {
  if (status == NGB_OK) return Done{};
  return tl::unexpected(failure(status));
}

Attempt<Done> Session::open(const work::Compiler& compiler, const work::Place& place, const std::string& cache_dir,
                            samples::ProgressPage* page, const SessionUse& use) {
  page_ = page;
  const Result<CheckedSettings> checked = check_settings(description_of(compiler_), compiler);
  if (!checked) {
    samples::Failure failure;
    failure.kind = samples::FailureKind::invalid_option;
    failure.message = checked.error().what;
    failure.advice = checked.error().next;
    return tl::unexpected(failure);
  }
  std::vector<ngb_option> options;
  for (const auto& [name, value] : checked->options) options.push_back({name.c_str(), value.c_str()});
  std::vector<ngb_option> handed_on;
  for (const auto& [name, value] : compiler.settings) handed_on.push_back({name.c_str(), value.c_str()});
  const ngb_settings settings{sizeof(ngb_settings),
                              place.toolchain_dir.c_str(),
                              checked->device.c_str(),
                              compiler.precision.c_str(),
                              compiler.threads,
                              options.data(),
                              static_cast<std::uint32_t>(options.size()),
                              place.python.c_str(),
                              cache_dir.c_str(),
                              page == nullptr ? nullptr : receive_remark,
                              page,
                              handed_on.data(),
                              static_cast<std::uint32_t>(handed_on.size()),
                              compiler.in_flight.value_or(0),
                              use.is_profiled ? 1 : 0,
                              use.has_compiled_file ? 1 : 0,
                              use.has_many_shapes ? 1 : 0};
  return attempt(compiler_.open(&settings, &session_, &error_));
}

Attempt<Done> Session::compile(const std::string& model_path, const work::Model& model,
                               const std::string& artifact_path) {
  const nlohmann::json described = description_of(compiler_);
  const bool is_open = model.dynamic_batch || !model.open_inputs.empty() ||
                       (model.decoding && (model.decoding->grows() || model.decoding->mask_grows));
  if (is_open && !described.value("dynamic_batch", false)) {
    return tl::unexpected(for_one_shape_only(described.value("name", "this compiler"), model));
  }
  const bool makes_file = makes_artifact(compiler_, described);
  // The worker's current folder; the agent empties it after each worker.
  const std::filesystem::path own = std::filesystem::current_path() / fmt::format("artifact-{}", ::getpid());
  const std::string artifact = model.is_compiled()     ? model_path
                               : !makes_file           ? (keeps_artifact(compiler_, described) ? artifact_path : "")
                               : artifact_path.empty() ? own.string()
                                                       : artifact_path;
  if (makes_file && model.is_compiled()) return load(model_path, model, model_path);
  const HandedModel handed(model_path, model, artifact);
  Attempt<Done> result = attempt(compiler_.compile(session_, &handed.value, &error_));
  if (result && makes_file) result = attempt(compiler_.load(session_, &handed.value, &error_));
  if (result && !artifact.empty() && !model.is_compiled()) artifact_bytes_ = size_bytes(artifact);
  if (makes_file && artifact_path.empty()) file::remove_all(artifact);
  if (page_ != nullptr) samples::write_remark(*page_, {});
  return result;
}

Attempt<Done> Session::load(const std::string& model_path, const work::Model& model, const std::string& artifact_path) {
  const nlohmann::json described = description_of(compiler_);
  if (!makes_artifact(compiler_, described) && !keeps_artifact(compiler_, described)) {
    samples::Failure failure;
    failure.message = "this compiler cannot load what another process has compiled";
    return tl::unexpected(failure);
  }
  const HandedModel handed(model_path, model, artifact_path);
  Attempt<Done> result = attempt(compiler_.load(session_, &handed.value, &error_));
  artifact_bytes_ = size_bytes(artifact_path);
  if (page_ != nullptr) samples::write_remark(*page_, {});
  return result;
}

Attempt<Done> Session::bind(const Inputs& inputs) {
  return attempt(
      compiler_.bind(session_, inputs.tensors().data(), static_cast<std::uint32_t>(inputs.tensors().size()), &error_));
}

Attempt<Done> Session::begin_profile() {
  if (compiler_.begin_profile == nullptr || compiler_.end_profile == nullptr) {
    samples::Failure failure;
    failure.kind = samples::FailureKind::no_profile;
    failure.message =
        fmt::format("{} does not tell its kernels' times", description_of(compiler_).value("name", "this compiler"));
    return tl::unexpected(failure);
  }
  return attempt(compiler_.begin_profile(session_, &error_));
}

Attempt<Session::Kernels> Session::end_profile(std::uint32_t inferences) {
  const ngb_kernel* kernels = nullptr;
  std::uint32_t count = 0;
  const Attempt<Done> ended = attempt(compiler_.end_profile(session_, inferences, &kernels, &count, &error_));
  if (!ended) return error_of(ended);
  Kernels told;
  for (std::uint32_t i = 0; i < count; ++i) {
    samples::Kernel kernel{.name = plugin_text(kernels[i].name), .kind = plugin_text(kernels[i].kind)};
    for (std::uint32_t j = 0; j < kernels[i].node_count; ++j) kernel.nodes.push_back(plugin_text(kernels[i].nodes[j]));
    for (std::uint32_t j = 0; j < kernels[i].output_count; ++j) {
      kernel.outputs.push_back(plugin_text(kernels[i].outputs[j]));
    }
    kernel.found_by = plugin_text(kernels[i].found_by);
    if (!std::isfinite(kernels[i].ns) || kernels[i].ns < 0) {
      samples::Failure failure;
      failure.message = fmt::format("kernel {} took {} ns, which cannot be", kernel.name, kernels[i].ns);
      return tl::unexpected(failure);
    }
    told.ns.push_back(kernels[i].ns);
    told.kernels.push_back(std::move(kernel));
  }
  return told;
}

Attempt<Done> Session::run() { return attempt(compiler_.run(session_, &error_)); }

Attempt<std::vector<OutputView>> Session::outputs() {
  std::vector<OutputView> views;
  std::uint32_t count = 0;
  Attempt<Done> asked = attempt(compiler_.read(session_, UINT32_MAX, nullptr, &count, &error_));
  for (std::uint32_t i = 0; asked && i < count; ++i) {
    ngb_tensor tensor{};
    asked = attempt(compiler_.read(session_, i, &tensor, &count, &error_));
    if (!asked) break;
    const Result<OutputView> view = view_of(tensor, i);
    if (!view) {
      samples::Failure failure;
      failure.message = view.error().text();
      return tl::unexpected(failure);
    }
    views.push_back(*view);
  }
  if (!asked) return error_of(asked);
  return views;
}

std::map<std::string, std::string> Session::facts() {
  std::map<std::string, std::string> facts;
  const char* key = nullptr;
  const char* value = nullptr;
  for (std::uint32_t i = 0; compiler_.inspect(session_, i, &key, &value) == 1; ++i) {
    facts[plugin_text(key)] = plugin_text(value);
  }
  return facts;
}

std::uint32_t Session::slots() const { return compiler_.slots == nullptr ? 1 : compiler_.slots(session_); }

Target Session::target(samples::RunCount* done) { return {&compiler_, session_, &error_, done}; }

}  // namespace ngb::worker
