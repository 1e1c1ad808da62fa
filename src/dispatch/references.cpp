// SPDX-License-Identifier: Apache-2.0
#include "dispatch/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "dispatch/local.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kPause = std::chrono::milliseconds(100);

MadeReference none(const std::string& why) { return {{}, text::to_utf8(why)}; }

MadeReference reference_in(const std::filesystem::path& path) {
  const Result<std::string> hash = hash::sha256_of_file(path);
  if (!hash) return none(hash.error().text());
  std::error_code code;
  samples::Tree tree{"references/" + *hash, {{kReferenceFile, *hash, std::filesystem::file_size(path, code), false}}};
  return {{std::move(tree), {path}}, {}};
}

}  // namespace

samples::Job job_for_references(const samples::Job& job) {
  samples::Job only;
  only.run_id = job.run_id;
  only.device = job.device;
  only.protocol = job.protocol;
  only.reference = job.reference;
  only.exporter = job.exporter;
  only.reference_cache = job.reference_cache;
  only.only_references = true;
  only.models = job.models;
  // Nothing is timed: no more than this machine has.
  const int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  only.reference->threads = std::min(only.reference->threads, processors);
  for (const samples::ModelWork& model : job.models) {
    only.cells.push_back({model.id, model.id, *only.reference});
    only.groups.push_back({model.id, {{model.id, 0}}});
  }
  return only;
}

asio::awaitable<Result<References::OfModels>> References::of(const Share& share) {
  Result<samples::Job> job = share.job_here();
  if (!job) co_return tl::unexpected(job.error());
  Alarm pause(loop_);
  while (is_at_work_) co_await pause.wait_regardless(kPause);
  std::vector<std::string> ids;
  for (const samples::ModelWork& model : job->models) ids.push_back(model.id);
  std::erase_if(job->models, [this](const samples::ModelWork& model) { return made_.contains(model.id); });
  if (!job->models.empty() && !loop_.is_stopping) {
    is_at_work_ = true;
    co_await make(share, job_for_references(*job));
    is_at_work_ = false;
  }
  OfModels found;
  for (const std::string& id : ids) {
    if (const auto made = made_.find(id); made != made_.end()) found[id] = &made->second;
  }
  co_return found;
}

asio::awaitable<void> References::make(const Share& share, samples::Job job) {
  const samples::CompilerWork& reference = *job.reference;
  if (reference.toolchain_dir.empty()) {
    const auto why = none(fmt::format("{0} {1} is not installed there either (ngb toolchain install {0}@{1})",
                                      reference.name, reference.version));
    for (const samples::ModelWork& model : job.models) made_.emplace(model.id, why);
    co_return;
  }
  const std::filesystem::path folder = share.work_folder / "references";
  std::error_code code;
  std::filesystem::remove_all(folder, code);  // what failed in an earlier run is tried again
  const Share here{.device = {.name = share.device.name, .kind = "local"},
                   .run_id = job.run_id,
                   .job = [&job] { return job; },
                   .completed = [] { return std::map<std::string, std::vector<int>>(); },
                   .work_folder = folder};
  Callbacks callbacks;
  callbacks.on_event = [this](const std::string&, const samples::Event& event) {
    if (const auto* result = std::get_if<samples::ProcessResult>(&event.body)) take(*result);
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
  for (const samples::ModelWork& model : job.models) {
    made_.emplace(model.id, none(ending ? "its agent did not say" : ending.error().text()));
  }
}

void References::take(const samples::ProcessResult& result) {
  const auto path = result.facts.find(samples::kReferencePathFact);
  if (result.failure) {
    made_.emplace(result.cell_id, none(result.failure->message));
  } else if (path != result.facts.end()) {
    made_.emplace(result.cell_id, reference_in(path->second));
  }
}

}  // namespace ngb::dispatch
