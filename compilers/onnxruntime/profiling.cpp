// SPDX-License-Identifier: Apache-2.0
// A session's profiles. ONNX Runtime profiles a session from its start to the one end of its profile; so each profile
// begins with a new session, which is the one that runs without a profile afterwards.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "kernels.h"
#include "session.h"

namespace ngb::onnxruntime {
namespace {

constexpr const char* kOptimised = "optimised.onnx";  // in the worker's own folder, as the profile is
constexpr int kInferencesBefore = 2;                  // which allocate what later ones use again

}  // namespace

void Session::begin_profile() {
  if (gpu_ != nullptr) {
    throw plugin::Failure(NGB_NO_PROFILE,
                          "onnxruntime's profile of a GPU has the times in which kernels are launched, not those in "
                          "which they run",
                          "profile onnxruntime on the CPU, or another compiler on the GPU");
  }
  if (slots_ > 1) {
    throw plugin::Failure(NGB_NO_PROFILE, "onnxruntime is profiled with one inference at a time", "remove in_flight");
  }
  const Owned<OrtSessionOptions> options = make_options();
  runtime_.check(api_.EnableProfiling(options.get(), "kernels"), "begin a profile");
  // Also of a later session, because ONNX Runtime numbers the nodes that it adds differently in each.
  runtime_.check(api_.SetOptimizedModelFilePath(options.get(), kOptimised), "save its optimised model");
  OrtSession* raw = nullptr;
  runtime_.check(api_.CreateSession(environment_.get(), model_path_.c_str(), options.get(), &raw), "compile the model");
  Owned<OrtSession> session(raw, api_.ReleaseSession);
  optimised_ = plugin::OnnxNodes::of_file(kOptimised);
  std::error_code ignored;
  std::filesystem::remove(kOptimised, ignored);
  if (original_.all().empty()) original_ = plugin::OnnxNodes::of_file(model_path_);
  binding_.reset();
  session_ = std::move(session);
  binding_ = make_binding(session_.get(), outputs_);
  for (int i = 0; i < kInferencesBefore; ++i) {
    if (OrtStatus* const status = run(); status != nullptr) refuse(status);
  }
}

const KernelTable& Session::end_profile(std::uint32_t inferences) {
  const std::filesystem::path path = end_library_profile(session_.get());
  std::ostringstream profile;
  profile << std::ifstream(path).rdbuf();
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::vector<Kernel> kernels = kernels_of(profile.str(), inferences, optimised_, original_);
  if (first_kernels_.empty()) first_kernels_ = kernels;
  kernels_ = KernelTable(in_order_of(first_kernels_, std::move(kernels)));
  return kernels_;
}

std::string Session::end_library_profile(OrtSession* session) const {
  OrtAllocator* allocator = nullptr;
  runtime_.check(api_.GetAllocatorWithDefaultOptions(&allocator), "find its allocator");
  char* name = nullptr;
  runtime_.check(api_.SessionEndProfiling(session, allocator, &name), "end a profile");
  const std::string path = name;
  runtime_.check(api_.AllocatorFree(allocator, name), "free a name");
  return path;
}

}  // namespace ngb::onnxruntime
