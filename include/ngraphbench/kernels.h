// SPDX-License-Identifier: Apache-2.0
// Kernel is an ngb_kernel that owns its texts. KernelTable hands a list of them to the C table.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ngraphbench/compiler.h"

namespace ngb {

struct Kernel {
  std::string name;
  std::string kind{};
  double ns = 0;  // mean over the profiled inferences
  std::vector<std::string> nodes{};
  std::vector<std::string> outputs{};
  std::string found_by{};
};

class KernelTable {
 public:
  KernelTable() = default;
  explicit KernelTable(std::vector<Kernel> kernels) : kernels_(std::move(kernels)) {
    // The words are complete before the rows point to them.
    for (const Kernel& kernel : kernels_) {
      for (const std::string& node : kernel.nodes) words_.push_back(node.c_str());
      for (const std::string& output : kernel.outputs) words_.push_back(output.c_str());
    }
    const char* const* word = words_.data();
    for (const Kernel& kernel : kernels_) {
      const auto nodes = static_cast<std::uint32_t>(kernel.nodes.size());
      const auto outputs = static_cast<std::uint32_t>(kernel.outputs.size());
      rows_.push_back({kernel.name.c_str(), kernel.kind.c_str(), kernel.ns, word, nodes, word + nodes, outputs,
                       kernel.found_by.c_str()});
      word += nodes + outputs;
    }
  }
  // A move keeps the addresses of everything that the rows point to.
  KernelTable(KernelTable&&) = default;
  KernelTable& operator=(KernelTable&&) = default;
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;
  ~KernelTable() = default;

  [[nodiscard]] const ngb_kernel* data() const { return rows_.data(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }

 private:
  std::vector<Kernel> kernels_;
  std::vector<const char*> words_;
  std::vector<ngb_kernel> rows_;
};

}  // namespace ngb
