// SPDX-License-Identifier: Apache-2.0
#include "userfiles/input_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numpy_bytes.h"
#include "temporary_folder.h"

namespace ngb::userfiles {
namespace {

using testing::HasSubstr;

// Of an array of eight rows of two i64, as the input `ids`.
std::string verdict(const TensorSignature& input, int batch) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("ids.npy", npy("<i8", "(8, 2)", std::string(128, '\0')));
  const auto array = fitting_array({.input = input.name, .file = "inputs/ids.npy"}, path.string(), input, batch);
  return array ? "fits" : array.error().text();
}

TEST(InputValues, ABatchUsesTheFirstRows) {
  EXPECT_EQ(verdict({"ids", DataType::i64, {8, 2}}, 8), "fits");
  EXPECT_EQ(verdict({"ids", DataType::i64, {3, 2}}, 3), "fits");
  EXPECT_THAT(verdict({"ids", DataType::i64, {16, 2}}, 16),
              HasSubstr("ids.npy: holds 8 samples, the batch is 16; save as many as the largest batch size; smaller"));
}

TEST(InputValues, TypeAndShapeMustEqualTheInputs) {
  EXPECT_THAT(verdict({"ids", DataType::i32, {8, 2}}, 8), HasSubstr("holds i64, the input is i32"));
  EXPECT_THAT(verdict({"ids", DataType::i64, {8, 3}}, 8), HasSubstr("has the shape [8, 2], the input has [8, 3]"));
  EXPECT_THAT(verdict({"ids", DataType::i64, {4, 2}}, 1), HasSubstr("has the shape [8, 2], the input has [4, 2]"));
  EXPECT_THAT(verdict({"ids", DataType::i64, {}}, 1), HasSubstr("has the shape [8, 2], the input has []"));
}

TEST(InputValues, AnInputsOwnValuesPrecedeThoseForAll) {
  const std::vector<work::InputValues> all{{.file = "all.npz"}, {.input = "mask", .range = {{1, 1}}}};
  EXPECT_EQ(work::values_of(all, "mask"), &all[1]);
  EXPECT_EQ(work::values_of(all, "ids"), &all[0]);
  EXPECT_EQ(work::values_of({}, "ids"), nullptr);
}

TEST(InputValues, ARangeMustEndInValuesOfTheType) {
  const auto said = [](DataType type, double least, double largest) {
    const Status status = check_range({.input = "x", .range = {{least, largest}}}, {"x", type, {1}});
    return status ? "fits" : status.error().text();
  };
  EXPECT_EQ(said(DataType::f32, -0.5, 1e30), "fits");
  EXPECT_EQ(said(DataType::i64, 0, 30521), "fits");
  EXPECT_EQ(said(DataType::i32, 0, 0.5), "input \"x\": range: 0.5 is not a value of type i32");
  EXPECT_EQ(said(DataType::u8, -1, 3), "input \"x\": range: -1 is not a value of type u8");
  EXPECT_EQ(said(DataType::boolean, 0, 2), "input \"x\": range: 2 is not a value of type bool");
}

}  // namespace
}  // namespace ngb::userfiles
