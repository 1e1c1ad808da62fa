// SPDX-License-Identifier: Apache-2.0
// Makes reference outputs for devices without a toolchain that could make them. An agent on this machine makes them
// once for all devices, in this machine's usual cache.
#pragma once

#include <map>
#include <string>

#include "dispatch/delivery/parts.h"
#include "dispatch/fleet.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/recording.h"

namespace ngb::dispatch {

struct MadeReference {
  LocalTree tree{};       // one file, named by its content: "references/<sha256>/outputs.ref"
  std::string key{};      // names everything on which the outputs depend
  std::string why_not{};  // if not empty, there are no outputs and no tree, for this reason
};

// The name of the file in the tree.
inline constexpr const char* kReferenceFile = "outputs.ref";

class References {
 public:
  // All references outlive this object.
  References(Loop& loop, Recording& recording, const Installation& installation)
      : loop_(loop), recording_(recording), installation_(installation) {}

  // Returns the reference outputs of each model in the share's job; the pointers are valid as long as this object.
  // Makes only outputs that no earlier call has made or failed to make, and waits for those that another call is
  // making. Returns only some of them if the loop stops. Returns an error if the job cannot be made.
  using OfModels = std::map<work::ModelKey, const MadeReference*>;
  asio::awaitable<Result<OfModels>> of(const Share& share);

 private:
  asio::awaitable<void> make(const Share& share, work::Job job);
  void keep(const samples::ReferenceMade& made);

  Loop& loop_;
  Recording& recording_;
  const Installation& installation_;
  std::map<work::ModelKey, MadeReference> made_{};
  bool is_at_work_ = false;  // one agent at a time
};

// Turns a job into one that only makes the reference outputs of its models. Precondition: the job has a reference.
work::Job job_for_references(work::Job job);

}  // namespace ngb::dispatch
