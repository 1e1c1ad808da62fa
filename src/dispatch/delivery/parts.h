// SPDX-License-Identifier: Apache-2.0
// Parts are what this installation can deliver: an agent and a bundle for each kind of machine, and toolchains.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/share.h"
#include "samples/delivery_messages.h"

namespace ngb::dispatch {

// Describes the files of this installation that a device needs, as trees that are named by their content.
struct LocalTree {
  samples::Tree tree{};
  std::vector<std::filesystem::path> sources{};  // where the files of `tree` are here, in the same order
};

// AgentFile is the agent for devices of one kind, a single file.
struct AgentFile {
  std::string machine{};  // as `uname -m` prints it there: "x86_64"
  std::filesystem::path path{};
  std::string sha256{};
  std::uint64_t size_bytes = 0;
};

// Returns everything below `folder`, except Python's caches (__pycache__), as a tree that is delivered to `path` on the
// device. Follows links. This and the functions below return an error if a file cannot be read.
Result<LocalTree> tree_of(const std::filesystem::path& folder, const std::string& path);

// Returns worker, plugins and Python package as the tree "bundles/<hash of all hashes>".
Result<LocalTree> bundle_of(const std::filesystem::path& worker, const std::filesystem::path& lib);

Result<AgentFile> agent_file(const std::string& machine, const std::filesystem::path& path);

// Runs programs that fetch a toolchain for devices of one kind. Each program runs once, no matter how many devices wait
// for it, and does not block the loop.

// Fetched is the answer of such a program. The program prints one JSON object on its standard output: {"folder": …}; or
// {"requirements": …, "manifest": …} if the device installs the toolchain itself (samples::InstallThere); or {"error":
// {what, where, next}}, which becomes an error here.
struct Fetched {
  std::filesystem::path folder{};
  std::string requirements{};
  std::string manifest{};
};
// Returns an error if the program answered one, or if `text` is not such an answer.
Result<Fetched> fetched_from_json(std::string_view text);

class Fetching {
 public:
  // Runs the command, or returns the answer or error of an earlier call. Returns an error if the program answered one
  // or gave no answer. All calls use the same loop, which outlives this object.
  asio::awaitable<Result<Fetched>> fetch(Loop& loop, const std::vector<std::string>& command);

 private:
  struct Round {
    explicit Round(Loop& loop) : done(loop) {}
    Alarm done;
    bool is_over = false;
    Result<Fetched> fetched{};
  };
  std::map<std::vector<std::string>, std::shared_ptr<Round>> rounds_{};
};

struct Parts {
  std::string machine{};  // the kind of this machine: "x86_64"
  std::vector<AgentFile> agents{};
  std::map<std::string, LocalTree> bundles{};  // by machine

  std::map<std::filesystem::path, LocalTree> toolchains{};  // those that a device lacked, by folder here
  Fetching fetching{};

  // Returns the bundle for that kind of machine; null if there is none.
  [[nodiscard]] const LocalTree* bundle_for(const std::string& machine) const;
  // Returns the toolchain in `folder` as a tree for `path` on the device. It may have gigabytes, so it is hashed once,
  // no matter how many devices lack it. Returns an error if a file cannot be read.
  Result<const LocalTree*> tree_of_toolchain(const std::filesystem::path& folder, const std::string& path);
};

// Returns this machine's own parts and those in lib/ngraphbench-devices/<machine>. Returns an error if a file cannot be
// read.
Result<Parts> find_parts(const Installation& installation);

}  // namespace ngb::dispatch
