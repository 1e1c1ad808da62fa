// SPDX-License-Identifier: Apache-2.0
// An Observer receives what a campaign reports and asks while it measures. A command prints it; a test takes notes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "campaign/say.h"
#include "dispatch/fleet.h"
#include "plan/plan.h"

namespace ngb::campaign {

// Returns the estimated number of seconds that a run still takes, or nothing if it is not known.
using SecondsLeft = std::function<std::optional<double>()>;

// Returns how many seconds of system_clock() have passed since `time`.
inline double seconds_since(Nanoseconds time) {
  return std::chrono::duration<double>(system_clock().now() - time).count();
}

// What a run has to do, as it is known when the run begins.
struct Outlook {
  const plan::Plan* plan = nullptr;  // until the run ends
  std::vector<int> left{};           // the number of processes of each cell that are to be measured
  int done = 0;                      // processes of this run that were recorded before
  int total = 0;                     // with these
  SecondsLeft seconds_left{};        // may be called as long as the plan is there
  bool is_of_before = false;         // a run of the study before its change, of which the rest is fetched
};

struct FinishedProcess {
  int cell = 0;                           // in the plan's cells
  int round = 0;                          // the process's index
  int left = 0;                           // processes of the cell that are still to be measured
  std::string workload{};                 // "resnet18 batch 8"
  std::string compiler{};                 // "openvino 2026.4.1"
  std::optional<double> samples_per_s{};  // by time; unknown if no repetition was steady
};

// Everything is called by the thread that runs the campaign.
class Observer {
 public:
  virtual ~Observer() = default;

  // Tells the user a text of whole lines, as Say does.
  virtual void say(std::string_view text) = 0;
  // Returns whether the user wants the campaign to end. It is called between steps, and every 200 ms while devices
  // measure.
  virtual bool is_stop_requested() { return false; }

  // A run begins; what is told from here on belongs to it, until end_run. There is one at a time.
  virtual void begin_run(const Outlook& /*outlook*/) {}
  virtual void end_run() {}
  // A line without a line break about the run: a failure, a lost connection.
  virtual void remark(const std::string& /*line*/) {}
  // Reports what a device does now: "openvino 2026.4.1 · resnet18 batch 8 · process 3 · timed".
  virtual void show(const std::string& /*device*/, const std::string& /*doing*/, bool /*is_measuring*/) {}
  virtual void finish_process(const FinishedProcess& /*process*/) {}
  // An attempt failed or was disturbed. `ends`: no other attempt follows, and `skipped` processes of the cell will not
  // run.
  virtual void fail_process(int /*cell*/, const std::string& /*why*/, bool /*ends*/, int /*skipped*/) {}
  // Nothing more is measured of a cell, because its question is decided: `skipped` processes will not run. Below 0: it
  // is open again, and so many of them may run after all.
  virtual void end_rounds(int /*cell*/, int /*skipped*/) {}
  // Replaces the note about the run: "14 attempts disturbed".
  virtual void note(const std::string& /*text*/) {}
  virtual void finish_device(const std::string& /*device*/) {}

  // Around the time in which devices measure, after which nothing is lost if the program is ended at once.
  virtual void begin_measuring() {}
  virtual void tick() {}  // every 200 ms in this time
  virtual void end_measuring() {}
  // Reports how the devices have ended, and what is left on them.
  virtual void show_endings(const std::vector<dispatch::DeviceEnding>& /*endings*/,
                            const std::filesystem::path& /*results*/) {}
};

// Returns a function that tells the observer, which must outlive it.
inline Say saying(Observer& observer) {
  return [&observer](std::string_view text) { observer.say(text); };
}

}  // namespace ngb::campaign
