// SPDX-License-Identifier: Apache-2.0
#include "worker/sizes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temporary_folder.h"

namespace ngb::worker {
namespace {

std::string write_bytes(const std::filesystem::path& path, std::size_t count) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << std::string(count, 'x');
  return path.string();
}

// The reading's value; -1 if it has none, which is told in `*why`.
double value_of(const std::vector<samples::Reading>& readings, const std::string& quantity,
                std::string* why = nullptr) {
  for (const samples::Reading& each : readings) {
    if (each.quantity != quantity) continue;
    if (why != nullptr) *why = each.value.reason;
    return each.value.value.value_or(-1);
  }
  return -2;
}

TEST(Sizes, OfAFileAndOfAFolderAreTheirBytes) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "compiled/program", 300);
  write_bytes(folder.path() / "compiled/parts/weights", 50);
  EXPECT_EQ(size_bytes((folder.path() / "compiled/program").string()).value, 300U);
  EXPECT_EQ(size_bytes((folder.path() / "compiled").string()).value, 350U);
  EXPECT_NE(size_bytes((folder.path() / "nothing").string()).reason.find("No such file"), std::string::npos);
}

TEST(Sizes, OfAUsersModelAreThoseOfItsFilesWithoutItsInputs) {
  const TemporaryFolder folder;
  work::Model model;
  model.source = work::OnnxFile{};
  model.files = {{"model/net.onnx", write_bytes(folder.path() / "net.onnx", 10), ""},
                 {"model/weights.bin", write_bytes(folder.path() / "weights.bin", 1000), ""},
                 {"inputs/x.npy", write_bytes(folder.path() / "x.npy", 7), ""}};
  std::vector<samples::Reading> readings;
  add_sizes(model.files[0].path, model, Known<std::uint64_t>::of(42), readings);
  EXPECT_EQ(value_of(readings, "model_size"), 1010);
  EXPECT_EQ(value_of(readings, "artifact_size"), 42);
  readings.clear();
  std::string why;
  add_sizes("", {}, Known<std::uint64_t>::unknown("this compiler writes no file"), readings);
  EXPECT_EQ(value_of(readings, "model_size", &why), -1);
  EXPECT_EQ(why, "the model is a PyTorch module, which has no file");
  EXPECT_EQ(value_of(readings, "artifact_size", &why), -1);
  EXPECT_EQ(why, "this compiler writes no file");
}

TEST(Sizes, OfAModelThatIsMadeHereAreThoseOfItsFileAndTheWeightsBesideIt) {
  const TemporaryFolder folder;
  const std::string path = write_bytes(folder.path() / "resnet.onnx", 10);
  write_bytes(path + ".data", 1000);
  work::Model model;
  model.source = work::Recipe{"{}"};
  std::vector<samples::Reading> readings;
  add_sizes(path, model, Known<std::uint64_t>::of(42), readings);
  EXPECT_EQ(value_of(readings, "model_size"), 1010);
}

TEST(Sizes, OfTheRuntimeCountEachMappedLibraryOnceAndNoDataFile) {
  const TemporaryFolder folder;
  const std::string library = write_bytes(folder.path() / "lib.so", 5000);
  const std::string data = write_bytes(folder.path() / "weights", 100);
  write_bytes(folder.path() / "proc/self/unused", 0);
  std::ofstream(folder.path() / "proc/self/maps")
      << "7f00-7f01 r--p 00000000 08:01 12     " << library << "\n7f01-7f02 r-xp 00001000 08:01 12     " << library
      << "\n7f02-7f03 r-xp 00002000 08:01 12     " << library << "\n7f03-7f04 r--p 00000000 08:01 13     " << data
      << "\n7fff-8000 r-xp 00000000 00:00 0      [vdso]\n";
  std::vector<samples::Reading> readings;
  add_sizes("", {}, Known<std::uint64_t>::of(0), readings, (folder.path() / "proc").string());
  EXPECT_EQ(value_of(readings, "runtime_size"), 5000);
}

}  // namespace
}  // namespace ngb::worker
