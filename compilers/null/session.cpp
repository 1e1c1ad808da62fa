// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "../plugin_settings.h"
#include "ngraphbench/plugin_boundary.h"

namespace ngb::null_compiler {
namespace {

constexpr const char* kArtifact = "a model that null has compiled\n";

std::int64_t now_ns() {
  struct timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Keeps so many bytes until the process ends, as a library does that loses them.
void leave_behind(std::uint64_t bytes) {
  static std::vector<std::vector<char>> kept;
  if (bytes > 0) kept.emplace_back(bytes, 1);
}

}  // namespace

void spin(std::int64_t duration_ns) {
  const std::int64_t end_ns = now_ns() + duration_ns;
  while (now_ns() < end_ns) {
  }
}

Helpers::Helpers(int count) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

Helpers::~Helpers() {
  is_ending_ = true;
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Helpers::work() {
  for (std::uint64_t seen = 0;;) {
    round_.wait(seen);
    seen = round_.load();
    if (is_ending_) return;
    spin(duration_ns_);
    working_.fetch_sub(1);
  }
}

void Helpers::spin_together(std::int64_t duration_ns) {
  duration_ns_ = duration_ns;
  working_ = static_cast<int>(threads_.size());
  round_.fetch_add(1);
  round_.notify_all();
  spin(duration_ns);
  while (working_.load() > 0) {
  }
}

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : settings_(given, options),
      faults_(settings_),
      helpers_(settings_.spins_all_threads ? settings_.threads - 1 : 0),
      kept_(settings_.leak_bytes, settings_.leak_inferences),
      kernels_(made_up_kernels(settings_.kernels, std::max(settings_.run_ns, settings_.made_up_ns))) {
  facts_ = {{"version", "1"},
            {"device", "cpu"},
            {"precision", "f32"},
            {"threads", std::to_string(settings_.spins_all_threads ? settings_.threads : 1)}};
  if (settings_.made_up_ns > 0) facts_.emplace_back("made_up_ns", std::to_string(settings_.made_up_ns));
  if (settings_.made_up_first_ns > 0)
    facts_.emplace_back("made_up_first_ns", std::to_string(settings_.made_up_first_ns));
  if (slots() > 1 && (settings_.spins_all_threads || settings_.made_up_ns > 0)) {
    throw plugin::Failure(NGB_INVALID_OPTION,
                          "spin_threads and made_up_ns are for one inference at a time, and " +
                              std::to_string(slots()) + " are to be in flight",
                          "remove these options or in_flight");
  }
  for (const auto& [name, value] : plugin::library_settings(given)) {
    if (name.starts_with("none.")) continue;
    throw plugin::refused_setting("null", name, value, "null knows no such setting, they begin with none.");
  }
  faults_.strike("open");
}

void Session::compile(const ngb_model& model) {
  faults_.strike("compile");
  std::ifstream file(model.path, std::ios::binary);
  char first = 0;
  if (!file.get(first)) {
    throw plugin::Failure(NGB_INVALID_MODEL, std::string("cannot read the model file ") + model.path);
  }
  has_compiled_ = true;
  if (settings_.compile_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(settings_.compile_ns));
  std::ofstream artifact(model.artifact_path, std::ios::binary);
  artifact << kArtifact;
  artifact.close();
  if (!artifact) throw plugin::Failure(NGB_INTERNAL, std::string("cannot write ") + model.artifact_path);
}

void Session::load(const ngb_model& model) {
  if (!has_compiled_) faults_.strike("load");
  std::ifstream artifact(model.artifact_path, std::ios::binary);
  if (std::string(std::istreambuf_iterator<char>(artifact), {}) != kArtifact) {
    throw plugin::Failure(NGB_INTERNAL, std::string(model.artifact_path) + " is not what null has compiled");
  }
  shapes_.clear();
  for (std::uint32_t i = 0; i < model.input_count; ++i) {
    shapes_.emplace_back(model.inputs[i].shape, model.inputs[i].shape + model.inputs[i].rank);
  }
  if (settings_.load_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(settings_.load_ns));
  memory_.assign(settings_.memory_bytes, 1);
  leave_behind(settings_.session_leak_bytes);
}

// A compiler that has compiled for one shape refuses any other.
void Session::check_shape(const ngb_tensor& input, const std::vector<std::int64_t>& compiled) {
  const auto fits = [](std::int64_t given, std::int64_t known) { return known < 0 || given == known; };
  if (std::equal(input.shape, input.shape + input.rank, compiled.begin(), compiled.end(), fits)) return;
  throw plugin::Failure(NGB_INVALID_MODEL, std::string("input \"") + input.name +
                                               "\" has a shape for which null has not "
                                               "compiled the model");
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  for (std::uint32_t i = 0; i < std::min<std::size_t>(count, shapes_.size()); ++i) check_shape(inputs[i], shapes_[i]);
  inputs_.assign(inputs, inputs + count);
  lanes_.reset();
  if (slots() == 1) return;
  const auto threads = static_cast<std::size_t>(settings_.threads);
  lanes_ = std::make_unique<plugin::Lanes>(
      std::min<std::size_t>(slots(), threads), slots(),
      [this](std::size_t /*lane*/, ngb_error* error) { return plugin::guarded(error, [&] { run(); }); });
}

std::uint32_t Session::slots() const {
  return static_cast<std::uint32_t>(settings_.in_flight > 0 ? settings_.in_flight : settings_.threads);
}

void Session::run() {
  faults_.strike_in_run();
  kept_.grow();
  if (settings_.run_ns == 0) return;
  if (settings_.spins_all_threads) {
    helpers_.spin_together(settings_.run_ns);
  } else {
    spin(settings_.run_ns);
  }
}

void Session::begin_profile() const {
  if (kernels_.size() > 0) return;
  throw plugin::Failure(NGB_NO_PROFILE, "null has no made-up kernels", "give its option kernels");
}

const KernelTable& Session::end_profile(std::uint32_t /*inferences*/) { return kernels_; }

ngb_tensor Session::read(std::uint32_t index) {
  ngb_tensor output = inputs_[index];
  if (!faults_.outputs_are_wrong() || output.size_bytes == 0) return output;
  // Every byte is off by one.
  wrong_.assign(static_cast<const char*>(output.data), static_cast<const char*>(output.data) + output.size_bytes);
  for (char& byte : wrong_) ++byte;
  output.data = wrong_.data();
  return output;
}

}  // namespace ngb::null_compiler
