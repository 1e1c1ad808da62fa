// SPDX-License-Identifier: Apache-2.0
#include "probe/shared_cores.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/processors.h"
#include "base/threads.h"

namespace ngb::probe {
namespace {

constexpr double kSharedBelow = 0.75;  // half of the speed alone is a whole core's; boosted clocks fall by less
constexpr int kTries = 6;
constexpr std::size_t kMostPartners = 12;  // of one processor, so that a look ends within a second

std::int64_t own_cpu_ns() {
  struct timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Multiplies in six chains that do not depend on each other, which keeps the core's multiplier busy. Returns how many
// multiplications a second of this thread's processor time has.
double multiply_for(std::chrono::steady_clock::duration time) {
  constexpr int kEach = 1000;
  std::array<std::uint64_t, 6> chains{1, 3, 5, 7, 9, 11};
  const auto end = std::chrono::steady_clock::now() + time;
  const std::int64_t begin_ns = own_cpu_ns();
  std::int64_t count = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < kEach; ++i) {
      for (std::uint64_t& chain : chains) {
        chain *= 0x9E3779B97F4A7C15U;
        asm volatile("" : "+r"(chain));  // so that the compiler computes each of them
      }
    }
    count += kEach * static_cast<std::int64_t>(chains.size());
  }
  return 1e9 * static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(own_cpu_ns() - begin_ns, 1));
}

double fastest_alone(int processor, const Speeds& speeds) {
  double fastest = 0;
  for (int i = 0; i < kTries; ++i) fastest = std::max(fastest, speeds({processor}).front());
  return fastest;
}

}  // namespace

std::string words_of(const SharedCore& shared) {
  const std::string pair = fmt::format("processors {} and {} share a core", shared.first, shared.second);
  if (!shared.speed_ratio) return pair;
  return fmt::format("{}, though the machine shows two: while both compute, the faster one has {:.0f} % of its speed",
                     pair, 100 * *shared.speed_ratio);
}

std::string advice_on(const SharedCore& shared) {
  if (!shared.speed_ratio) return "for a thread on each core, a study says processors: one_per_core";
  return fmt::format("for a thread on each core, a study lists its processors without {}", shared.second);
}

std::vector<double> speeds_of(const std::vector<int>& busy) {
  std::vector<double> found(busy.size());
  std::atomic<std::size_t> ready{0};
  std::vector<Thread> threads;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    threads.emplace_back([&, i] {
      const bool is_pinned = confine(0, {busy[i]});
      ready.fetch_add(1);
      while (ready.load() < busy.size()) {
      }
      const double speed = multiply_for(std::chrono::milliseconds(10));
      found[i] = is_pinned ? speed : 0;
    });
  }
  for (Thread& each : threads) each.join();
  return found;
}

std::optional<SharedCore> shared_as_told(const std::vector<LogicalProcessor>& processors) {
  for (std::size_t i = 0; i < processors.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (processors[i].core == processors[k].core) return SharedCore{processors[k].number, processors[i].number, {}};
    }
  }
  return std::nullopt;
}

std::optional<SharedCore> shared_as_measured(const std::vector<int>& processors, const Speeds& speeds) {
  if (processors.size() < 2) return std::nullopt;
  const int first = processors.front();
  const double alone = fastest_alone(first, speeds);
  if (alone <= 0) return std::nullopt;
  // Hosts number the threads of a core next to each other, or all first threads before all second ones.
  std::vector<int> partners{processors[1], processors[processors.size() / 2]};
  partners.insert(partners.end(), processors.begin() + 1, processors.end());
  partners.resize(std::min(partners.size(), kMostPartners));
  for (const int partner : partners) {
    double together = 0;
    for (int i = 0; i < kTries && together < kSharedBelow * alone; ++i) {
      const std::vector<double> both = speeds({first, partner});
      together = std::max(together, std::max(both[0], both[1]));
    }
    if (together < kSharedBelow * alone) return SharedCore{first, partner, together / alone};
  }
  return std::nullopt;
}

}  // namespace ngb::probe
