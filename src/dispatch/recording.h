// SPDX-License-Identifier: Apache-2.0
// Where the events of all devices go.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "dispatch/loop.h"
#include "samples/message.h"

namespace ngb::dispatch {

struct Callbacks {
  // Takes up an event of a device. Error: it is not one that this device may send now.
  std::function<Status(const std::string& device, const samples::Event&)> on_event;
  // Makes all that was taken up durable; only then it is acknowledged. Error: nothing can be recorded any more.
  std::function<Status()> commit;
  std::function<void(const std::string& device, const samples::Progress&)> on_progress;
  // For the user: "connection lost, trying again in 5 s".
  std::function<void(const std::string& device, const std::string& remark)> on_remark;
  // A toolchain of the study as it stands on a device elsewhere; told at every connection. Nobody may want to know.
  std::function<Status(const std::string& device, const std::string& machine, const samples::FoundFolder& toolchain)>
      on_toolchain{};
};

class Recording {
 public:
  Recording(Loop& loop, const Callbacks& callbacks) : loop_(loop), callbacks_(callbacks) {}

  Status record(const std::string& device, const samples::Event& event) { return callbacks_.on_event(device, event); }
  void show(const std::string& device, const samples::Progress& progress) { callbacks_.on_progress(device, progress); }
  void say(const std::string& device, const std::string& remark) { callbacks_.on_remark(device, remark); }
  Status record_toolchain(const std::string& device, const std::string& machine,
                          const samples::FoundFolder& toolchain) {
    return callbacks_.on_toolchain ? callbacks_.on_toolchain(device, machine, toolchain) : Status{};
  }
  // One commit serves all devices that ask for it in the same turn of the loop. After an Error the loop stops.
  asio::awaitable<Status> commit();

 private:
  struct Round {
    explicit Round(Loop& loop) : done(loop) {}
    Alarm done;
    bool is_over = false;
    Status status{};
  };
  void end_round();

  Loop& loop_;
  const Callbacks& callbacks_;
  std::shared_ptr<Round> round_{};
};

}  // namespace ngb::dispatch
