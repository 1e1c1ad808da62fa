// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using made_up::process;
using made_up::value_of;

TEST(SizeMetrics, AreTheLargestReadingOfTheProcessesOrTheReasonWhyThereIsNone) {
  store::CellData cell = made_up::cell_of("fast", 4, {process(0, {20.0, 20.0}), process(1, {20.0, 20.0})});
  cell.processes[0].readings = {
      {"model_size", "bytes", "end", Known<double>::of(1000)},
      {"artifact_size", "bytes", "end", Known<double>::unknown("this compiler writes no file")},
      {"runtime_size", "bytes", "end", Known<double>::of(5000)}};
  cell.processes[1].readings = {{"model_size", "bytes", "end", Known<double>::of(1000)},
                                {"runtime_size", "bytes", "end", Known<double>::of(5100)}};
  EXPECT_EQ(value_of({cell}, "fast-4", "model_size_bytes").value, 1000);
  EXPECT_EQ(value_of({cell}, "fast-4", "artifact_size_bytes").reason, "this compiler writes no file");
  EXPECT_EQ(value_of({cell}, "fast-4", "runtime_size_bytes").value, 5100);
  // A compiler that writes nothing ships the model.
  EXPECT_EQ(value_of({cell}, "fast-4", "shipped_size_bytes").value, 1000);
  EXPECT_EQ(value_of({cell}, "fast-4", "disk_size_bytes").value, 6100);
  cell.processes[1].readings.push_back({"artifact_size", "bytes", "end", Known<double>::of(70)});
  EXPECT_EQ(value_of({cell}, "fast-4", "shipped_size_bytes").value, 70);
  EXPECT_EQ(value_of({cell}, "fast-4", "disk_size_bytes").value, 5170);
  cell.processes[1].readings.clear();
  cell.processes[0].readings.clear();
  EXPECT_EQ(value_of({cell}, "fast-4", "model_size_bytes").reason, "no process recorded its model_size");
}

}  // namespace
}  // namespace ngb::metrics
