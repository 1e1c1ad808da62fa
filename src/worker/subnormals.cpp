// SPDX-License-Identifier: Apache-2.0
#include "worker/subnormals.h"

#include <time.h>

#include <algorithm>
#include <cstdint>

#include "samples/process_result.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace ngb::worker {
namespace {

#if defined(__x86_64__)

constexpr std::uint64_t kFlushes = 0x8040;  // of MXCSR: FTZ and DAZ
std::uint64_t read_control() { return _mm_getcsr(); }
void write_control(std::uint64_t control) { _mm_setcsr(static_cast<unsigned>(control)); }

#elif defined(__aarch64__)

constexpr std::uint64_t kFlushes = 1ULL << 24U;  // of FPCR: FZ
std::uint64_t read_control() {
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
void write_control(std::uint64_t control) { asm volatile("msr fpcr, %0" : : "r"(control)); }

#else

constexpr std::uint64_t kFlushes = 0;
std::uint64_t read_control() { return 0; }
void write_control(std::uint64_t /*control*/) {}

#endif

thread_local std::uint64_t usual_bits = 0;

}  // namespace

void flush_subnormals(bool flush) {
  const std::uint64_t control = read_control();
  if (flush) usual_bits = control & kFlushes;
  write_control((control & ~kFlushes) | (flush ? kFlushes : usual_bits));
}

std::int64_t cpu_of_thread_ns() {
  struct timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool subnormals_cost_time(const std::vector<std::int64_t>& usual_ns, const std::vector<std::int64_t>& flushed_ns) {
  constexpr std::size_t kFewestParts = 7;
  if (std::min(usual_ns.size(), flushed_ns.size()) < kFewestParts) return false;
  std::ptrdiff_t slower_pairs = 0;
  for (const std::int64_t flushed : flushed_ns) {
    slower_pairs += std::count_if(usual_ns.begin(), usual_ns.end(), [&](std::int64_t usual) {
      return static_cast<double>(usual) > samples::kSubnormalCost * static_cast<double>(flushed);
    });
  }
  return 8 * static_cast<std::size_t>(slower_pairs) >= 7 * usual_ns.size() * flushed_ns.size();
}

}  // namespace ngb::worker
