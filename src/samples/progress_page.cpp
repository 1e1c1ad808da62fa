// SPDX-License-Identifier: Apache-2.0
#include "samples/progress_page.h"

#include <algorithm>
#include <cstring>

namespace ngb::samples {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

}  // namespace

void write_remark(ProgressPage& page, std::string_view text) {
  for (std::size_t i = 0; i < page.remark.size(); ++i) {
    const std::string_view part = text.substr(std::min(text.size(), i * kWordBytes), kWordBytes);
    std::uint64_t word = 0;
    if (!part.empty()) std::memcpy(&word, part.data(), part.size());  // data() of an empty text may be null
    page.remark[i].store(word, std::memory_order_relaxed);
  }
}

std::string read_remark(const ProgressPage& page) {
  std::string text;
  for (const std::atomic<std::uint64_t>& each : page.remark) {
    const std::uint64_t word = each.load(std::memory_order_relaxed);
    char bytes[kWordBytes];
    std::memcpy(bytes, &word, kWordBytes);
    text.append(bytes, kWordBytes);
  }
  return text.substr(0, text.find('\0'));
}

}  // namespace ngb::samples
