// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "../plugin_settings.h"

namespace ngb::xla {
namespace {

using nlohmann::json;

// The variable is set before, because XLA reads it when a client is made.
Owned<PJRT_Client> make_client(const Runtime& runtime, int threads) {
  ::setenv("PJRT_NPROC", std::to_string(threads).c_str(), 1);
  return runtime.make_client();
}

// Counts this process's threads with the name that XLA gives them.
int count_threads(std::string_view name) {
  int count = 0;
  std::error_code code;
  for (std::filesystem::directory_iterator task("/proc/self/task", code), end; !code && task != end;
       task.increment(code)) {
    std::string theirs;
    std::getline(std::ifstream(task->path() / "comm"), theirs);
    if (theirs == name) ++count;
  }
  return count;
}

constexpr const char* kProgram = "model.stablehlo";

std::string content_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(content).str();
}

}  // namespace

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : CompiledElsewhere(kProgram),
      settings_(given),
      uses_xnnpack_(options.flag("xnnpack")),
      flags_(plugin::settings_json(given)),
      runtime_(settings_.toolchain_dir),
      client_(make_client(runtime_, settings_.threads)) {
  start_process("xla", given, {{"JAX_PLATFORMS", "cpu"}});
  facts_.insert(facts_.end(), {{"api_version", runtime_.api_version()},
                               {"stablehlo_version", runtime_.stablehlo_version()},
                               {"device", runtime_.platform_of(client_.get())},
                               {"precision", "f32"}});
  check_threads();
}

void Session::check_threads() {
  const int count = count_threads("tf_XLAEigen");
  plugin::check_threads("XLA", count, settings_.threads);
  facts_.emplace_back("threads", std::to_string(count));
}

void Session::compile(const ngb_model& model) {
  compile_elsewhere(model, {{"stablehlo_version", runtime_.stablehlo_version()}});
}

void Session::load(const ngb_model& model) {
  const plugin::ArtifactFolder artifact = end_process(model);
  const auto names = artifact.read_signature().at("outputs").get<std::vector<std::string>>();
  std::string program = content_of(artifact.program);
  if (program.empty()) throw plugin::Failure(NGB_INTERNAL, "there is no program in " + artifact.program);
  json flags = flags_;
  flags["xla_cpu_use_xnnpack"] = uses_xnnpack_;
  executable_ = runtime_.compile(client_.get(), program, flags);
  outputs_ = outputs_of(runtime_, runtime_.executable_of(executable_.get()).get(), names);
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  release_results();
  arguments_.clear();
  inputs_.clear();
  PJRT_Device* const device = runtime_.device_of(client_.get());
  for (std::uint32_t i = 0; i < count; ++i) {
    inputs_.push_back(buffer_over(runtime_, client_.get(), device, inputs[i]));
    arguments_.push_back(inputs_.back().get());
  }
  results_.assign(outputs_.size(), nullptr);
  argument_list_ = arguments_.data();
  result_list_ = results_.data();
  options_.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  execution_.struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE;
  execution_.executable = executable_.get();
  execution_.options = &options_;
  execution_.argument_lists = &argument_list_;
  execution_.num_devices = 1;
  execution_.num_args = arguments_.size();
  execution_.output_lists = &result_list_;
  execution_.device_complete_events = &completion_;
}

// XLA's own profiler is behind an extension of PJRT, which the processor's plugin leaves out.
void Session::begin_profile() const {
  const bool has_profiler = runtime_.has_extension(PJRT_Extension_Type_Profiler);
  throw plugin::Failure(NGB_NO_PROFILE,
                        has_profiler ? "XLA's plugin has a profiler, which this version of NGraphBench does not read"
                                     : "XLA's plugin for the processor has no profiler (PJRT's extension 1), so that "
                                       "nobody can ask it for the times of its kernels",
                        "leave xla out of the profile");
}

const KernelTable& Session::end_profile(std::uint32_t /*inferences*/) {
  throw plugin::Failure(NGB_NO_PROFILE, "no profile has begun");
}

ngb_tensor Session::read(std::uint32_t index) {
  Output& read = outputs_[index];
  auto args = NGB_PJRT(PJRT_Buffer_ToHostBuffer_Args);
  args.src = results_[index];
  args.dst = read.data.data();
  args.dst_size = read.data.size();
  runtime_.check(runtime_.api().PJRT_Buffer_ToHostBuffer(&args), "read an output");
  runtime_.check(runtime_.await(args.event), "read an output");
  return {read.name.c_str(), read.type,        static_cast<std::int32_t>(read.shape.size()),
          read.shape.data(), read.data.data(), read.data.size()};
}

}  // namespace ngb::xla
