// SPDX-License-Identifier: Apache-2.0
#include "worker/instances.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/json_text.h"
#include "base/process.h"
#include "samples/codec.h"
#include "samples/frame.h"

namespace ngb::worker {

struct CommonPage {
  pthread_barrier_t barrier{};
  std::atomic<int> with_enough{0};
  std::atomic<std::uint64_t> next_number{0};
  std::int64_t begin_ns = 0;  // the barrier orders its accesses
};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

namespace {

Result<std::shared_ptr<CommonPage>> make_page(int count) {
  void* const memory = ::mmap(nullptr, sizeof(CommonPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return tl::unexpected(file::from_errno("map", "the page of the instances", errno));
  // Nobody destroys the barrier: an instance that has ended may be the last one that used it.
  std::shared_ptr<CommonPage> page(new (memory) CommonPage,
                                   [](CommonPage* mapped) { ::munmap(mapped, sizeof(CommonPage)); });
  pthread_barrierattr_t attributes{};
  ::pthread_barrierattr_init(&attributes);
  ::pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  const int problem = ::pthread_barrier_init(&page->barrier, &attributes, static_cast<unsigned>(count));
  ::pthread_barrierattr_destroy(&attributes);
  if (problem != 0) return tl::unexpected(file::from_errno("make", "the barrier of the instances", problem));
  return page;
}

std::ptrdiff_t thread_count() {
  std::error_code code;
  return std::distance(std::filesystem::directory_iterator("/proc/self/task", code), {});
}

// An instance that outlived the process that joins the results would measure for nobody.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0UL, 0UL, 0UL);
  if (::getppid() != parent) ::raise(SIGKILL);
}

pid_t wait_for(pid_t pid, int& status) {
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, 0);
    if (ended >= 0 || errno != EINTR) return ended;
  }
}

Instances::Outcome failed(std::string message) {
  samples::ProcessResult none;
  none.threads_used = Known<int>::unknown("an instance delivered no result");
  none.failure = samples::Failure{};
  none.failure->message = std::move(message);
  return {std::move(none)};
}

}  // namespace

Instance::Instance(int index, int count, std::shared_ptr<CommonPage> page)
    : index_(index), count_(count), page_(std::move(page)), next_number_(page_, &page_->next_number) {}

void Instance::meet() const {
  if (page_) ::pthread_barrier_wait(&page_->barrier);
}

void Instance::meet(const std::function<void()>& before_going_on) const {
  meet();
  if (is_first()) before_going_on();
  meet();
}

void Instance::has_enough() const {
  if (page_) page_->with_enough.fetch_add(1, std::memory_order_relaxed);
}

bool Instance::all_have_enough() const {
  return page_ == nullptr || page_->with_enough.load(std::memory_order_relaxed) >= count_;
}

std::int64_t Instance::begin_together(const std::function<std::int64_t()>& clock) const {
  if (!page_) return clock();
  meet([this, &clock] { page_->begin_ns = clock(); });
  return page_->begin_ns;
}

Result<Instances> Instances::start(int count, const std::function<pid_t()>& fork) {
  if (const auto threads = thread_count(); threads > 1) {
    return fail(fmt::format("the worker has {} threads before it loads its compiler, so it cannot be forked", threads),
                "instances", "measure this compiler with instances: 1");
  }
  const Result<std::shared_ptr<CommonPage>> page = make_page(count);
  if (!page) return error_of(page);
  Instances started;
  const pid_t parent = ::getpid();
  std::fflush(nullptr);  // else each instance would write again what is buffered
  for (int index = 0; index < count; ++index) {
    Member member{.result = FileDescriptor(::memfd_create("ngb-instance", MFD_CLOEXEC))};
    if (!member.result.is_open()) {
      const Error problem = file::from_errno("create", "the result of an instance", errno);
      started.end_all();
      return tl::unexpected(problem);
    }
    member.pid = fork();
    if (member.pid < 0) {
      const Error problem = file::from_errno("fork", fmt::format("instance {} of {}", index + 1, count), errno);
      started.end_all();
      return tl::unexpected(problem);
    }
    const bool is_instance = member.pid == 0;
    started.members_.push_back(std::move(member));
    if (!is_instance) continue;
    die_with(parent);
    started.mine_.emplace(index, count, *page);
    break;
  }
  return started;
}

