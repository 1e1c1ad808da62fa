// SPDX-License-Identifier: Apache-2.0
// Runs several instances of a worker at once. Each is a fork of the worker's process, before that has loaded anything
// of the compiler (docs/decisions/0019). The process that forks them measures nothing: it waits, and joins their
// results.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "samples/process_result.h"
#include "work/job.h"

namespace ngb::worker {

// Makes one result of those of several instances that ran at once. Pure.

// Selects the steady repetitions of several instances that count.
enum class Counted {
  while_all_run,  // those within the time in which every instance ran steady ones, so that T is what all do together
  all,            // each, because it answered requests of a queue that all serve; an instance may have to wait for them
};

// Joins the results of instances 0, 1, … of one process, none of which failed. There is at least one.
//   phases      those before the warm-up are the first instance's, which prepares alone; warm-up and timed phase last
//               from the first begin to the last end, with the processor time and the peak memory of all
//   repetitions of all, instance by instance; with Counted::while_all_run, only those count that lie within the time in
//               which every instance ran steady ones: from the latest begin of a first one to the earliest end of a
//               last one
//   check       the largest errors of all
//   threads     the most that one used
//   readings    the first instance's, but of run_queue_wait, core_steal, throttled and other_cpu over the timed phase
//               the highest, and of page_faults and inferences the sum
//   facts       the first instance's, and as `affinity` the processors of each: "1 | 0"
samples::ProcessResult join_instances(std::vector<samples::ProcessResult> results,
                                      Counted counted = Counted::while_all_run);

struct CommonPage;  // the memory that the instances of a worker share

// The part of one instance in keeping all of them in step. A copy is the same instance.
class Instance {
 public:
  Instance() = default;  // the only one
  Instance(int index, int count, std::shared_ptr<CommonPage> page);

  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool is_first() const { return index_ == 0; }

  // Runs `prepare` in the first instance alone, then in all others at once, and returns the result of this instance.
  template <class Prepare>
  bool first_alone(const Prepare& prepare) const {
    if (!is_first()) meet();
    const bool is_prepared = prepare();
    if (is_first() && is_prepared) meet();  // if it failed, the others end while they wait
    return is_prepared;
  }
  // Waits until all instances are here. Then the first one calls `before_going_on`, and the others wait for its return.
  void meet(const std::function<void()>& before_going_on) const;

  // Says that this instance has all the repetitions that it needs; called once. It goes on until all_have_enough().
  void has_enough() const;
  [[nodiscard]] bool all_have_enough() const;

  // Waits until all instances are here, and returns in each the time that `clock` then has in the first one.
  [[nodiscard]] std::int64_t begin_together(const std::function<std::int64_t()>& clock) const;
  // Returns the next number, from 0 on. Over all instances, each number is returned once, in ascending order.
  [[nodiscard]] std::uint64_t take_number() const { return next_number_->fetch_add(1, std::memory_order_relaxed); }

 private:
  void meet() const;

  int index_ = 0;
  int count_ = 1;
  std::shared_ptr<CommonPage> page_{};  // null: it is the only one
  // In the page, unless it is the only one.
  std::shared_ptr<std::atomic<std::uint64_t>> next_number_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

// The forked instances of a worker.
class Instances {
 public:
  // Forks with `fork`, as fork(2) does. Returns in each instance and in the process that called it. Returns an error if
  // that has several threads, which a fork would lose, or if an instance cannot be started; the others have then ended.
  static Result<Instances> start(int count, const std::function<pid_t()>& fork);

  // Returns which instance this process is; nothing: it is the one that called `start`.
  [[nodiscard]] const std::optional<Instance>& mine() const { return mine_; }

  // In an instance: hands the result over. The process may end then.
  Status deliver(const samples::ProcessResult& result) const;

  struct Outcome {
    std::optional<samples::ProcessResult> result{};  // of all instances together, or of the one that failed first
    int wait_status = 0;                             // without a result: how an instance ended
  };
  // In the process that called `start`: waits until all instances have ended. When one fails or crashes, ends the
  // others. `counted` says what of their repetitions counts.
  [[nodiscard]] Outcome wait(Counted counted = Counted::while_all_run) const;

 private:
  struct Member {
    pid_t pid = -1;
    FileDescriptor result{};  // a file in memory
  };
  [[nodiscard]] Outcome outcome_of(std::size_t member, int wait_status) const;
  void end_all() const;

  std::vector<Member> members_{};
  std::optional<Instance> mine_{};
};

// Ends this process as an instance has ended: with its signal, or by returning its exit code, which the caller returns.
int end_like(int wait_status);

}  // namespace ngb::worker
