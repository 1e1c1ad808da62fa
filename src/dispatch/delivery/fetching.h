// SPDX-License-Identifier: Apache-2.0
// Programs that get a toolchain for devices of some kind: each is run once, however many devices wait for it, while the
// loop goes on.
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

// What such a program answers on its standard output, as one JSON object: {"folder": …}, or {"requirements": …,
// "manifest": …} for a device that is to install it itself (samples::InstallThere), or {"error": {what, where, next}}.
struct Fetched {
  std::filesystem::path folder{};
  std::string requirements{};
  std::string manifest{};
};
Result<Fetched> fetched_from_json(std::string_view text);

class Fetching {
 public:
  // One loop for all calls, which outlives this object. Error: what the program answered; also of an earlier call.
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
