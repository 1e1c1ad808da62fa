// SPDX-License-Identifier: Apache-2.0
#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;

std::string with_pairs(std::string_view pairs) {
  return "models: [{zoo: resnet18}]\ncompilers: [null, identity, onnxruntime, {onnxruntime: {version: 1.30.0}}]\n" +
         std::string(pairs);
}

TEST(StudyDevices, EveryCompilerRunsOnEveryDeviceUnlessPairsSayOtherwise) {
  const Study study = good(with_pairs("devices: [local]"));
  ASSERT_EQ(study.devices.size(), 1U);
  EXPECT_EQ(study.devices[0].name, "local");
  EXPECT_EQ(study.devices[0].kind, "local");
  EXPECT_THAT(study.devices[0].compilers, ElementsAre("null", "identity", "onnxruntime 1.31.1", "onnxruntime 1.30.0"));
}

TEST(StudyDevices, PairsChooseByLabelOrByNameInTheStudysOrder) {
  EXPECT_THAT(good(with_pairs("pairs: {local: [onnxruntime, identity]}")).devices[0].compilers,
              ElementsAre("identity", "onnxruntime 1.31.1", "onnxruntime 1.30.0"));
  EXPECT_THAT(good(with_pairs("pairs: {local: [onnxruntime 1.30.0, null]}")).devices[0].compilers,
              ElementsAre("null", "onnxruntime 1.30.0"));
}

TEST(StudyDevices, OnlyLocalIsKnown) {
  EXPECT_THAT(
      problems(with_pairs("devices: [local, raspberry, {ssh: pi}, local]")),
      ElementsAre("3:18: devices[1]: raspberry: unknown device; the only device of this release is local, the machine "
                  "that ngb runs on",
                  "3:29: devices[2]: expected a device's name, found a mapping; the only device of this release is "
                  "local, the machine that ngb runs on",
                  "3:40: devices[3]: local: stands twice; keep one of them"));
}

TEST(StudyDevices, PairsNameTheNearestWord) {
  EXPECT_THAT(problems(with_pairs("pairs: {locl: [identity], local: [onnxrutime, identity, identity]}")),
              ElementsAre("3:9: pairs: locl: unknown device of this study, did you mean local?",
                          "3:35: pairs.local[0]: onnxrutime: unknown compiler of this study, did you mean onnxruntime?",
                          "3:57: pairs.local[2]: identity: stands twice; keep one of them"));
  EXPECT_THAT(problems(with_pairs("pairs: {local: []}")),
              ElementsAre("3:16: pairs.local: expected a list of the study's compilers, found an empty list"));
}

TEST(StudyDevices, ACompilerThatCouldNotBeReadIsNotAProblemOfPairsToo) {
  EXPECT_THAT(problems("models: [{zoo: resnet18}]\ncompilers: [openvno]\npairs: {local: [openvino]}"),
              ElementsAre("2:13: compilers[0]: openvno: unknown compiler, did you mean openvino?"));
}

}  // namespace
}  // namespace ngb::config
