// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace ngb::null_compiler {

// Memory that inferences keep, as one that leaks does. It is released with the session. Several inferences may be in
// flight.
class KeptMemory {
 public:
  // Each inference keeps `bytes`, the first `most` of them only; 0: all.
  KeptMemory(std::uint64_t bytes, std::int64_t most)
      : bytes_(bytes == 0 ? 0 : std::max<std::size_t>(bytes, sizeof(void*))), most_(most) {}
  ~KeptMemory() {
    while (last_ != nullptr) std::free(std::exchange(last_, *static_cast<void**>(last_)));
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  void grow() {
    if (bytes_ > 0) keep();
  }

 private:
  // Each block begins with the address of the one before it.
  void keep() {
    const std::lock_guard lock(mutex_);
    if (most_ > 0 && count_ >= most_) return;
    ++count_;
    void* const block = std::malloc(bytes_);
    if (block == nullptr) throw std::bad_alloc();
    std::memset(block, 1, bytes_);
    *static_cast<void**>(block) = std::exchange(last_, block);
  }

  std::size_t bytes_;
  std::int64_t most_;
  std::mutex mutex_{};
  std::int64_t count_ = 0;
  void* last_ = nullptr;
};

}  // namespace ngb::null_compiler
