// SPDX-License-Identifier: Apache-2.0
// Records the events of all devices, one commit for all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "dispatch/link/event_loop.h"
#include "samples/message.h"

namespace ngb::dispatch {

struct Callbacks {
  // Prepares the results for events. Error with the code `busy`: another program is writing to them; asked again.
  // Empty: no need.
  std::function<Status()> begin{};
  // Records an event of a device. Error: it is not one that this device may send now.
  std::function<Status(const std::string& device, const samples::Event&)> on_event;
  // Makes all recorded events durable; only then are they acknowledged. Error with the code `busy`: another program
  // holds the results and nothing is lost; asked again. Any other error: nothing can be recorded any more. Neither this
  // nor `begin` waits for long.
  std::function<Status()> commit;
  // Says who holds the results after a `busy`: "results.db: waiting for python3 (process 123), which …".
  std::function<std::string()> who_is_in_the_way{};
  std::function<void(const std::string& device, const samples::Progress&)> on_progress;
  // For the user: "connection lost, trying again in 5 s".
  std::function<void(const std::string& device, const std::string& remark)> on_remark;
  // Called at every connection with each toolchain of the study that is on a device elsewhere. Returns the SHA-256 by
  // which its manifest was recorded. May be empty.
  std::function<Result<std::string>(const std::string& device, const std::string& machine,
                                    const samples::FoundFolder& toolchain)>
      on_toolchain{};
  // Called before files of the run are brought to the device. May be empty.
  std::function<Status(const std::string& device)> on_presence{};
};

class Recording {
 public:
  Recording(Loop& loop, const Callbacks& callbacks) : loop_(loop), callbacks_(callbacks) {}

  Status record(const std::string& device, const samples::Event& event) {
    last_heard_ = loop_.clock.now();
    return callbacks_.on_event(device, event);
  }
  void show(const std::string& device, const samples::Progress& progress) {
    last_heard_ = loop_.clock.now();
    callbacks_.on_progress(device, progress);
  }
  // Returns when any device of this run last sent an event or its progress.
  [[nodiscard]] Nanoseconds last_heard() const { return last_heard_; }
  // Notes that files of the run may be on the device; called before anything is brought there. Durable with the next
  // commit.
  Status note_presence(const std::string& device) {
    return callbacks_.on_presence ? callbacks_.on_presence(device) : Status{};
  }
  void say(const std::string& device, const std::string& remark) { callbacks_.on_remark(device, remark); }
  // Returns the SHA-256 of the toolchain's manifest; "" without on_toolchain.
  Result<std::string> record_toolchain(const std::string& device, const std::string& machine,
                                       const samples::FoundFolder& toolchain) {
    return callbacks_.on_toolchain ? callbacks_.on_toolchain(device, machine, toolchain) : std::string();
  }
  // Waits until events can be recorded. While a commit waits for another program they cannot: events that are not yet
  // durable take memory, and those that come later stay with the devices. Error `lost`: the loop stops.
  asio::awaitable<Status> ready();
  // Makes all recorded events durable; one commit serves all devices that call this in the same turn of the loop. Waits
  // for another program that holds the results, however long that takes. Error `lost`: the loop stops, and the devices
  // keep the events since the last commit. After any other error the loop stops.
  asio::awaitable<Status> commit();

 private:
  struct Round {
    explicit Round(Loop& loop) : done(loop) {}
    Alarm done;
    bool is_over = false;
    Status outcome{};
  };
  static asio::awaitable<void> end_round(Recording& recording, std::shared_ptr<Round> round);
  asio::awaitable<Status> try_until(std::function<Status()> step);
  void say_who_is_in_the_way();

  Loop& loop_;
  const Callbacks& callbacks_;
  std::shared_ptr<Round> round_{};
  bool is_waiting_ = false;  // for another program
  bool is_said_ = false;
  Nanoseconds last_heard_ = loop_.clock.now();
};

}  // namespace ngb::dispatch
