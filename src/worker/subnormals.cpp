// SPDX-License-Identifier: Apache-2.0
#include "worker/subnormals.h"

#include <cstdint>

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

}  // namespace ngb::worker
