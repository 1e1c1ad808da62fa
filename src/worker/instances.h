// SPDX-License-Identifier: Apache-2.0
// Runs several instances of a worker at once. Each is a fork of the worker's process, before that has loaded anything
// of the compiler (docs/decisions/0019). The process that forks them measures nothing: it waits, and joins their
// results.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "samples/process_result.h"
#include "work/job.h"

namespace ngb::worker {

struct CommonPage;  // the memory that the instances of a worker share

// The part of one instance in keeping all of them in step. A copy is the same instance.
class Instance {
 public:
  Instance() = default;  // the only one
  Instance(int index, int count, std::shared_ptr<CommonPage> page);

  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool is_first() const { return index_ == 0; }

  // Runs `prepare` in the first instance alone, then in all others at once, and returns what it returned.
  template <class Prepare>
  bool in_turn(const Prepare& prepare) const {
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

 private:
  void meet() const;

  int index_ = 0;
  int count_ = 1;
  std::shared_ptr<CommonPage> page_{};  // null: it is the only one
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
  // others.
  [[nodiscard]] Outcome wait() const;

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
