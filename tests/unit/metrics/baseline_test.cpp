// SPDX-License-Identifier: Apache-2.0
#include "metrics/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "made_up_cells.h"

namespace ngb::metrics {
namespace {

using made_up::process;
using store::CellData;

// Returns a cell at batch 1 whose two processes both run at this speed, in samples/s.
CellData at(double speed, const std::string& id, const std::string& compiler, const std::string& version = "1.0") {
  CellData cell = made_up::cell_of(compiler, 1, {process(0, {1e3 / speed}), process(1, {1e3 / speed})});
  cell.cell_id = id;
  cell.of.compiler.version = version;
  return cell;
}

CellData in(const std::string& precision, CellData cell) {
  cell.of.compiler.precision = precision;
  return cell;
}

CellData labelled(const std::string& label, CellData cell) {
  cell.of.compiler.label = label;
  return cell;
}

store::DerivedValue speed_up_of(const std::vector<CellData>& cells, const std::string& id,
                                const std::string& baseline = kIdentity) {
  const Baseline chosen = Baseline::find(baseline, cells).value();
  for (const store::DerivedValue& value : made_up::values_of(cells, chosen)) {
    if (value.cell_id == id && value.metric == "speed_up_ratio") return value;
  }
  return {.reason = "no such row"};
}

TEST(Baseline, IsTheIdentityOnTheSameComputeDevice) {
  // PyTorch on the CPU comes first in the study; TensorRT at 600 is twice as fast as PyTorch on the GPU.
  const std::vector<CellData> cells{
      made_up::on("cpu", at(10, "identity-cpu", "identity")), made_up::on("gpu", at(300, "identity-gpu", "identity")),
      made_up::on("gpu", at(600, "trt", "tensorrt")), made_up::on("cpu", at(20, "ort", "onnxruntime"))};
  EXPECT_NEAR(speed_up_of(cells, "trt").value.value(), 2, 1e-6);
  EXPECT_NEAR(speed_up_of(cells, "ort").value.value(), 2, 1e-6);
  EXPECT_EQ(speed_up_of(cells, "identity-cpu").value, 1);
  EXPECT_EQ(speed_up_of(cells, "identity-gpu").value, 1);
}

TEST(Baseline, IsMissingIfTheIdentityRanOnAnotherComputeDeviceOnly) {
  const std::vector<CellData> cells{made_up::on("cpu", at(10, "identity", "identity")),
                                    made_up::on("gpu", at(600, "trt", "tensorrt"))};
  const auto found = speed_up_of(cells, "trt");
  EXPECT_FALSE(found.value);
  EXPECT_EQ(found.reason, "PyTorch eager (identity) was not measured on the gpu");
}

TEST(Baseline, IsNotGuessedForACompilerThatDoesNotReportItsComputeDevice) {
  std::vector<CellData> cells{made_up::on("cpu", at(10, "identity", "identity")), at(600, "other", "other")};
  EXPECT_EQ(speed_up_of(cells, "other").reason,
            "unknown whether PyTorch eager (identity) computed on the same device: no process has reported where it "
            "computes");
  cells[0].of.compute_device = cells[1].of.compute_device;  // results from before compute devices were reported
  EXPECT_NEAR(speed_up_of(cells, "other").value.value(), 60, 1e-4);
}

TEST(Baseline, ThatFailedBeforeItReportedItsComputeDeviceIsNamedAsTheReason) {
  CellData broken = made_up::cell("identity", 1);
  broken.failed = {made_up::failure(0, samples::FailureKind::no_device)};
  const std::vector<CellData> cells{broken, made_up::on("gpu", at(600, "trt", "tensorrt"))};
  EXPECT_EQ(speed_up_of(cells, "trt").reason, "PyTorch eager (identity): failed: no_device");
}

// The identity computes an int8 file ten times as slowly as a network that it has kernels for; onnxruntime has kernels.
std::vector<CellData> emulated_identity() {
  std::vector<CellData> cells{at(10, "identity", "identity"), at(900, "ort", "onnxruntime"), at(450, "ov", "openvino")};
  cells[0].processes[1].facts["emulated"] = "QLinearConv 20 of 57 nodes";  // the first process loaded what it compiled
  return cells;
}

TEST(Baseline, IsNoCellWhoseCompilerEmulatesOperators) {
  EXPECT_EQ(why_emulation(emulated_identity()[1]), "");
  for (const char* metric : {"speed_up_ratio", "cpu_reduction_ratio", "break_even_inferences"}) {
    const auto found = made_up::value_of(emulated_identity(), "ort", metric);
    EXPECT_FALSE(found.value) << metric;
    EXPECT_EQ(found.reason,
              "PyTorch eager (identity): emulates QLinearConv 20 of 57 nodes, so its speed is no compiler's")
        << metric;
  }
  EXPECT_NEAR(made_up::value_of(emulated_identity(), "ort", "throughput_per_s").value.value(), 900, 1e-3);
}

TEST(Baseline, ThatIsNamedMayReplaceAnEmulation) {
  EXPECT_NEAR(speed_up_of(emulated_identity(), "ort", "openvino").value.value(), 2, 1e-6);
  const auto own = speed_up_of(emulated_identity(), "identity", "openvino");
  EXPECT_FALSE(own.value);
  EXPECT_EQ(own.reason, "emulates QLinearConv 20 of 57 nodes, so its speed is no compiler's");
}

TEST(Baseline, OfABf16CellIsTheF32Identity) {
  const std::vector<CellData> cells{in("bf16", at(20, "identity-bf16", "identity")), at(10, "identity-f32", "identity"),
                                    in("bf16", at(50, "ort", "onnxruntime"))};
  EXPECT_NEAR(speed_up_of(cells, "ort").value.value(), 5, 1e-6);
  EXPECT_NEAR(speed_up_of(cells, "identity-bf16").value.value(), 2, 1e-6);
  EXPECT_EQ(speed_up_of(cells, "identity-f32").value, 1);
}

TEST(Baseline, OfABf16CellWithoutAnF32IdentityHasItsOwnPrecision) {
  const std::vector<CellData> cells{in("bf16", at(20, "identity", "identity")),
                                    in("bf16", at(50, "ort", "onnxruntime")), at(50, "full", "onnxruntime")};
  EXPECT_NEAR(speed_up_of(cells, "ort").value.value(), 2.5, 1e-6);
  EXPECT_EQ(speed_up_of(cells, "full").reason, "PyTorch eager (identity) was not measured here");
}

TEST(Baseline, MayBeAnyCompilerVersionOrLabel) {
  const std::vector<CellData> cells{at(10, "identity", "identity"), at(40, "old", "fast", "1.0"),
                                    at(60, "new", "fast", "2.0"),
                                    labelled("fast hint=low", at(50, "hint", "fast", "2.0"))};
  EXPECT_NEAR(speed_up_of(cells, "new", "fast").value.value(), 1.5, 1e-6) << "the first version of that name";
  EXPECT_NEAR(speed_up_of(cells, "new", "fast@1.0").value.value(), 1.5, 1e-6);
  EXPECT_NEAR(speed_up_of(cells, "old", "fast@2.0").value.value(), 40.0 / 60, 1e-6);
  EXPECT_NEAR(speed_up_of(cells, "new", "fast hint=low").value.value(), 1.2, 1e-6);
  EXPECT_NEAR(speed_up_of(cells, "identity", "fast@1.0").value.value(), 0.25, 1e-6);
  EXPECT_EQ(speed_up_of(cells, "old", "fast@1.0").value, 1);
}

TEST(Baseline, GivenByALabelServesOtherNumbersOfThreadsToo) {
  std::vector<CellData> cells{labelled("one thread", at(10, "one", "fast")), at(15, "two", "fast")};
  cells[0].of.threads = 1;
  EXPECT_NEAR(speed_up_of(cells, "two", "one thread").value.value(), 1.5, 1e-6);
  EXPECT_EQ(speed_up_of(cells, "two", "fast").value, 1);
}

TEST(Baseline, HasTheNumberOfThreadsThatAWordMeans) {
  std::vector<CellData> cells{at(10, "number", "identity"), at(15, "word", "fast")};
  cells[1].of.compiler.threads_asked = "all";
  EXPECT_NEAR(speed_up_of(cells, "word", "identity").value.value(), 1.5, 1e-6);
  cells[0].of.threads = 1;
  EXPECT_EQ(speed_up_of(cells, "word", "identity").reason, "PyTorch eager (identity) was not measured here");
}

TEST(Baseline, IsUsedByEveryRatioThatRefersToIt) {
  const auto at_batch = [](int batch, double ms, const std::string& compiler) {
    return made_up::cell_of(compiler, batch, {process(0, {ms}), process(1, {ms})});
  };
  // slow: 100 and 200 samples/s at batch 1 and 4; fast: 300 and 900.
  const std::vector<CellData> cells{at_batch(1, 10, "slow"), at_batch(4, 20, "slow"), at_batch(1, 10.0 / 3, "fast"),
                                    at_batch(4, 40.0 / 9, "fast")};
  const Baseline slow = Baseline::find("slow", cells).value();
  std::map<std::string, double> of_fast;
  for (const store::DerivedValue& value : made_up::values_of(cells, slow)) {
    if (value.cell_id == "fast-4" && value.value) of_fast[value.metric] = *value.value;
  }
  EXPECT_NEAR(of_fast.at("speed_up_ratio"), 4.5, 1e-6);     // 900 / 200
  EXPECT_NEAR(of_fast.at("bsr_ratio"), 1.5, 1e-6);          // 0.75 / 0.5
  EXPECT_NEAR(of_fast.at("cpu_reduction_ratio"), 0, 1e-6);  // 1 - 1.5 / 1.5
  EXPECT_NEAR(of_fast.at("ase_ratio"), 0.75, 1e-6);         // 900 / (4 · 300)
  EXPECT_EQ(speed_up_of({cells[0], cells[3]}, "fast-4", "slow").reason, "the baseline slow was not measured here");
}

TEST(Baseline, ThatNoCellIsCalledGetsTheNearestWord) {
  const std::vector<CellData> cells{at(10, "a", "onnxruntime", "1.30.0"), at(10, "b", "identity", "2.15.0")};
  EXPECT_EQ(Baseline::find("onxruntime", cells).error().text(),
            "onxruntime: these results have no such compiler, did you mean onnxruntime?");
  EXPECT_EQ(Baseline::find("onnxruntime@1.31.0", cells).error().what,
            "these results have no such compiler, did you mean onnxruntime@1.30.0?");
  EXPECT_TRUE(Baseline::find("identity", {}));
}

TEST(Baseline, IsTheIdentityEvenIfAnotherCompilerHasItsNameAsALabel) {
  const std::vector<CellData> cells{labelled("identity", at(40, "fast", "fast")),
                                    labelled("eager", at(10, "eager", "identity"))};
  EXPECT_NEAR(speed_up_of(cells, "fast").value.value(), 4, 1e-6);
}

// Found among all cells of the results, as the heading of a file does.
TEST(Baseline, IsWhatIsLabelledIdentityWhereTheIdentityWasNotMeasured) {
  const std::vector<CellData> cells{labelled("identity", at(10, "null", "null")),
                                    labelled("fast", at(40, "null", "null"))};
  const Baseline found = Baseline::find_or_none("identity", cells);
  EXPECT_TRUE(found.fits(cells[0]));
  EXPECT_FALSE(found.fits(cells[1]));
  EXPECT_EQ(found.role(), "the baseline identity");
  EXPECT_EQ(Baseline::find_or_none("identity", {}).role(), "PyTorch eager (identity)");
}

}  // namespace
}  // namespace ngb::metrics
