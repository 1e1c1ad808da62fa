// SPDX-License-Identifier: Apache-2.0
#include "store/cell_row.h"

#include <gtest/gtest.h>

#include "made_up.h"

namespace ngb::store {
namespace {

using made_up::Folder;

TEST(ComputeDevice, IsTheKindThatProcessesReport) {
  EXPECT_EQ(compute_device_of({"cpu"}, {}).value, "cpu");
  EXPECT_EQ(compute_device_of({"CPU"}, {}).value, "cpu");
  EXPECT_EQ(compute_device_of({"cuda"}, {}).value, "gpu");
  EXPECT_EQ(compute_device_of({"GPU.1", "cuda:0"}, {}).value, "gpu");
  EXPECT_EQ(compute_device_of({"NPU"}, {}).value, "npu");
}

TEST(ComputeDevice, OfAProcessOutweighsTheOption) {
  EXPECT_EQ(compute_device_of({"CPU"}, {{"device", "\"gpu\""}}).value, "cpu");
}

TEST(ComputeDevice, ComesFromTheOptionsUntilAProcessReports) {
  EXPECT_EQ(compute_device_of({}, {{"device", "\"cuda\""}}).value, "gpu");
  EXPECT_EQ(compute_device_of({}, {{"fp16", "true"}, {"provider", "\"tensorrt\""}}).value, "gpu");
  EXPECT_EQ(compute_device_of({}, {{"provider", "\"openvino\""}}).value, "cpu");
  EXPECT_EQ(compute_device_of({}, {{"provider", "\"webgpu\""}}).value, "gpu");
  EXPECT_EQ(compute_device_of({}, {{"provider", "\"qnn\""}}).value, "npu");
}

TEST(ComputeDevice, IsUnknownWithAReasonIfNothingNamesOne) {
  for (const work::Options& options : {work::Options{}, {{"device", "\"auto\""}}, {{"device", "3"}}}) {
    const auto found = compute_device_of({}, options);
    EXPECT_FALSE(found.value) << work::text_of(options);
    EXPECT_EQ(found.reason, "no process has reported where it computes");
  }
  EXPECT_EQ(compute_device_of({"TPU v4"}, {}).reason, "it reports the device \"TPU v4\"");
  const auto mixed = compute_device_of({"CPU", "GPU.0"}, {});
  EXPECT_FALSE(mixed.value);
  EXPECT_EQ(mixed.reason, "its processes ran on different devices: cpu, gpu");
}

samples::ProcessResult process_on(const std::string& device, const std::string& cell_id, int index) {
  auto process = made_up::process(cell_id, index);
  process.facts["device"] = device;
  return process;
}

TEST(Store, LoadsTheComputeDeviceOfEachCellAlsoInAnOutline) {
  const Folder folder;
  Store store = Store::open(folder.results(), Mode::read_write).value();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  ASSERT_TRUE(store.record(run, "local", {1, process_on("cpu", "aa", 0)}));
  ASSERT_TRUE(store.record(run, "local", {2, process_on("cuda", "bb", 0)}));
  ASSERT_TRUE(store.record(run, "local", {3, process_on("cuda", "bb", 1)}));
  ASSERT_TRUE(store.record(run, "local", {4, made_up::process("cc", 0)}));
  ASSERT_TRUE(store.flush());
  for (const Detail detail : {Detail::outline, Detail::full}) {
    const auto cells = store.load_cells(detail).value();
    EXPECT_EQ(cells[0].of.compute_device.value, "cpu");
    EXPECT_EQ(cells[1].of.compute_device.value, "gpu");
    EXPECT_FALSE(cells[2].of.compute_device.value);
    EXPECT_EQ(cells[3].of.compute_device.reason, "no process has reported where it computes");
  }
}

TEST(Store, DoesNotLetAProcessThatIsSetAsideDecideTheComputeDevice) {
  const Folder folder;
  Store store = Store::open(folder.results(), Mode::read_write).value();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  auto earlier = process_on("cuda", "aa", 0);
  earlier.environment_hash = "with a GPU";
  ASSERT_TRUE(store.record(run, "local", {1, earlier}));
  ASSERT_TRUE(store.record(run, "local", {2, process_on("cpu", "aa", 0)}));
  ASSERT_TRUE(store.record(run, "local", {3, process_on("cpu", "aa", 1)}));
  ASSERT_TRUE(store.flush());
  const CellData cell = store.load_cells().value()[0];
  ASSERT_EQ(cell.set_aside.size(), 1U);
  EXPECT_EQ(cell.of.compute_device.value, "cpu");
}

}  // namespace
}  // namespace ngb::store
