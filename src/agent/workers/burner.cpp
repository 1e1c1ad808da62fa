// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/burner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "agent/workers/children.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/processors.h"
#include "base/text.h"
#include "base/threads.h"
#include "samples/codec.h"

namespace ngb::agent {
namespace {

constexpr int kCannotBurn = 125;

std::int64_t now_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  constexpr std::int64_t kSecond = 1'000'000'000;
  return time.tv_sec * kSecond + time.tv_nsec;
}

void sleep_until(std::int64_t monotonic_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec time{monotonic_ns / kSecond, monotonic_ns % kSecond};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

// Computes for some microseconds. The compiler cannot leave out what goes into a volatile.
void compute() {
  static thread_local volatile double sink = 1;
  double a = sink;
  double b = 0.5;
  for (int i = 0; i < 1000; ++i) {
    a = a * 0.999999 + b;
    b = b * 1.000001 - 1e-9;
  }
  sink = a;
}

// Uses `share` of the processor's time in each period of 10 ms, as far as the kernel gives it so much.
void burn_processor(int cpu, double share) {
  confine(0, {cpu});
  constexpr std::int64_t kPeriod = 10'000'000;
  const auto part = static_cast<std::int64_t>(share * static_cast<double>(kPeriod));
  for (std::int64_t begin = now_ns(CLOCK_MONOTONIC);;) {
    const std::int64_t used = now_ns(CLOCK_THREAD_CPUTIME_ID);
    const std::int64_t end = begin + kPeriod;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) - used < part && now_ns(CLOCK_MONOTONIC) < end) compute();
    if (share < 1) sleep_until(end);
    begin = std::max(end, now_ns(CLOCK_MONOTONIC));
  }
}

// Returns the bytes of all threads' buffers together: several times the last cache, so that what is read again comes
// from memory, but at most an eighth of the memory. 256 MiB where the size of the cache is not known.
std::size_t buffer_bytes() {
  constexpr long kUnit = 1L << 20U;
  constexpr long kLeast = 256 * kUnit;
  constexpr long kMost = 512 * kUnit;
  long cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  const long memory = ::sysconf(_SC_PHYS_PAGES) / 8 * ::sysconf(_SC_PAGESIZE);
  return static_cast<std::size_t>(std::min(std::clamp(4 * cache, kLeast, kMost), std::max(memory, kUnit)));
}

// Copies from one half of a buffer to the other at this rate. A copied byte counts as one read and one written, as in
// STREAM (McCalpin 1995). `threads` burners share the work. A burner that gets too little of the processor does not
// catch up on more than 10 ms.
void burn_memory(const std::vector<int>& cpus, std::size_t threads, double bytes_per_s, LoadPage& page,
                 std::atomic<std::size_t>& beginning) {
  confine(0, cpus);
  constexpr std::size_t kChunk = 256U << 10U;
  const std::size_t half = std::max(buffer_bytes() / 2 / threads, kChunk);
  const auto buffer = std::make_unique<char[]>(2 * half);
  std::memset(buffer.get(), 1, 2 * half);
  --beginning;
  constexpr std::int64_t kMostBehind = 10'000'000;
  const double chunk_ns = 1e9 * 2 * kChunk / bytes_per_s;
  auto due = static_cast<double>(now_ns(CLOCK_MONOTONIC));
  for (std::size_t at = 0;; at = at + 2 * kChunk <= half ? at + kChunk : 0) {
    std::memcpy(buffer.get() + half + at, buffer.get() + at, kChunk);
    page.bytes.fetch_add(2 * kChunk, std::memory_order_relaxed);
    due += chunk_ns;
    const std::int64_t now = now_ns(CLOCK_MONOTONIC);
    due = std::max(due, static_cast<double>(now - kMostBehind));
    constexpr double kWorthSleeping = 100'000;
    if (due - static_cast<double>(now) > kWorthSleeping) sleep_until(static_cast<std::int64_t>(due));
  }
}

// Waits for the end of standard input.
void wait_for_agent() {
  char byte = 0;
  for (ssize_t count = 1; count > 0 || (count < 0 && errno == EINTR);) count = ::read(STDIN_FILENO, &byte, 1);
}

