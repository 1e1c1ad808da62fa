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
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
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

}  // namespace ngb::worker
