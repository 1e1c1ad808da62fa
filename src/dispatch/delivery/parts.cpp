// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/parts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/file_list.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "dispatch/link/program.h"

namespace ngb::dispatch {

namespace {

Status add(Parts& parts, const std::string& machine, const Installation& from) {
  Result<AgentFile> agent = agent_file(machine, from.agent);
  if (!agent) return error_of(agent);
  Result<LocalTree> bundle = bundle_of(from.worker, from.lib);
  if (!bundle) return error_of(bundle);
  parts.agents.push_back(*std::move(agent));
  parts.bundles[machine] = *std::move(bundle);
  return Done{};
}

}  // namespace

const LocalTree* Parts::bundle_for(const std::string& kind) const {
  const auto found = bundles.find(kind);
  return found == bundles.end() ? nullptr : &found->second;
}

Result<const LocalTree*> Parts::tree_of_toolchain(const std::filesystem::path& folder, const std::string& path) {
  const auto known = toolchains.find(folder);
  if (known != toolchains.end()) return &known->second;
  Result<LocalTree> tree = tree_of(folder, path);
  if (!tree) return error_of(tree);
  return &(toolchains[folder] = *std::move(tree));
}

Result<Parts> find_parts(const Installation& installation) {
  utsname system{};
  ::uname(&system);
  Parts parts;
  parts.machine = system.machine;
  if (const Status added = add(parts, parts.machine, installation); !added) return error_of(added);
  std::error_code code;
  for (const auto& entry :
       std::filesystem::directory_iterator(installation.lib.parent_path() / "ngraphbench-devices", code)) {
    const std::filesystem::path& folder = entry.path();
    if (folder.filename() == parts.machine || !std::filesystem::exists(folder / "bin/ngb-agent", code)) continue;
    const Installation other{folder / "bin/ngb-agent", folder / "bin/ngb-worker", folder / "lib/ngraphbench"};
    const Status added = add(parts, folder.filename().string(), other);
    if (!added) return error_of(added);
  }
  return parts;
}

namespace {

// The program may download gigabytes over a slow line.
constexpr Nanoseconds kFetchPatience = std::chrono::hours(6);

Result<Fetched> answer_of(const Result<ProgramEnd>& end) {
  if (!end) return error_of(end);
  Result<Fetched> fetched = fetched_from_json(end->output);
  if (!fetched && end->output.empty()) {
    return fail("the program that fetches the toolchain ended without an answer: " + end->words);
  }
  return fetched;
}

}  // namespace

Result<Fetched> fetched_from_json(std::string_view text) {
  const nlohmann::json answer = json_text::parse(text);
  if (!answer.is_object()) return fail("the program that fetches the toolchain did not answer with a JSON object");
  try {
    if (answer.contains("error")) {
      const nlohmann::json& error = answer.at("error");
      return tl::unexpected(Error{error.at("what"), error.at("where"), error.at("next")});
    }
    if (answer.contains("folder")) return Fetched{answer.at("folder").get<std::string>(), {}, {}};
    return Fetched{{}, answer.at("requirements"), answer.at("manifest")};
  } catch (const nlohmann::json::exception& exception) {
    return fail(exception.what());
  }
}

asio::awaitable<Result<Fetched>> Fetching::fetch(Loop& loop, const std::vector<std::string>& command) {
  const auto known = rounds_.find(command);
  if (known != rounds_.end()) {
    const std::shared_ptr<Round> round = known->second;
    while (!round->is_over) co_await round->done.wait_regardless(std::chrono::hours(1));
    co_return round->fetched;
  }
  const std::shared_ptr<Round> round = std::make_shared<Round>(loop);
  rounds_[command] = round;
  const Result<ProgramEnd> end = co_await run_program(loop, command, kNoInput, kFetchPatience, true);
  round->fetched = answer_of(end);
  round->is_over = true;
  round->done.ring();
  co_return round->fetched;
}

namespace {

Status add_file(LocalTree& tree, const std::filesystem::path& source, const std::string& path) {
  Result<std::string> hash = hash::sha256_of_file(source);
  if (!hash) return error_of(hash);
  std::error_code code;
  const bool is_executable = ::access(source.c_str(), X_OK) == 0;
  tree.tree.files.push_back({path, *std::move(hash), std::filesystem::file_size(source, code), is_executable});
  tree.sources.push_back(source);
  return Done{};
}

Status add_folder(LocalTree& tree, const std::filesystem::path& folder, const std::string& prefix) {
  const auto files = file_list::files_below(folder);
  if (!files) return error_of(files);
  for (const file_list::Entry& each : *files) {
    if (Status added = add_file(tree, folder / each.path, prefix + each.path); !added) return added;
  }
  return Done{};
}

}  // namespace

Result<LocalTree> tree_of(const std::filesystem::path& folder, const std::string& path) {
  LocalTree tree;
  tree.tree.path = path;
  if (const Status added = add_folder(tree, folder, ""); !added) return error_of(added);
  return tree;
}

Result<LocalTree> bundle_of(const std::filesystem::path& worker, const std::filesystem::path& lib) {
  LocalTree tree;
  Status added = add_file(tree, worker, "bin/ngb-worker");
  if (added) added = add_folder(tree, lib, "lib/ngraphbench/");
  if (!added) return error_of(added);
  std::string hashes;
  for (const samples::TreeFile& file : tree.tree.files) hashes += file.sha256 + " " + file.path + "\n";
  tree.tree.path = "bundles/" + hash::sha256(hashes);
  return tree;
}

Result<AgentFile> agent_file(const std::string& machine, const std::filesystem::path& path) {
  Result<std::string> hash = hash::sha256_of_file(path);
  if (!hash) return error_of(hash);
  std::error_code code;
  return AgentFile{machine, path, *std::move(hash), std::filesystem::file_size(path, code)};
}

}  // namespace ngb::dispatch
