// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <unordered_map>

#include "base/hash.h"
#include "folder.h"
#include "made.h"
#include "onnx/onnx.pb.h"
#include "zoo/layers.h"
#include "zoo/model_file.h"
#include "zoo/recipe.h"
#include "zoo/shapes.h"

namespace ngb::zoo {
namespace {

using testing::HasSubstr;

Recipe small_block() { return made("conv_block", {{"width", 8}, {"depth", 2}, {"image_size", 4}}); }
Recipe small_resnet() {
  return made("resnet", {{"block", "bottleneck"}, {"depths", {1, 1, 1, 1}}, {"width", 0.125}, {"classes", 10}});
}

std::string written(const Recipe& recipe, int batch, int threads) {
  const Folder folder;
  const Status status = write_onnx(recipe, batch, folder / "model.onnx", threads);
  EXPECT_TRUE(status) << status.error().text();
  return content(folder / "model.onnx");
}

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

std::vector<float> values(const onnx::TensorProto& tensor) {
  std::vector<float> result(tensor.raw_data().size() / sizeof(float));
  std::memcpy(result.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return result;
}

// Runs `body` in a process of its own; what it returns is the exit code.
int in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A mount table of our own; without being root, in a user namespace where we are.
bool may_mount() {
  const uid_t user = ::getuid();
  const gid_t group = ::getgid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Other bytes: raise kRecipeRevision and pin the new hashes.
TEST(ModelFile, HasTheBytesOfItsRevision) {
  ASSERT_EQ(kRecipeRevision, 3);
  EXPECT_EQ(hash::sha256(written(small_block(), 1, 1)),
            "080ea037ecf7119b2493d8d7a3281399c181a236b77defc60bde4487c65ac582");
  const Recipe without_stem = made("conv_block", {{"width", 8}, {"depth", 2}, {"image_size", 4}, {"stem", false}});
  EXPECT_EQ(hash::sha256(written(without_stem, 1, 1)),
            "478604cccddf3b8c4b5338d2b3cd0ef4a4384c53c9ad99b326b6bd253ed81e33");
  EXPECT_EQ(hash::sha256(written(small_resnet(), 1, 1)),
            "7ac0ebc2d6d846ac2000f13170c36446823f4d20cce17f2802bbfb907420bd34");
}

TEST(ModelFile, HasTheSameBytesOnAnyNumberOfThreads) {
  const Recipe recipe = made("resnet18", {});
  const std::string one = hash::sha256(written(recipe, 1, 1));
  for (const int threads : {2, 3, 8, 1000}) EXPECT_EQ(hash::sha256(written(recipe, 1, threads)), one) << threads;
}

TEST(ModelFile, IsAsLargeAsTheFactsSay) {
  for (const Recipe& recipe : {small_block(), small_resnet(), made("resnet18", {})}) {
    EXPECT_EQ(written(recipe, 4, 2).size(), facts(recipe, 4)->file_bytes);
  }
}

TEST(ModelFile, IsIr9AndOpset20WithStaticShapes) {
  const onnx::ModelProto model = parsed(written(small_block(), 5, 1));
  EXPECT_EQ(model.ir_version(), 9);
  ASSERT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).version(), 20);
  EXPECT_EQ(model.graph().name(), "conv_block");
  ASSERT_EQ(model.graph().input_size(), 1);
  const onnx::ValueInfoProto& input = model.graph().input(0);
  EXPECT_EQ(input.name(), "input");
  EXPECT_EQ(input.type().tensor_type().shape().dim(0).dim_value(), 5);
  EXPECT_EQ(model.graph().output(0).name(), "output");
}

TEST(ModelFile, NamesInitializersAsTheStateDict) {
  const onnx::ModelProto model = parsed(written(small_block(), 1, 1));
  std::vector<std::string> names;
  for (const onnx::TensorProto& tensor : model.graph().initializer()) names.push_back(tensor.name());
  EXPECT_THAT(names, testing::ElementsAre("stem.weight", "stem.bias", "blocks.0.conv.weight", "blocks.0.conv.bias",
                                          "blocks.0.bn.weight", "blocks.0.bn.bias", "blocks.0.bn.running_mean",
                                          "blocks.0.bn.running_var", "blocks.1.conv.weight", "blocks.1.conv.bias",
                                          "blocks.1.bn.weight", "blocks.1.bn.bias", "blocks.1.bn.running_mean",
                                          "blocks.1.bn.running_var"));
}

TEST(ModelFile, HasNoNeedlessNodes) {
  const onnx::ModelProto model = parsed(written(made("resnet18", {}), 1, 1));
  std::map<std::string, int> count;
  for (const onnx::NodeProto& node : model.graph().node()) ++count[node.op_type()];
  EXPECT_EQ(count, (std::map<std::string, int>{{"Conv", 20},
                                               {"BatchNormalization", 20},
                                               {"Relu", 17},
                                               {"Add", 8},
                                               {"MaxPool", 1},
                                               {"GlobalAveragePool", 1},
                                               {"Flatten", 1},
                                               {"Gemm", 1}}));
}

TEST(ModelFile, HoldsEachTensorsValuesWhateverPrecedesThem) {
  const onnx::ModelProto shallow = parsed(written(made("conv_block", {{"depth", 1}}), 1, 1));
  const onnx::ModelProto deep = parsed(written(made("conv_block", {{"depth", 4}}), 8, 3));
  std::unordered_map<std::string, std::string> data;
  for (const onnx::TensorProto& tensor : deep.graph().initializer()) data[tensor.name()] = tensor.raw_data();
  ASSERT_EQ(shallow.graph().initializer_size(), 8);
  for (const onnx::TensorProto& tensor : shallow.graph().initializer()) {
    EXPECT_EQ(data[tensor.name()], tensor.raw_data()) << tensor.name();
  }
}

TEST(ModelFile, HoldsSaneStatistics) {
  const onnx::ModelProto model = parsed(written(made("resnet18", {}), 1, 2));
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    const bool is_variance = tensor.name().ends_with("running_var");
    for (const float value : values(tensor)) {
      ASSERT_TRUE(std::isfinite(value)) << tensor.name();
      ASSERT_TRUE(!is_variance || value >= 0.5F) << tensor.name();
    }
  }
}

TEST(ModelFile, ReplacesAnExistingFileAndLeavesNothingElse) {
  const Folder folder;
  put(folder / "model.onnx", "old");
  ASSERT_TRUE(write_onnx(small_block(), 1, folder / "model.onnx", 2));
  EXPECT_EQ(content(folder / "model.onnx").size(), facts(small_block(), 1)->file_bytes);
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(ModelFile, InAFolderThatIsMissingIsRefused) {
  const Folder folder;
  const Status status = write_onnx(small_block(), 1, folder / "missing" / "model.onnx", 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(),
            (folder / "missing" / "model.onnx").string() + ": cannot write: No such file or directory");
}

TEST(ModelFile, OverAFolderIsRefusedAndLeavesNothingBehind) {
  const Folder folder;
  std::filesystem::create_directory(folder / "model.onnx");
  const Status status = write_onnx(small_block(), 1, folder / "model.onnx", 1);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text(), HasSubstr("cannot write: Is a directory"));
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(ModelFile, ThatCannotBeFinishedIsRemoved) {
  const Folder folder;
  EXPECT_EQ(in_child([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{1 << 20, 1 << 20};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              const Status status = write_onnx(made("resnet18", {}), 1, folder / "model.onnx", 3);
              return !status && status.error().what == "cannot write: File too large" ? 0 : 1;
            }),
            0);
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(ModelFile, OnAFullDiskIsAClearErrorAndIsRemoved) {
  const Folder folder;
  constexpr int kNoDisk = 77;
  const int code = in_child([&] {
    if (!may_mount()) return kNoDisk;
    if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) return kNoDisk;
    const Status status = write_onnx(made("resnet18", {}), 1, folder / "model.onnx", 2);
    if (status || folder.file_count() != 0) return 1;
    if (status.error().code != ErrorCode::disk_full) return 3;
    return status.error().what == "cannot write: No space left on device" ? 0 : 2;
  });
  if (code == kNoDisk) GTEST_SKIP() << "this machine does not let us mount a small disk";
  EXPECT_EQ(code, 0);
}

Graph graph_of_small_block() {
  Graph graph;
  Tensor x = conv2d(graph, "conv", graph.input("input", DataType::f32, {1, 3, 4, 4}), {.channels = 8, .kernel = 3});
  x = reshape(graph, "flat", x, {1, 32});
  graph.output(linear(graph, "fc", x, {.features = 10}), "output");
  return graph;
}

// ONNX's limit is 2 GB; here it is 1,000 bytes.
TEST(ModelFile, LargerThanAProtobufMessageHasItsWeightsBesideIt) {
  const Folder folder;
  const Graph graph = graph_of_small_block();
  ASSERT_TRUE(ModelFile(graph, "block", 1, "whole.onnx.data", kLargestMessageBytes).write(folder / "whole.onnx", 1));
  const ModelFile parted(graph, "block", 1, "parted.onnx.data", 1000);
  ASSERT_TRUE(parted.write(folder / "parted.onnx", 2));
  const onnx::ModelProto whole = parsed(content(folder / "whole.onnx"));
  const onnx::ModelProto model = parsed(content(folder / "parted.onnx"));
  const std::string data = content(folder / "parted.onnx.data");
  EXPECT_EQ(folder.file_count(), 3U);
  EXPECT_EQ(content(folder / "parted.onnx").size() + data.size(), parted.size_bytes());
  ASSERT_EQ(model.graph().initializer_size(), 4);
  for (int i = 0; i < model.graph().initializer_size(); ++i) {
    const onnx::TensorProto& tensor = model.graph().initializer(i);
    const onnx::TensorProto& same = whole.graph().initializer(i);
    EXPECT_EQ(tensor.name(), same.name());
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
      EXPECT_EQ(tensor.name(), "flat/shape");
      continue;
    }
    EXPECT_EQ(tensor.external_data(0).value(), "parted.onnx.data");
    const auto offset = std::stoull(tensor.external_data(1).value());
    EXPECT_EQ(offset % 4096, 0U);
    EXPECT_EQ(data.substr(offset, std::stoull(tensor.external_data(2).value())), same.raw_data()) << tensor.name();
  }
}

TEST(ModelFile, WhoseWeightsCannotBeWrittenLeavesNothingBehind) {
  const Folder folder;
  std::filesystem::create_directory(folder / "model.onnx.data");
  const ModelFile parted(graph_of_small_block(), "block", 1, "model.onnx.data", 1000);
  EXPECT_FALSE(parted.write(folder / "model.onnx", 1));
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(ModelFile, WithADynamicBatchLeavesTheLeadingExtentOpen) {
  const Folder folder;
  ASSERT_TRUE(write_onnx(made("vit", {{"width", 32}, {"depth", 1}, {"heads", 4}, {"image_size", 32}}), std::nullopt,
                         folder / "model.onnx", 1));
  const onnx::ModelProto model = parsed(content(folder / "model.onnx"));
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "batch");
  EXPECT_EQ(model.graph().output(0).type().tensor_type().shape().dim(0).dim_param(), "batch");
  EXPECT_EQ(model.graph().value_info_size(), 0);
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    if (tensor.name() == "patch_embed/flat/shape") {
      EXPECT_THAT(tensor.int64_data(), testing::ElementsAre(-1, 32, 4));
    }
  }
}

TEST(ModelFile, NeedsAThread) {
  const Folder folder;
  EXPECT_FALSE(write_onnx(small_block(), 1, folder / "model.onnx", 0));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
int high_water_mark_kb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  int peak_kb = 0;
  status >> peak_kb;
  return peak_kb;
}

// In a process of its own whose high-water mark starts at what it holds now.
TEST(ModelFile, OfResNet50NeedsLessThan10MegabytesOfMemory) {
  const Folder folder;
  EXPECT_EQ(in_child([&] {
              std::ofstream("/proc/self/clear_refs") << 5;
              const int before_kb = high_water_mark_kb();
              const Status status = write_onnx(made("resnet50", {}), 1, folder / "model.onnx", 4);
              const int taken_kb = high_water_mark_kb() - before_kb;
              return status && before_kb > 1000 && taken_kb > 100 && taken_kb < 10000 ? 0 : 1;
            }),
            0);
}
#endif

}  // namespace
}  // namespace ngb::zoo
