// SPDX-License-Identifier: Apache-2.0
// A session's profiles: a second compiled model counts times, and the first one runs without a profile.
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "session.h"

namespace ngb::openvino {
namespace {

constexpr int kInferencesBefore = 2;  // which allocate what later ones use again

// ov::serialize(const std::shared_ptr<const ov::Model>&, const path& xml, const path& bin, Version). The C API has no
// function that shows the executed graph.
constexpr const char* kSerialize =
    "_ZN2ov9serializeERKSt10shared_ptrIKNS_5ModelEERKNSt10filesystem7__cxx114pathESA_NS_4pass9Serialize7VersionE";
using Serialize = void (*)(const std::shared_ptr<const void>&, const std::filesystem::path&,
                           const std::filesystem::path&, int);

// Returns ov::serialize of the library beside the one of the C API; null if its form is another.
Serialize serialize_of(const std::string& c_library) {
  const std::filesystem::path path = c_library;
  const std::string name = path.filename().string();
  const std::size_t of_c = name.find("_c.");
  if (of_c == std::string::npos) return nullptr;
  const std::string cpp = name.substr(0, of_c) + name.substr(of_c + 2);
  void* const library = ::dlopen((path.parent_path() / cpp).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const auto function = reinterpret_cast<Serialize>(::dlsym(library, kSerialize));
  ::dlclose(library);  // the C API's library keeps it open
  return function;
}

}  // namespace

std::string Session::executed_graph() const {
  const Serialize serialize = serialize_of(runtime_.path());
  ov_model_t* raw = nullptr;
  if (serialize == nullptr ||
      runtime_.ov_compiled_model_get_runtime_model(profiled_->compiled.get(), &raw) != ov_status_e::OK)
    return {};
  const Owned<ov_model_t> model(raw, runtime_.ov_model_free);
  const std::filesystem::path xml = "executed.xml";
  const std::filesystem::path bin = "executed.bin";
  std::ostringstream text;
  try {
    // An ov_model_t is a struct whose only member is the shared pointer.
    serialize(*reinterpret_cast<const std::shared_ptr<const void>*>(raw), xml, bin, 0);
    text << std::ifstream(xml).rdbuf();
  } catch (const std::exception&) {
    text.str({});  // the nodes that follow an executed one as its parts are then all that is known
  }
  std::error_code ignored;
  std::filesystem::remove(xml, ignored);
  std::filesystem::remove(bin, ignored);
  return text.str();
}

void Session::compile_profiled(const ov_model_t* model) {
  ov_compiled_model_t* compiled = nullptr;
  runtime_.check(
      runtime_.ov_core_compile_model(core_.get(), model, settings_.device.c_str(), 2, &compiled, "PERF_COUNT", "YES"),
      "compile the model with counters");
  profiled_ = std::make_unique<Profiled>(
      Profiled{{compiled, runtime_.ov_compiled_model_free}, {nullptr, runtime_.ov_infer_request_free}});
  ov_infer_request_t* request = nullptr;
  runtime_.check(runtime_.ov_compiled_model_create_infer_request(compiled, &request), "make an inference request");
  profiled_->request.reset(request);
  profiled_->originals = original_names(executed_graph());
}

void Session::begin_profile() {
  if (slots_.size() > 1) {
    throw plugin::Failure(NGB_NO_PROFILE, "openvino is profiled with one inference at a time", "remove in_flight");
  }
  if (property("EXECUTION_DEVICES") != "CPU") {
    throw plugin::Failure(NGB_NO_PROFILE,
                          "openvino's counters are means over all inferences on the CPU, and something else on " +
                              property("EXECUTION_DEVICES"),
                          "profile openvino on the CPU");
  }
  if (profiled_ == nullptr) {
    throw plugin::Failure(NGB_NO_PROFILE, "openvino's counters are chosen when a session is opened");
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    runtime_.check(runtime_.ov_infer_request_set_input_tensor_by_index(profiled_->request.get(), i, inputs_[i].get()),
                   "set an input");
  }
  running_ = profiled_->request.get();
  for (int i = 0; i < kInferencesBefore; ++i) runtime_.check(run(), "run the model");
  profiled_->before.inferences += kInferencesBefore;
  profiled_->before.counters = counters();
}

const KernelTable& Session::end_profile(std::uint32_t inferences) {
  const Reading after{counters(), profiled_->before.inferences + inferences};
  kernels_ = KernelTable(kernels_between(profiled_->before, after, profiled_->originals, profiled_->model));
  profiled_->before.inferences = after.inferences;
  running_ = slots_.front()->request.get();
  return kernels_;
}

std::vector<Counter> Session::counters() const {
  ov_profiling_info_list_t told{};
  runtime_.check(runtime_.ov_infer_request_get_profiling_info(profiled_->request.get(), &told), "read its counters");
  std::vector<Counter> all;
  for (std::size_t i = 0; i < told.size; ++i) {
    const ov_profiling_info_t& each = told.profiling_infos[i];
    all.push_back(
        {each.node_name, each.node_type, each.exec_type, each.status == ov_profiling_info_t::EXECUTED, each.real_time});
  }
  runtime_.ov_profiling_info_list_free(&told);
  return all;
}

}  // namespace ngb::openvino
