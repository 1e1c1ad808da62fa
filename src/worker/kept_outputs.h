// SPDX-License-Identifier: Apache-2.0
// Copies outputs that a session overwrites with its next inference.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "worker/reference_file.h"

namespace ngb::worker {

class KeptOutputs {
 public:
  explicit KeptOutputs(std::span<const OutputView> outputs) {
    bytes_.reserve(outputs.size());
    for (const OutputView& output : outputs) {
      bytes_.emplace_back(static_cast<const char*>(output.data),
                          output.signature.element_count() * size_bytes(output.signature.type));
      views_.push_back({output.signature, bytes_.back().data()});
    }
  }
  KeptOutputs(const KeptOutputs&) = delete;  // the views refer to the bytes
  KeptOutputs& operator=(const KeptOutputs&) = delete;
  ~KeptOutputs() = default;

  [[nodiscard]] std::span<const OutputView> views() const { return views_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<OutputView> views_;
};

}  // namespace ngb::worker
