// SPDX-License-Identifier: Apache-2.0
// Asks a cluster for the pods of a run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/route/kubernetes.h"
#include "dispatch/route/route.h"

namespace ngb::dispatch {

// Lists the pods of a run in one namespace, for all devices of a run at once and at most every kShortestAsking, so that
// a hundred waiting pods burden the API server no more than one.
class PodList {
 public:
  using Pods = std::map<std::string, Pod>;
  static constexpr Nanoseconds kShortestAsking = std::chrono::milliseconds(500);

  // `command` lists the pods; `container` is the one that matters (read_pods).
  PodList(Loop& loop, Command command, std::string container);

  // Returns the pods as they were at some time after the call. Returns kubectl's words as the error: with the code
  // `busy` if another try may help, with the code `lost` if the loop stops.
  asio::awaitable<Result<const Pods*>> now(Alarm& pause);

 private:
  asio::awaitable<void> ask();

  Loop& loop_;
  Command command_;
  std::string container_;
  bool is_asking_ = false;
  std::optional<Nanoseconds> began_{};  // to ask for what is known
  Status failure_{};
  Pods pods_{};
};

// Returns the list that all devices of a loop share if they are reached by the same command.
std::shared_ptr<PodList> pod_list_of(Loop& loop, const Command& command, const std::string& container);

}  // namespace ngb::dispatch
