// SPDX-License-Identifier: Apache-2.0
// Runs the load of one attempt: starts it when the worker asks for it, measures what it uses while the cell is timed,
// and ends it. A load that ends by itself is a failure of the process.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/workers/burner.h"
#include "agent/workers/children.h"
#include "agent/workers/launcher.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "probe/contention.h"
#include "samples/process_result.h"
#include "work/load.h"

namespace ngb::agent {

// Returns the processors that the load runs on. `allowed` are all that the agent may use, `of_cell` those of the cell's
// inference. Returns an error that names the key if there are too few: more processors to burn than there are, none
// besides the cell's, or one listed that the agent may not use.
Result<std::vector<int>> processors_of(const work::Load& load, const std::vector<int>& allowed,
                                       const std::vector<int>& of_cell);

class LoadRun {
 public:
  // `cpus` are the load's processors, `of_cell` those of the worker. `log` receives the load's output. All references
  // outlive it. Starts nothing.
  LoadRun(const Surroundings& surroundings, Children& children, work::Load load, std::vector<int> cpus,
          const std::vector<int>& of_cell, std::filesystem::path log);
  ~LoadRun();
  LoadRun(const LoadRun&) = delete;
  LoadRun& operator=(const LoadRun&) = delete;

  // Handles a frame of the worker; `workers` are the worker, or its instances. Returns false if it is none of
  // samples/worker_signal.h.
  bool receive(std::string_view frame, const std::vector<pid_t>& workers);
  // Handles what has happened since the last call. Returns a failure, without its phase, if the load could not start or
  // has ended too early.
  std::optional<samples::Failure> advance(Nanoseconds now);
  // Returns true once after each frame that was handled: the worker may go on.
  bool lets_worker_go_on();
  // Returns when `advance` must be called even if nothing happens; nothing if the load runs or has ended.
  [[nodiscard]] std::optional<Nanoseconds> deadline() const { return next_look_; }

  // Returns the living processes of the load.
  [[nodiscard]] std::set<pid_t> processes() const;
  // Adds what the load used while the cell was timed (load_cpu_time in s, load_cpu in percent of a processor,
  // load_memory in bytes/s), and corrects other_cpu: what neither the worker nor its load used, of both their
  // processors.
  void add_use(samples::ProcessResult& result) const;

 private:
  // What the load had used when the timed phase began, or ended.
  struct Mark {
    std::int64_t cpu_ns = 0;
    std::uint64_t bytes = 0;
    probe::Counters counters{};
  };
  Status start();
  void end();
  [[nodiscard]] Mark mark() const;
  std::optional<samples::Failure> fail_with(const std::string& what);
  [[nodiscard]] Nanoseconds wait() const;

  const Surroundings& surroundings_;
  Children& children_;
  work::Load load_;
  std::vector<int> cpus_;
  std::vector<int> all_cpus_;  // and the worker's
  std::filesystem::path log_;
  std::optional<samples::Failure> failed_{};
  std::optional<pid_t> pid_{};  // while it has not ended
  FileDescriptor life_{};       // the load ends when it is closed
  struct Unmap {
    void operator()(LoadPage* page) const;
  };
  std::unique_ptr<LoadPage, Unmap> page_{};
  Nanoseconds started_{};
  std::optional<Nanoseconds> next_look_{};  // while it is starting
  std::optional<probe::ContentionMeter> meter_{};
  std::optional<Mark> begin_{};
  std::optional<Mark> end_{};
  bool may_go_on_ = false;
};

}  // namespace ngb::agent