Status Instances::deliver(const samples::ProcessResult& result) const {
  return file::write_all(members_.back().result.get(), json_text::dump(work::write_json(result)),
                         "result of an instance");
}

void Instances::end_all() const {
  for (const Member& member : members_) ::kill(member.pid, SIGKILL);
  int status = 0;
  for (const Member& member : members_) wait_for(member.pid, status);
}

Instances::Outcome Instances::outcome_of(std::size_t member, int wait_status) const {
  if (wait_status != 0) {
    std::fputs(
        fmt::format("instance {} of {} ended with {}\n", member + 1, members_.size(), process::describe(wait_status))
            .c_str(),
        stderr);
    return {std::nullopt, wait_status};
  }
  const Result<std::string> text =
      file::read(fmt::format("/proc/self/fd/{}", members_[member].result.get()), samples::kMaxFrameBytes);
  const nlohmann::json answer = text ? json_text::parse(*text) : nlohmann::json();
  Result<samples::ProcessResult> result = work::parse_json<samples::ProcessResult>(answer, "result of an instance");
  if (result) return {*std::move(result)};
  return failed(text ? result.error().text() : text.error().text());
}

Instances::Outcome Instances::wait(Counted counted) const {
  std::vector<samples::ProcessResult> results(members_.size());
  for (std::size_t ended = 0; ended < members_.size();) {
    int status = 0;
    const pid_t pid = wait_for(-1, status);
    if (pid < 0) {
      end_all();
      return failed(file::from_errno("wait for", "the instances", errno).text());
    }
    const auto member =
        std::find_if(members_.begin(), members_.end(), [&](const Member& each) { return each.pid == pid; });
    if (member == members_.end()) continue;  // a process that an instance has left behind
    const auto index = static_cast<std::size_t>(member - members_.begin());
    Outcome outcome = outcome_of(index, status);
    if (!outcome.result || outcome.result->failure) {
      end_all();
      return outcome;
    }
    results[index] = *std::move(outcome.result);
    ++ended;
  }
  return {join_instances(std::move(results), counted)};
}

int end_like(int wait_status) {
  const process::Outcome outcome = process::decode(wait_status);
  if (!outcome.signal) return outcome.exit_code.value_or(1);
  const struct rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // the instance has left one
  ::signal(*outcome.signal, SIG_DFL);
  ::raise(*outcome.signal);
  return 1;
}

