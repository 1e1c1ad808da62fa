// SPDX-License-Identifier: Apache-2.0
// Reference outputs for devices that have no toolchain to make their own: made on this machine by an agent of its own,
// into this machine's usual cache, once for all devices.
#pragma once

#include <map>
#include <string>

#include "dispatch/delivery/bundle.h"
#include "dispatch/fleet.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/recording.h"

namespace ngb::dispatch {

struct MadeReference {
  LocalTree tree{};       // one file, called by its content: "references/<sha256>/outputs.ref"
  std::string key{};      // of all that they depend on
  std::string why_not{};  // not empty: there are none, and no tree
};

// On the device, within the tree.
inline constexpr const char* kReferenceFile = "outputs.ref";

class References {
 public:
  // All references outlive it.
  References(Loop& loop, Recording& recording, const Installation& installation)
      : loop_(loop), recording_(recording), installation_(installation) {}

  // Of each model in the share's job; they live as long as this. What was made, or could not be, is not tried again;
  // what others are having made is waited for. Only some of them when the loop stops. Error: there is no job.
  using OfModels = std::map<work::ModelKey, const MadeReference*>;
  asio::awaitable<Result<OfModels>> of(const Share& share);

 private:
  asio::awaitable<void> make(const Share& share, work::Job job);
  void take(const samples::ReferenceMade& made);

  Loop& loop_;
  Recording& recording_;
  const Installation& installation_;
  std::map<work::ModelKey, MadeReference> made_{};
  bool is_at_work_ = false;  // one agent at a time
};

// The job whose only task is the reference outputs of that job's models.
work::Job job_for_references(work::Job job);

}  // namespace ngb::dispatch
