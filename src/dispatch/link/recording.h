// SPDX-License-Identifier: Apache-2.0
// Records the events of all devices. One commit serves all of them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "dispatch/link/event_loop.h"
#include "samples/message.h"

namespace ngb::dispatch {

struct Callbacks {
  // Prepares the results for events. Returns an error with the code `busy` if another program writes to them; it is
  // then called again. May be empty. Neither this nor `commit` waits for long.
  std::function<Status()> begin{};
  // Records an event of a device. Returns an error if this device may not send this event now.
  std::function<Status(const std::string& device, const samples::Event&)> on_event;
  // Makes all recorded events durable; only then are they acknowledged. Returns an error with the code `busy` if
  // another program holds the results; nothing is lost and it is called again. After any other error nothing can be
  // recorded.
  std::function<Status()> commit;
  // Returns who holds the results after a `busy`: "results.db: waiting for python3 (process 123), which …".
  std::function<std::string()> who_is_in_the_way{};
  std::function<void(const std::string& device, const samples::Progress&)> on_progress;
  // Shows a line to the user: "connection lost, trying again in 5 s".
  std::function<void(const std::string& device, const std::string& remark)> on_remark;
  // Is called at every connection with each toolchain of the study that is on a device elsewhere. Returns the SHA-256
  // by which the toolchain's manifest was recorded. May be empty.
  std::function<Result<std::string>(const std::string& device, const std::string& machine,
                                    const samples::FoundFolder& toolchain)>
      on_toolchain{};
  // Is called before files of the run are delivered to the device. May be empty.
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
  // Notes that files of the run may be on the device. It is called before anything is delivered there. The note is
  // durable with the next commit.
  Status note_presence(const std::string& device) {
    return callbacks_.on_presence ? callbacks_.on_presence(device) : Status{};
  }
  void say(const std::string& device, const std::string& remark) { callbacks_.on_remark(device, remark); }
  // Returns the SHA-256 of the toolchain's manifest; "" if on_toolchain is empty.
  Result<std::string> record_toolchain(const std::string& device, const std::string& machine,
                                       const samples::FoundFolder& toolchain) {
    return callbacks_.on_toolchain ? callbacks_.on_toolchain(device, machine, toolchain) : std::string();
  }
  // Waits until events can be recorded. They cannot while a commit waits for another program, because events that are
  // not yet durable use memory; later events stay with the devices meanwhile. Returns an error with the code `lost` if
  // the loop stops.
  asio::awaitable<Status> ready();
  // Makes all recorded events durable. One commit serves all devices that call this in the same turn of the loop. Waits
  // as long as another program holds the results. Returns an error with the code `lost` if the loop stops; the devices
  // then keep the events since the last commit. Any other error stops the loop.
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
  bool is_waiting_ = false;  // a commit is in progress, which may wait for another program
  bool is_said_ = false;     // the user knows who holds the results
  Nanoseconds last_heard_ = loop_.clock.now();
};

}  // namespace ngb::dispatch
