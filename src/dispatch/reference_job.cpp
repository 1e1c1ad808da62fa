// SPDX-License-Identifier: Apache-2.0
#include "dispatch/reference_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/processors.h"
#include "base/text.h"
#include "dispatch/local.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kPause = std::chrono::milliseconds(100);

MadeReference none(const std::string& why) { return {{}, {}, text::to_utf8(why)}; }

MadeReference reference_in(const std::filesystem::path& path, const std::string& key) {
  const Result<std::string> hash = hash::sha256_of_file(path);
  if (!hash) return none(hash.error().text());
  std::error_code code;
  samples::Tree tree{"references/" + *hash, {{kReferenceFile, *hash, std::filesystem::file_size(path, code), false}}};
  return {{std::move(tree), {path}}, key, {}};
}

}  // namespace

work::Job job_for_references(work::Job only) {
  only.task = work::Task::make_references;
  only.accepts_new_build = false;
  only.device_limits = {};
  only.environment.clear();
  only.compilers.clear();
  only.cells.clear();
  only.groups.clear();
  // No more threads than this machine has processors: nothing is timed here.
  const int processors = processor_count();
  only.reference->threads = std::min(only.reference->threads, processors);
  for (std::size_t i = 0; i < only.models.size(); ++i) only.groups.push_back({.model_index = static_cast<int>(i)});
  return only;
}

asio::awaitable<Result<References::OfModels>> References::of(const Share& share) {
  Result<work::Job> job = share.job_here();
  if (!job) co_return error_of(job);
  Alarm pause(loop_);
  while (is_at_work_) co_await pause.wait_regardless(kPause);
  std::vector<work::ModelKey> models;
  for (const work::Model& model : job->models) models.push_back(model.key);
  std::erase_if(job->models, [this](const work::Model& model) { return made_.contains(model.key); });
  if (!job->models.empty() && !loop_.is_stopping) {
    is_at_work_ = true;
    co_await make(share, job_for_references(*std::move(job)));
    is_at_work_ = false;
  }
  OfModels found;
  for (const work::ModelKey& model : models) {
    if (const auto made = made_.find(model); made != made_.end()) found[model] = &made->second;
  }
  co_return found;
}

asio::awaitable<void> References::make(const Share& share, work::Job job) {
  const work::Compiler& reference = *job.reference;
  if (job.place_of(reference).toolchain_dir.empty()) {
    const auto why = none(fmt::format("{0} {1} is not installed on the client either (ngb toolchain install {0}@{1})",
                                      reference.name, reference.version));
    for (const work::Model& model : job.models) made_.emplace(model.key, why);
    co_return;
  }
  const std::filesystem::path folder = share.work_folder / "references";
  // A run of its own, so that outputs that failed before are tried again: nothing of an earlier one has to be removed.
  job.run_id = fmt::format("{}-{}", job.run_id, std::chrono::system_clock::now().time_since_epoch().count());
  const Share here{.device = {.name = share.device.name, .kind = config::kLocal},
                   .run_id = job.run_id,
                   .job = [&job] { return job; },
                   .completed = [] { return std::vector<samples::Completed>(); },
                   .work_folder = folder};
  Callbacks callbacks;
  callbacks.on_event = [this](const std::string&, const samples::Event& event) {
    if (const auto* made = std::get_if<samples::ReferenceMade>(&event.body)) keep(*made);
    return Status{};
  };
  callbacks.commit = [] { return Status{}; };
  callbacks.on_progress = [this](const std::string& device, samples::Progress progress) {
    progress.doing = fmt::format("{}: here, {}", device, progress.doing);
    recording_.show(device, progress);
  };
  callbacks.on_remark = [](const std::string&, const std::string&) {};
  Recording recording(loop_, callbacks);
  const Result<Ending> ending = co_await run_local(loop_, recording, installation_, here);
  if (loop_.is_stopping) co_return;
  for (const work::Model& model : job.models) {
    made_.emplace(model.key, none(ending ? "the agent that makes them gave no reason" : ending.error().text()));
  }
}

void References::keep(const samples::ReferenceMade& made) {
  made_.emplace(made.model, made.failure ? none(made.failure->message) : reference_in(made.path, made.key));
}

}  // namespace ngb::dispatch
