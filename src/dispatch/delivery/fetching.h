// SPDX-License-Identifier: Apache-2.0
// Runs programs that fetch a toolchain for devices of one kind. Each program runs once, no matter how many devices wait
// for it, and does not block the loop.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dispatch/link/event_loop.h"

namespace ngb::dispatch {

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

}  // namespace ngb::dispatch
