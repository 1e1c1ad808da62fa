// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "config/study.h"
#include "study_fixture.h"

namespace ngb::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

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

TEST(StudyDevices, ADeviceIsDescribedWhereItIsNamed) {
  const Study study = good(with_pairs(
      "devices: [local, {xeon: {ssh: me@xeon.lab}}, {orin: {ssh: {host: 10.0.0.7, port: 2222}, folder: /data/ngb}}]"));
  ASSERT_EQ(study.devices.size(), 3U);
  EXPECT_EQ(study.devices[1].name, "xeon");
  EXPECT_EQ(study.devices[1].kind, "ssh");
  EXPECT_EQ(study.devices[1].ssh.host, "me@xeon.lab");
  EXPECT_EQ(study.devices[1].folder, "~/.ngraphbench");
  EXPECT_EQ(study.devices[2].ssh.host, "10.0.0.7");
  EXPECT_EQ(study.devices[2].ssh.port, 2222);
  EXPECT_EQ(study.devices[2].folder, "/data/ngb");
  EXPECT_EQ(study.devices[2].compilers.size(), 4U);
}

TEST(StudyDevices, AKnownDeviceNeedsOnlyItsName) {
  Vocabulary known = small_vocabulary();
  const TemporaryFolder folder;
  const auto devices = load_devices(folder.write("devices.yaml", "xeon: {ssh: xeon.lab, folder: /data}\n"));
  ASSERT_TRUE(devices);
  known.devices = *devices;
  const auto study = load_study(folder.write("study.yaml", with_pairs("devices: [xeon]")), known);
  ASSERT_TRUE(study);
  EXPECT_EQ(study->devices.at(0).ssh.host, "xeon.lab");
  EXPECT_EQ(study->devices.at(0).folder, "/data");
}

