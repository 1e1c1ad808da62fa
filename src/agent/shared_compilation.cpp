// SPDX-License-Identifier: Apache-2.0
#include "agent/shared_compilation.h"

#include <fmt/format.h>

#include <system_error>

#include "base/text.h"
#include "samples/phase_time.h"

namespace ngb::agent {
namespace {

using samples::FailureKind;
using samples::Phase;

constexpr const char* kFact = "shared_compilation";

// Returns why the artifact did not serve the process that loaded it; "" if it did. A process that other work disturbed,
// or whose model file changed, says nothing about the artifact.
std::string why_unusable(const samples::ProcessResult& result) {
  if (!result.failure) return {};
  const samples::Failure& failure = *result.failure;
  if (failure.phase != Phase::load && failure.phase != Phase::check) return {};
  if (failure.kind == FailureKind::disturbed || failure.kind == FailureKind::invalid_model) return {};
  return fmt::format("{} in {}: {}", name(failure.kind), name(failure.phase),
                     failure.message.substr(0, failure.message.find('\n')));
}

}  // namespace

SharedCompilation::SharedCompilation(work::Compilation mode, std::filesystem::path folder,
                                     std::uint64_t free_disk_bytes)
    : mode_(mode), folder_(std::move(folder)), free_disk_bytes_(free_disk_bytes), kept_(folder_) {}

void SharedCompilation::prepare(work::WorkerRequest& request, const samples::Origin& origin) {
  if (mode_ == work::Compilation::each || reasons_.contains(request.cell_id)) return;
  if (const auto kept = kept_.find(request.cell_id, origin)) {
    request.artifact_path = kept->path.string();
    request.loads_artifact = true;
    loads_from_ = kept->process_index;
    return;
  }
  if (const Result<std::filesystem::path> path = kept_.begin(request.cell_id)) {
    request.artifact_path = path->string();
  } else {
    reasons_[request.cell_id] = "no folder to keep a compiled model in: " + path.error().text();
  }
}

bool SharedCompilation::settle(const work::WorkerRequest& request, const samples::Origin& origin,
                               samples::ProcessResult& result) {
  if (mode_ == work::Compilation::each) return true;
  if (request.loads_artifact) return settle_loaded(request, result);
  if (!request.artifact_path.empty()) settle_compiled(request, origin, result);
  const auto reason = reasons_.find(request.cell_id);
  if (reason != reasons_.end()) {
    result.facts[kFact] = text::to_utf8("none: " + reason->second);
  } else if (!result.failure) {
    result.facts[kFact] = "kept for the cell's other processes";
  }
  return true;
}

bool SharedCompilation::settle_loaded(const work::WorkerRequest& request, samples::ProcessResult& result) {
  std::string why = why_unusable(result);
  if (!kept_.is_unchanged(request.cell_id)) why = "its files changed while a process used them";
  if (why.empty()) {
    result.facts[kFact] = fmt::format("loaded what process {} compiled", loads_from_);
    return true;
  }
  reasons_[request.cell_id] = fmt::format("what process {} compiled cannot be used: {}", loads_from_, why);
  kept_.remove(request.cell_id);
  return false;
}

// Keeps what the process has compiled, if there is something and keeping it is worth it. A process that failed leaves
// the decision to the next one.
void SharedCompilation::settle_compiled(const work::WorkerRequest& request, const samples::Origin& origin,
                                        const samples::ProcessResult& result) {
  const std::filesystem::path written = request.artifact_path;
  if (result.failure) return KeptArtifacts::discard(written);
  std::error_code code;
  const double compile_s = samples::seconds_of_phase(result, Phase::compile);
  const double measure_s =
      samples::seconds_of_phase(result, Phase::warm_up) + samples::seconds_of_phase(result, Phase::timed);
  std::string why_not;
  if (!std::filesystem::exists(written, code)) {
    why_not = request.compiler.name + " makes no file that another process can load";
  } else if (mode_ == work::Compilation::automatic && compile_s <= measure_s) {
    why_not = fmt::format("compiling took {:.3g} s, measuring {:.3g} s", compile_s, measure_s);
  } else if (!has_room()) {
    why_not = fmt::format("less than {} would stay free on the disk", text::human_bytes(free_disk_bytes_));
  } else if (const Status kept = kept_.keep(written, request.cell_id, origin, request.process_index); !kept) {
    why_not = "what was compiled cannot be kept: " + kept.error().text();
  }
  if (why_not.empty()) return;
  reasons_[request.cell_id] = why_not;
  KeptArtifacts::discard(written);
}

bool SharedCompilation::has_room() const {
  std::error_code code;
  const std::filesystem::space_info space = std::filesystem::space(folder_, code);
  return code || space.available >= free_disk_bytes_;
}

}  // namespace ngb::agent