namespace {

using samples::PhaseUse;
using samples::ProcessResult;
using samples::Reading;
using samples::Repetition;

std::int64_t begin_of(const Repetition& repetition) { return repetition.started_ns.value_or(0); }
std::int64_t end_of(const Repetition& repetition) { return begin_of(repetition) + repetition.wall_ns; }

// The time in which all instances ran steady repetitions; empty if one has none.
struct Window {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
  [[nodiscard]] bool contains(const Repetition& repetition) const {
    return begin_of(repetition) >= begin_ns && end_of(repetition) <= end_ns;
  }
};

Window common_window(const std::vector<ProcessResult>& results) {
  Window window;
  for (const ProcessResult& result : results) {
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    for (const Repetition& repetition : result.repetitions) {
      if (repetition.is_warm_up) continue;
      first_ns = std::min(first_ns, begin_of(repetition));
      last_ns = std::max(last_ns, end_of(repetition));
    }
    window.begin_ns = std::max(window.begin_ns, first_ns);
    window.end_ns = std::min(window.end_ns, last_ns);
  }
  return window;
}

template <class T>
void add(Known<T>& sum, const Known<T>& other) {
  if (!sum.value) return;
  if (other.value) {
    *sum.value += *other.value;
  } else {
    sum = other;
  }
}

// An unknown value leaves the maximum unknown.
template <class T>
void raise_to(Known<T>& highest, const Known<T>& other) {
  if (!highest.value) return;
  if (!other.value || *other.value > *highest.value) highest = other;
}

void extend(PhaseUse& joined, const PhaseUse& other) {
  const std::int64_t begin_ns = std::min(joined.started_ns.value_or(0), other.started_ns.value_or(0));
  const std::int64_t end_ns =
      std::max(joined.started_ns.value_or(0) + joined.wall_ns, other.started_ns.value_or(0) + other.wall_ns);
  joined.started_ns = begin_ns;
  joined.wall_ns = end_ns - begin_ns;
  add(joined.cpu_ns, other.cpu_ns);
  add(joined.peak_rss_bytes, other.peak_rss_bytes);
}

void join_phases(ProcessResult& joined, const ProcessResult& other) {
  for (PhaseUse& use : joined.phases) {
    if (use.phase != samples::Phase::warm_up && use.phase != samples::Phase::timed) continue;
    const auto same = std::find_if(other.phases.begin(), other.phases.end(),
                                   [&](const PhaseUse& each) { return each.phase == use.phase; });
    if (same != other.phases.end()) extend(use, *same);
  }
}

void join_readings(ProcessResult& joined, const ProcessResult& other) {
  constexpr std::array<std::string_view, 4> kHighest{"run_queue_wait", "core_steal", "throttled", "other_cpu"};
  for (Reading& reading : joined.readings) {
    if (reading.moment != "timed") continue;
    const auto same = std::find_if(other.readings.begin(), other.readings.end(), [&](const Reading& each) {
      return each.quantity == reading.quantity && each.moment == reading.moment;
    });
    if (same == other.readings.end()) continue;
    const bool is_highest = std::find(kHighest.begin(), kHighest.end(), reading.quantity) != kHighest.end();
    if (is_highest) raise_to(reading.value, same->value);
    if (reading.quantity == "page_faults" || reading.quantity == "inferences") add(reading.value, same->value);
  }
}

void join_check(ProcessResult& joined, const ProcessResult& other) {
  if (!joined.check || !other.check) return;
  raise_to(joined.check->max_absolute_error, other.check->max_absolute_error);
  raise_to(joined.check->max_relative_error, other.check->max_relative_error);
  std::optional<std::uint64_t>& finite = joined.check->finite_elements;
  if (finite && other.check->finite_elements) finite = std::min(*finite, *other.check->finite_elements);
  if (joined.check->output_change.empty()) joined.check->output_change = other.check->output_change;
}

void join_facts(ProcessResult& joined, const ProcessResult& other) {
  const auto affinity = other.facts.find("affinity");
  if (affinity != other.facts.end()) joined.facts["affinity"] += " | " + affinity->second;
}

// Appends what the instance ran, and says what of it does not count.
void append(std::vector<Repetition>& repetitions, std::vector<std::vector<std::int64_t>>& latencies_ns,
            ProcessResult& result, std::uint32_t instance, const Window& window) {
  if (!result.latencies_ns.empty()) {
    latencies_ns.resize(repetitions.size());
    std::move(result.latencies_ns.begin(), result.latencies_ns.end(), std::back_inserter(latencies_ns));
  }
  for (Repetition& repetition : result.repetitions) {
    repetition.instance = instance;
    repetition.is_warm_up = repetition.is_warm_up || !window.contains(repetition);
    repetitions.push_back(repetition);
  }
}

}  // namespace

ProcessResult join_instances(std::vector<ProcessResult> results, Counted counted) {
  const Window window = counted == Counted::while_all_run ? common_window(results) : Window();
  std::vector<Repetition> repetitions;
  std::vector<std::vector<std::int64_t>> latencies_ns;
  for (std::size_t i = 0; i < results.size(); ++i) {
    append(repetitions, latencies_ns, results[i], static_cast<std::uint32_t>(i), window);
  }
  ProcessResult joined = std::move(results.front());
  for (std::size_t i = 1; i < results.size(); ++i) {
    const ProcessResult& other = results[i];
    join_phases(joined, other);
    join_readings(joined, other);
    join_check(joined, other);
    join_facts(joined, other);
    raise_to(joined.threads_used, other.threads_used);
    joined.is_steady = joined.is_steady && other.is_steady;
    if (joined.stop_reason == "repetitions") joined.stop_reason = other.stop_reason;
  }
  joined.repetitions = std::move(repetitions);
  joined.latencies_ns = std::move(latencies_ns);
  return joined;
}

}  // namespace ngb::worker