TEST(StudyDevices, KubernetesGivesADeviceForEachNodeWithAFolderThatIsMounted) {
  const Study study = good(with_pairs(
      "devices: [kubernetes: {image: debian:12, nodes: [edge1, edge2], cpus: 4, memory: 8 GB}, "
      "{orin: {ssh: login.lab, kubernetes: {namespace: bench, image: lab/bench:1, selector: {accelerator: orin}, "
      "resources: {nvidia.com/gpu: 1}}, folder: /scratch/ngb, limits: {memory: 1 GB}}}, {mine: {kubernetes: {pod: "
      "bench-0}}}]"));
  ASSERT_EQ(study.devices.size(), 4U);
  EXPECT_EQ(study.devices[0].name, "edge1");
  EXPECT_THAT(study.devices[1].kubernetes.nodes, ElementsAre("edge2"));
  EXPECT_EQ(study.devices[1].kubernetes.cpus, 4);
  EXPECT_EQ(study.devices[1].kubernetes.memory_bytes, 8'000'000'000U);
  EXPECT_EQ(study.devices[1].folder, "/ngraphbench/data");
  // A cell that needs more is ended before the cluster ends the pod with its agent and journal.
  EXPECT_EQ(study.devices[1].limits.memory_bytes, 7'000'000'000U);
  EXPECT_EQ(study.devices[2].kind, "kubernetes");
  EXPECT_EQ(study.devices[2].ssh.host, "login.lab");
  EXPECT_THAT(study.devices[2].kubernetes.selector, ElementsAre(std::pair("accelerator", "orin")));
  EXPECT_THAT(study.devices[2].kubernetes.resources, ElementsAre(std::pair("nvidia.com/gpu", "1")));
  EXPECT_EQ(study.devices[2].folder, "/scratch/ngb");
  EXPECT_EQ(study.devices[2].limits.memory_bytes, 1'000'000'000U);
  EXPECT_EQ(study.devices[3].kubernetes.pod, "bench-0");
  EXPECT_EQ(study.devices[3].folder, "~/.ngraphbench");
  EXPECT_EQ(study.devices[3].limits.memory_bytes, std::nullopt);
}

TEST(StudyDevices, WhatKubernetesWouldRefuseOrTakeForAnOptionIsRefusedHere) {
  const auto said = [](const std::string& body) {
    return text::join(problems(with_pairs("devices: [{x: " + body + "}]")), "; ");
  };
  EXPECT_THAT(said("{kubernetes: {}}"), HasSubstr("kubernetes.image is missing"));
  EXPECT_THAT(said("{kubernetes: {image: a, cpus: 0.5}}"), HasSubstr("expected an integer from 1 to 1024, found 0.5"));
  EXPECT_THAT(said("{kubernetes: {pod: a, image: b}}"), HasSubstr("a pod that exists already"));
  EXPECT_THAT(said("{kubernetes: {image: a}, folder: ~/here}"), HasSubstr("an absolute path"));
  EXPECT_THAT(said("{kubernetes: {image: a}, folder: /data}"), HasSubstr("an absolute path"));
  EXPECT_THAT(said("{kubernetes: {image: a}, folder: /proc/1/root}"), HasSubstr("not in /proc, /sys or /dev"));
  EXPECT_THAT(said("{kubernetes: {image: a, selector: {-x: y}}}"), HasSubstr("a name such as nvidia.com/gpu"));
  for (const char* const hostile : {"namespace: --all", "context: --help", "image: --image", "nodes: [-n]", "pod: -f",
                                    "nodes: [\"a,b\"]", "resources: {cpu: -1}", "tolerations: [-]"}) {
    EXPECT_THAT(said("{kubernetes: {" + std::string(hostile) + "}}"), HasSubstr("expected")) << hostile;
  }
}

TEST(StudyDevices, SlurmGivesADeviceForEachNodeOrAnyNodeThatFits) {
  const Study study = good(
      with_pairs("devices: [slurm: {partition: bench, nodes: [edge1, edge2]}, {orin: {slurm: {constraint: orin}}}, "
                 "{far: {ssh: login.lab, slurm: {nodes: [n1, n2], time: 30}, folder: /scratch}}]"));
  std::vector<std::string> described;
  for (const DeviceEntry& device : study.devices) {
    EXPECT_EQ(device.kind, "slurm");
    described.push_back(device.name + ": " + device.slurm.partition + "/" + device.slurm.constraint + "/" +
                        text::join(device.slurm.nodes, ",") + "/" + device.slurm.time + "/" + device.ssh.host + "/" +
                        device.folder);
  }
  EXPECT_THAT(described, ElementsAre("edge1: bench//edge1///~/.ngraphbench", "edge2: bench//edge2///~/.ngraphbench",
                                     "orin: /orin////~/.ngraphbench", "far-n1: //n1/30/login.lab//scratch",
                                     "far-n2: //n2/30/login.lab//scratch"));
}

TEST(StudyDevices, RequestsToSlurmContainNoOptionsAndNoShellText) {
  for (const std::string word : {"--uid=0", "'a b'", "\"$(touch x)\"", "'a;b'", "''"}) {
    EXPECT_EQ(problems(with_pairs("devices: [slurm: {partition: " + word + "}]")).size(), 1U) << word;
    EXPECT_EQ(problems(with_pairs("devices: [slurm: {nodes: [" + word + "]}]")).size(), 1U) << word;
  }
}

TEST(StudyDevices, ThisMachineMayHaveAName) {
  const Study study = good(with_pairs("devices: [{workstation: local}]"));
  ASSERT_EQ(study.devices.size(), 1U);
  EXPECT_EQ(study.devices[0].name, "workstation");
  EXPECT_TRUE(is_here(study.devices[0]));
  EXPECT_EQ(to_json(study)["devices"].dump(), R"([{"workstation":"local"}])");
  const auto recorded = devices_of_study(to_json(study).dump());
  ASSERT_TRUE(recorded) << recorded.error().text();
  EXPECT_TRUE(is_here(recorded->at(0)));
}

TEST(StudyDevices, ThisMachineIsListedOnce) {
  EXPECT_THAT(
      problems(with_pairs("devices: [local, {workstation: local}]")),
      ElementsAre("3:18: devices[1]: local and workstation are both this machine; remove one of the two entries"));
}

TEST(StudyDevices, ThisMachineMayHaveVariablesAndLimits) {
  const std::string text =
      "devices: [{local: {environment: {LD_PRELOAD: libstdc++.so.6}, limits: {memory: 4 GB}, threads: 2}}]";
  const Study study = good(with_pairs(text));
  const DeviceEntry& device = study.devices.at(0);
  EXPECT_TRUE(is_here(device));
  EXPECT_EQ(device.name, "local");
  EXPECT_EQ(device.folder, "");
  EXPECT_THAT(device.environment, ElementsAre(std::pair("LD_PRELOAD", "libstdc++.so.6")));
  EXPECT_EQ(device.limits.memory_bytes, 4'000'000'000U);
  const std::string as_json = to_json(study)["devices"].dump();
  EXPECT_EQ(
      as_json,
      R"([{"local":{"environment":{"LD_PRELOAD":"libstdc++.so.6"},"limits":{"memory":4000000000},"threads":2}}])");
  const auto recorded = devices_of_study(to_json(study).dump());
  ASSERT_TRUE(recorded) << recorded.error().text();
  EXPECT_EQ(recorded->at(0).environment, device.environment);
  EXPECT_THAT(
      problems(with_pairs("devices: [{local: {ssh: box, folder: /x}}]")),
      ElementsAre(
          "3:20: devices[0].local: local is this machine, which has no ssh; remove it, or give the device another name",
          "3:30: devices[0].local: local is this machine, which has no folder; remove it, or give the device another "
          "name"));
}

TEST(StudyDevices, MistakesAreReportedAtTheirPlaces) {
  EXPECT_THAT(
      problems(with_pairs("devices: [local, raspberry, {pi: {}}, {pi2: {shs: pi2}}, local, {-x: {ssh: a}}]")),
      ElementsAre("3:18: devices[1]: raspberry: unknown device, expected one of: local; or describe how it is reached: "
                  "raspberry: {ssh: HOST}",
                  "3:34: devices[2].pi: how is the device reached? Add ssh: HOST, slurm: {…}, kubernetes: {…}, or "
                  "command: [docker, exec, "
                  "-i, box, sh]",
                  "3:45: devices[3].pi2: how is the device reached? Add ssh: HOST, slurm: {…}, kubernetes: {…}, or "
                  "command: [docker, exec, "
                  "-i, box, sh]",
                  "3:46: devices[3].pi2: shs: unknown key, did you mean ssh?",
                  "3:58: devices[4]: local is listed twice; remove one of the two",
                  "3:66: devices[5]: -x: expected a name of letters, digits and . _ -"));
}

TEST(StudyDevices, ACommandIsAListOfWordsThatMayRepeatAndBeNumbers) {
  const Study study = good(with_pairs("devices: [{box: {command: [ssh, -p, 2222, -v, -v, box, sh]}}]"));
  EXPECT_EQ(study.devices.at(0).kind, "command");
  EXPECT_THAT(study.devices[0].command, ElementsAre("ssh", "-p", "2222", "-v", "-v", "box", "sh"));
  EXPECT_EQ(to_json(study)["devices"].dump(),
            R"([{"box":{"command":["ssh","-p","2222","-v","-v","box","sh"],"folder":"~/.ngraphbench"}}])");
  for (const std::string wrong :
       {"docker exec box sh", "[]", "[[docker]]", "['']", "[\"a\\0b\"]", "[true]", "{a: b}"}) {
    EXPECT_EQ(problems(with_pairs("devices: [{x: {command: " + wrong + "}}]")).size(), 1U) << wrong;
  }
}

TEST(StudyDevices, ADeviceWithTwoWaysIsRefused) {
  EXPECT_THAT(problems(with_pairs("devices: [{x: {ssh: x, command: [sh]}}, {y: {command: [sh], slurm: {}}}]")),
              ElementsAre(HasSubstr("x.command: a device is reached in one way; remove ssh or command"),
                          HasSubstr("y.slurm: a device is reached in one way; remove command or slurm")));
}

TEST(StudyDevices, AHostThatSshWouldReadAsAnOptionIsRefused) {
  for (const std::string host : {"-oProxyCommand=touch /tmp/x", "'a b'", "\"$(touch x)\"", "\"a\\nb\"", "''"}) {
    EXPECT_EQ(problems(with_pairs("devices: [{x: {ssh: " + host + "}}]")).size(), 1U) << host;
  }
}

TEST(StudyDevices, EnvironmentLimitsAndTagsAreReadWithTheirDevice) {
  const Study study =
      good(with_pairs("devices: [{orin: {ssh: orin.lab, environment: {OMP_PROC_BIND: close, CUDA_HOME: /opt/cuda 13}, "
                      "limits: {memory: 4 GB, free_disk: 500 MB, time_s: 7200}, tags: [edge, arm]}}]"));
  const DeviceEntry& orin = study.devices.at(0);
  EXPECT_THAT(orin.environment, ElementsAre(Pair("CUDA_HOME", "/opt/cuda 13"), Pair("OMP_PROC_BIND", "close")));
  EXPECT_EQ(orin.limits.memory_bytes, 4'000'000'000U);
  EXPECT_EQ(orin.limits.free_disk_bytes, 500'000'000U);
  EXPECT_EQ(orin.limits.time_ns, 7'200'000'000'000);
  EXPECT_THAT(orin.tags, ElementsAre("edge", "arm"));
}

TEST(StudyDevices, ATagMeansEveryKnownDeviceThatHasIt) {
  Vocabulary known = small_vocabulary();
  const TemporaryFolder folder;
  known.devices = *load_devices(folder.write("devices.yaml",
                                             "pi: {ssh: pi, tags: [edge]}\n"
                                             "xeon: {ssh: xeon, tags: [server]}\n"
                                             "orin: {slurm: {nodes: [o1, o2]}, tags: [edge]}\n"));
  const auto study = load_study(folder.write("study.yaml", with_pairs("devices: [local, tag: edge]")), known);
  ASSERT_TRUE(study);
  std::vector<std::string> names;
  for (const DeviceEntry& device : study->devices) names.push_back(device.name);
  EXPECT_THAT(names, ElementsAre("local", "pi", "orin-o1", "orin-o2"));
  const auto wrong = load_study(folder.write("wrong.yaml", with_pairs("devices: [tag: egde]")), known);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().at(0).message, "egde: unknown tag, did you mean edge?");
}

TEST(StudyDevices, AVariableMayNotHaveAnOddNameOrOneOfOurs) {
  EXPECT_THAT(problems(with_pairs("devices: [{x: {ssh: x, environment: {1A: b, NGB_LIB: c, 'A=B': d, OK: [e]}}}]")),
              ElementsAre(HasSubstr("1A: expected a variable's name"), HasSubstr("NGB_LIB: expected a variable's name"),
                          HasSubstr("A=B: expected a variable's name"), HasSubstr("environment.OK: expected")));
}

TEST(StudyDevices, MistakesInPairsNameTheNearestWord) {
  EXPECT_THAT(problems(with_pairs("pairs: {locl: [identity], local: [onnxrutime, identity, identity]}")),
              ElementsAre("3:9: pairs: locl: unknown device of this study, did you mean local?",
                          "3:35: pairs.local[0]: onnxrutime: unknown compiler of this study, did you mean onnxruntime?",
                          "3:57: pairs.local[2]: identity is listed twice; remove one of the two"));
  EXPECT_THAT(problems(with_pairs("pairs: {local: []}")),
              ElementsAre("3:16: pairs.local: expected a list of the study's compilers, found an empty list"));
}

TEST(StudyDevices, ACompilerThatCannotBeReadIsNotReportedAgainForPairs) {
  EXPECT_THAT(problems("models: [{zoo: resnet18}]\ncompilers: [openvno]\npairs: {local: [openvino]}"),
              ElementsAre("2:13: compilers[0]: openvno: unknown compiler, did you mean openvino?"));
}

}  // namespace
}  // namespace ngb::config
