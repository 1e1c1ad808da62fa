// SPDX-License-Identifier: Apache-2.0
#include "agent/shared_compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/file_list.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/removal.h"
#include "base/text.h"
#include "samples/process_result.h"

namespace ngb::agent {
namespace {

using Json = nlohmann::json;
using samples::FailureKind;
using samples::Phase;

constexpr std::size_t kNameLength = 16;
constexpr const char* kArtifact = "artifact";
constexpr const char* kDescription = "artifact.json";
constexpr std::uint64_t kMaxArtifactJsonBytes = 16U << 20U;

Json describe_artifact(const samples::Origin& origin, int process_index) {
  return {{"build_sha256", origin.build_sha256},
          {"model_sha256", origin.model_sha256},
          {"environment_hash", origin.environment_hash},
          {"process_index", process_index}};
}

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

KeptArtifacts::KeptArtifacts(std::filesystem::path folder) : folder_(std::move(folder)) {
  // Only names that `begin` gives: the folder may be a link to somewhere else.
  std::set<std::string> cells;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, code)) {
    const std::string cell = entry.path().filename().string().substr(0, kNameLength);
    const bool is_hash = cell.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (is_hash && cell.size() == kNameLength) cells.insert(cell);
  }
  for (const std::string& cell : cells) file::remove_old_partials(folder_ / cell, std::chrono::hours(0));
}

// The id of a cell comes from the client and may contain anything.
std::filesystem::path KeptArtifacts::folder_of(const std::string& cell_id) const {
  return folder_ / hash::sha256(cell_id).substr(0, kNameLength);
}

// Reads the whole artifact. Returns nothing if its files or its description are not those that were kept.
std::optional<KeptArtifacts::Known> KeptArtifacts::read(const std::string& cell_id) const {
  const std::filesystem::path folder = folder_of(cell_id);
  const auto changed = file_list::changes(folder, file_list::Check::hashes);
  const Result<std::string> text = file::read(folder / kDescription, kMaxArtifactJsonBytes);
  if (!changed || !changed->empty() || !text) return std::nullopt;
  const Json described = json_text::parse(*text);
  if (!described.is_object() || !described.contains("process_index") || !described["process_index"].is_number_integer())
    return std::nullopt;
  const auto word = [&described](const char* key) {
    const auto found = described.find(key);
    return found != described.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return Known{.origin = {word("build_sha256"), word("model_sha256"), word("environment_hash")},
               .process_index = described["process_index"].get<int>()};
}

bool KeptArtifacts::is_unchanged(const std::string& cell_id) const {
  const auto changed = file_list::changes(folder_of(cell_id));
  return known_.contains(cell_id) && changed && changed->empty();
}

std::optional<KeptArtifacts::Kept> KeptArtifacts::find(const std::string& cell_id, const samples::Origin& origin) {
  if (!is_unchanged(cell_id)) {
    known_.erase(cell_id);
    if (std::optional<Known> whole = read(cell_id)) known_.emplace(cell_id, *std::move(whole));
  }
  const auto known = known_.find(cell_id);
  if (known != known_.end() && known->second.origin == origin) {
    return Kept{folder_of(cell_id) / kArtifact, known->second.process_index};
  }
  remove(cell_id);
  return std::nullopt;
}

Result<std::filesystem::path> KeptArtifacts::begin(const std::string& cell_id) {
  const std::filesystem::path folder = file::partial_path(folder_of(cell_id));
  if (const Status made = file::make_folder(folder); !made) return error_of(made);
  return folder / kArtifact;
}

Status KeptArtifacts::keep(const std::filesystem::path& written, const std::string& cell_id,
                           const samples::Origin& origin, int process_index) {
  const auto kept = [&]() -> Status {
    const std::filesystem::path folder = written.parent_path();
    const auto files = file_list::files_below(folder);
    if (!files || files->empty()) return fail("contains no file", written.string());
    const std::string text = json_text::dump(describe_artifact(origin, process_index), 1);
    if (const Status done = file::write_atomically(folder / kDescription, text); !done) return done;
    if (const Status listed = file_list::write(folder); !listed) return listed;
    remove(cell_id);
    return file::rename_to(folder, folder_of(cell_id));
  }();
  if (!kept) discard(written);
  return kept;
}

void KeptArtifacts::discard(const std::filesystem::path& written) { file::remove_all(written.parent_path()); }

void KeptArtifacts::remove(const std::string& cell_id) {
  known_.erase(cell_id);
  file::remove_all(folder_of(cell_id));
}

void KeptArtifacts::clear() {
  known_.clear();
  file::remove_all(folder_);
}

SharedCompilation::SharedCompilation(work::Compilation mode, std::filesystem::path folder,
                                     std::uint64_t free_disk_bytes)
    : mode_(mode), folder_(std::move(folder)), free_disk_bytes_(free_disk_bytes), kept_(folder_) {}

void SharedCompilation::prepare(work::WorkerRequest& request, const samples::Origin& origin) {
  if (mode_ == work::Compilation::each) return;
  if (work::has_several_sessions(request.model)) reasons_[request.cell_id] = "each shape has a session of its own";
  if (reasons_.contains(request.cell_id)) return;
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
