// SPDX-License-Identifier: Apache-2.0
// Where the events of all devices go.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "dispatch/link/event_loop.h"
#include "samples/message.h"

namespace ngb::dispatch {

struct Callbacks {
  // Makes sure that what follows can be taken up at once. False: another program is writing to the results; to be asked
  // again. Not called where it is empty.
  std::function<Result<bool>()> begin{};
  // Takes up an event of a device. Error: it is not one that this device may send now.
  std::function<Status(const std::string& device, const samples::Event&)> on_event;
  // Makes all that was taken up durable; only then it is acknowledged. False: another program holds the results;
  // nothing is lost, to be asked again. Error: nothing can be recorded any more. Neither this nor `begin` waits for
  // long.
  std::function<Result<bool>()> commit;
  // Who holds the results, after a `false`: "results.db: waiting for python3 (process 123), which …".
  std::function<std::string()> who_is_in_the_way{};
  std::function<void(const std::string& device, const samples::Progress&)> on_progress;
  // For the user: "connection lost, trying again in 5 s".
  std::function<void(const std::string& device, const std::string& remark)> on_remark;
  // A toolchain of the study as it stands on a device elsewhere; told at every connection. Returns the SHA-256 by which
  // its manifest was recorded. Nobody may want to know.
  std::function<Result<std::string>(const std::string& device, const std::string& machine,
                                    const samples::FoundFolder& toolchain)>
      on_toolchain{};
  // Something of the run is to be brought to that device. Nobody may want to know.
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
  // When any device of this run was last at work.
  [[nodiscard]] Nanoseconds last_heard() const { return last_heard_; }
  // Before anything is brought to a device elsewhere; durable with the next commit.
  Status note_presence(const std::string& device) {
    return callbacks_.on_presence ? callbacks_.on_presence(device) : Status{};
  }
  void say(const std::string& device, const std::string& remark) { callbacks_.on_remark(device, remark); }
  // Yields the SHA-256 of its manifest; "" if nobody wants to know.
  Result<std::string> record_toolchain(const std::string& device, const std::string& machine,
                                       const samples::FoundFolder& toolchain) {
    return callbacks_.on_toolchain ? callbacks_.on_toolchain(device, machine, toolchain) : std::string();
  }
  // Waits until events can be taken up. While a commit waits for another program, they cannot: what was taken up before
  // takes memory, and everything else stays with the devices. False: the loop stops.
  asio::awaitable<Result<bool>> ready();
  // One commit serves all devices that ask for it in the same turn of the loop. Waits for another program that holds
  // the results, however long that takes. False: the loop stops, and what was taken up since the last commit stays with
  // the devices. After an Error the loop stops.
  asio::awaitable<Result<bool>> commit();

 private:
  struct Round {
    explicit Round(Loop& loop) : done(loop) {}
    Alarm done;
    bool is_over = false;
    Result<bool> outcome = false;
  };
  static asio::awaitable<void> end_round(Recording& recording, std::shared_ptr<Round> round);
  asio::awaitable<Result<bool>> try_until(std::function<Result<bool>()> step);
  void say_who_is_in_the_way();

  Loop& loop_;
  const Callbacks& callbacks_;
  std::shared_ptr<Round> round_{};
  bool is_waiting_ = false;  // for another program
  bool is_said_ = false;
  Nanoseconds last_heard_ = loop_.clock.now();
};

}  // namespace ngb::dispatch
