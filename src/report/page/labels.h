// SPDX-License-Identifier: Apache-2.0
// Names devices and settings of compilers so that no two of a page have the same name.
#pragma once

#include <string>

#include "report/page/page.h"

namespace ngb::report::page {

class Labels {
 public:
  explicit Labels(const Content& content);

  // Returns the device's name, with the kind of processor if the results are of several kinds, and with the load of a
  // cell that has one: "local, gpu, load cpu: 1".
  [[nodiscard]] std::string device(const store::CellData& cell) const;
  // Returns "openvino 2026.4.1" or "PyTorch eager (identity 2.15.0)", with threads and precision if the results have
  // several of them, and with options, or even the cell's id, if cells of one workload would be called alike otherwise.
  [[nodiscard]] std::string compiler(const store::CellData& cell) const;

 private:
  enum class Detail { name, options, cell_id };
  // Returns whether two cells of one workload have the same name at the present detail.
  [[nodiscard]] bool are_ambiguous(const Content& content) const;

  bool has_several_compute_devices_ = false;
  bool has_several_threads_ = false;
  bool has_several_precisions_ = false;
  Detail detail_ = Detail::name;
};

}  // namespace ngb::report::page