// The threads do not end by themselves: the process ends with them.
[[noreturn]] void burn_until_the_end(const work::Load& load, const std::vector<int>& cpus, LoadPage& page) {
  const auto on_cpu = [&](std::size_t i) { return cpus[i % cpus.size()]; };
  constexpr double kBytesPerThread = 4e9;  // what one thread of a server can copy
  const bool is_cpu = load.kind == work::LoadKind::cpu;
  const auto wanted =
      static_cast<std::size_t>(std::ceil(is_cpu ? load.processors : load.bytes_per_s / kBytesPerThread));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, cpus.size());
  std::atomic<std::size_t> beginning{is_cpu ? 0 : count};
  std::vector<Thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_cpu) {
      const double share = std::min(load.processors - static_cast<double>(i), 1.0);
      threads.emplace_back([cpu = on_cpu(i), share] { burn_processor(cpu, share); });
    } else {
      threads.emplace_back(
          [&, count] { burn_memory(cpus, count, load.bytes_per_s / static_cast<double>(count), page, beginning); });
    }
  }
  while (beginning > 0) sleep_until(now_ns(CLOCK_MONOTONIC) + 1'000'000);
  page.is_running = 1;
  wait_for_agent();
  ::_exit(0);
}

// Ends this process as its child has ended.
int end_likewise(int wait_status) {
  const process::Outcome outcome = process::decode(wait_status);
  if (outcome.signal) {
    ::signal(*outcome.signal, SIG_DFL);
    ::raise(*outcome.signal);
  }
  return outcome.exit_code.value_or(kCannotBurn);
}

int run_command(const work::Load& load, LoadPage& page) {
  sigset_t ended;
  ::sigemptyset(&ended);
  ::sigaddset(&ended, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &ended, nullptr);
  const FileDescriptor signals(::signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK));
  Children children;
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  process::Spawn spawn{{"/bin/sh", "-c", load.command}};
  spawn.inherits = environment::Share::all;  // those with which the agent has started us
  spawn.descriptors = {{nothing.get(), 0}};
  spawn.own_group = true;
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) {
    std::fputs((pid.error().text() + "\n").c_str(), stderr);
    return kCannotBurn;
  }
  children.watch(*pid);
  page.is_running = 1;
  for (;;) {
    pollfd sources[2]{{STDIN_FILENO, POLLIN, 0}, {signals.get(), POLLIN, 0}};
    (void)::poll(sources, 2, -1);
    signalfd_siginfo signal{};
    while (::read(signals.get(), &signal, sizeof signal) == sizeof signal) {
    }
    children.reap();
    const std::optional<Children::Ended> end = children.take(*pid);
    if (!end && sources[0].revents == 0) continue;
    (void)children.end_all({});
    return end ? end_likewise(end->wait_status) : 0;
  }
}

}  // namespace

int carry_out(const work::Load& load, const std::vector<int>& cpus) {
  void* const memory = ::mmap(nullptr, kLoadPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kLoadPageFd, 0);
  if (memory == MAP_FAILED || cpus.empty()) {
    std::fputs("loads are started by ngb-agent, not by hand\n", stderr);
    return kCannotBurn;
  }
  ::prctl(PR_SET_NAME, "ngb-load");
  confine(0, cpus);
  LoadPage& page = *static_cast<LoadPage*>(memory);
  if (load.kind == work::LoadKind::command) return run_command(load, page);
  burn_until_the_end(load, cpus, page);
}

int carry_out(const char* load_json, const char* cpus) {
  const nlohmann::json load_object = json_text::parse(load_json);
  const Result<work::Load> load = work::parse_json<work::Load>(load_object, "load");
  if (!load) {
    std::fputs((load.error().text() + "\n").c_str(), stderr);
    return kCannotBurn;
  }
  std::vector<int> numbers;
  for (const std::string& word : text::split(cpus, ',')) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc{}) numbers.push_back(number);
  }
  return carry_out(*load, numbers);
}

}  // namespace ngb::agent
