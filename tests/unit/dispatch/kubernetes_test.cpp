// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/kubernetes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_text.h"

namespace ngb::dispatch {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// A pod as the API server of Kubernetes 1.35 describes it, with this status.
Pod pod_with(const std::string& status, const std::string& metadata = "{}") {
  json object = json::parse(R"({"items": [{"kind": "Pod", "spec": {"nodeName": "edge1"}, "metadata":
      {"name": "p", "uid": "6d0c", "labels": {"ngraphbench/run": "0123"}}}]})");
  object["items"][0]["status"] = json::parse(status);
  object["items"][0]["metadata"].update(json::parse(metadata));
  const auto pods = read_pods(object.dump(), "device");
  EXPECT_TRUE(pods) << pods.error().text();
  return pods ? pods->at("p") : Pod{};
}

Pod waiting(const std::string& reason, const std::string& message) {
  return pod_with(R"({"phase": "Pending", "containerStatuses": [{"name": "device", "state": {"waiting": {"reason": ")" +
                  reason + R"(", "message": ")" + message + R"("}}}]})");
}

Pod unschedulable(const std::string& message) {
  return pod_with(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
                      "reason": "Unschedulable", "message": ")" +
                  message + R"("}]})");
}

TEST(ReadPods, KnowsARunningPodByItsUidItsRunItsNodeItsImageAndItsQuality) {
  const Pod pod = pod_with(R"({"phase": "Running", "qosClass": "Guaranteed", "containerStatuses": [
      {"name": "device", "imageID": "lab/bench@sha256:ab", "state": {"running": {"startedAt": "2026-11-27T10:00:00Z"}}}]})");
  EXPECT_EQ(pod.state, PodState::running);
  EXPECT_EQ(pod.uid, "6d0c");
  EXPECT_EQ(pod.run, "0123");
  EXPECT_EQ(pod.node, "edge1");
  EXPECT_EQ(pod.image_id, "lab/bench@sha256:ab");
  EXPECT_EQ(pod.qos_class, "Guaranteed");
}

TEST(ReadPods, OfAPodThatDoesNotExistAreNone) {
  const auto pods = read_pods("\n", "");
  ASSERT_TRUE(pods);
  EXPECT_TRUE(pods->empty());
  EXPECT_FALSE(read_pods("error: something", ""));
}

TEST(ReadPods, WaitsForAPodAtWhichNobodyHasLookedYet) {
  for (const char* const status : {R"({"phase": "Pending", "qosClass": "Guaranteed"})", "{}"}) {
    const Pod pod = pod_with(status);
    EXPECT_EQ(pod.state, PodState::waiting) << status;
    EXPECT_FALSE(pod.is_hopeless);
  }
  EXPECT_EQ(pod_with(R"({"phase": "Pending"})").words, "Pending");
}

TEST(ReadPods, APodThatIsBeingDeletedLeavesWhateverItsPhaseIs) {
  const Pod pod = pod_with(R"({"phase": "Running", "conditions": [{"type": "DisruptionTarget", "status": "True",
      "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}]})",
                           R"({"deletionTimestamp": "2026-11-27T10:00:00Z"})");
  EXPECT_EQ(pod.state, PodState::leaving);
  EXPECT_EQ(pod.words, "EvictionByEvictionAPI: Eviction API: evicting");
}

TEST(ReadPods, AnEndedPodSaysHowItEnded) {
  const Pod killed = pod_with(R"({"phase": "Failed", "containerStatuses": [{"name": "device",
      "state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}]})");
  EXPECT_EQ(killed.state, PodState::ended);
  EXPECT_EQ(killed.words, "OOMKilled, exit code 137");
  EXPECT_FALSE(killed.is_hopeless);
  const Pod evicted = pod_with(R"({"phase": "Failed", "reason": "Evicted", "message": "The node was low on memory"})");
  EXPECT_EQ(evicted.words, "Evicted: The node was low on memory");
  // After its node was switched off and on, a pod that is not started again keeps its phase.
  const Pod unknown = pod_with(R"({"phase": "Running", "containerStatuses": [{"name": "device",
      "state": {"terminated": {"reason": "ContainerStatusUnknown", "exitCode": 137}}}]})");
  EXPECT_EQ(unknown.state, PodState::ended);
}

TEST(ReadPods, AnImageWithoutAShellIsHopeless) {
  const Pod pod = pod_with(R"({"phase": "Failed", "containerStatuses": [{"name": "device", "state": {"terminated":
      {"reason": "StartError", "exitCode": 128, "message": "exec: \"/bin/sh\": stat /bin/sh: no such file or directory"}}}]})");
  EXPECT_TRUE(pod.is_hopeless);
  EXPECT_THAT(pod.advice, HasSubstr("an image with a shell"));
}

TEST(ReadPods, WaitsForAnImageThatMayComeAndNotForOneThatCannot) {
  EXPECT_TRUE(waiting("ErrImageNeverPull", "Container image \\\"a\\\" is not present").is_hopeless);
  EXPECT_TRUE(waiting("ImagePullBackOff", "manifest unknown: not found").is_hopeless);
  EXPECT_TRUE(waiting("CreateContainerConfigError", "secret \\\"s\\\" not found").is_hopeless);
  EXPECT_FALSE(waiting("ErrImagePull", "dial tcp: i/o timeout").is_hopeless);
  EXPECT_EQ(waiting("ErrImagePull", "dial tcp: i/o timeout").advice,
            "have the node reach the registry, or import the image there");
  EXPECT_FALSE(waiting("ContainerCreating", "").is_hopeless);
  EXPECT_EQ(waiting("ContainerCreating", "").words, "ContainerCreating");
}

TEST(ReadPods, WaitsForProcessorsAndNotForANodeThatDoesNotExist) {
  const Pod full = unschedulable(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node "
      "affinity/selector. preemption: 0/2 nodes are available: 2 No preemption victims found.");
  EXPECT_EQ(full.state, PodState::waiting);
  EXPECT_FALSE(full.is_hopeless);
  EXPECT_EQ(full.advice, "");
  EXPECT_THAT(full.words, HasSubstr("Unschedulable: 0/2 nodes are available: 1 Insufficient cpu"));
  EXPECT_TRUE(unschedulable("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. preemption: "
                            "0/2 nodes are available: 2 Preemption is not helpful for scheduling.")
                  .is_hopeless);
}

TEST(ReadPods, AVolumeThatNobodyHasClaimedIsHopeless) {
  const Pod pod = unschedulable("0/2 nodes are available: persistentvolumeclaim \\\"none\\\" not found. not found");
  EXPECT_TRUE(pod.is_hopeless);
  EXPECT_EQ(pod.advice, "create the claim, or correct kubernetes.volume");
}

TEST(KubectlCommands, NameContextAndNamespaceAndHaveNoWordOfTheStudyThatCouldBeAnOption) {
  const config::KubernetesRequest request{.context = "lab", .in_namespace = "bench", .image = "a"};
  EXPECT_THAT(list_command(request, "0123"),
              ElementsAre("kubectl", "--context=lab", "--namespace=bench", "get", "pods", "-l", "ngraphbench/run=0123",
                          "-o", "json", "--request-timeout=20s"));
  EXPECT_THAT(exec_command(request, "p", {"sh"}), ElementsAre("kubectl", "--context=lab", "--namespace=bench", "exec",
                                                              "-i", "p", "--container=device", "--", "sh"));
  EXPECT_THAT(exec_command({.pod = "mine", .container = "c"}, "mine", {"sh"}),
              ElementsAre("kubectl", "exec", "-i", "mine", "--container=c", "--", "sh"));
  EXPECT_THAT(list_command({.pod = "mine"}, "0123"), ElementsAre("kubectl", "get", "pod", "mine", "--ignore-not-found",
                                                                 "-o", "json", "--request-timeout=20s"));
}

TEST(PodManifest, AsksForWholeProcessorsAsBothRequestAndLimitOnTheNamedNodeAlone) {
  config::DeviceEntry device{.name = "edge1", .kind = "kubernetes", .folder = "/ngraphbench/data"};
  device.kubernetes = {.image = "lab/bench:1",
                       .nodes = {"edge1"},
                       .selector = {{"accelerator", "orin"}},
                       .cpus = 4,
                       .memory_bytes = 8'000'000'000,
                       .resources = {{"nvidia.com/gpu", "1"}},
                       .tolerations = {"bench=only:NoSchedule", "spot"},
                       .time_s = 3600};
  const json pod = pod_manifest(device, "ngb-1", "0123", "echo");
  const json& spec = pod.at("spec");
  const json& container = spec.at("containers").at(0);
  const json amounts{{"cpu", "4"}, {"memory", "8000000000"}, {"nvidia.com/gpu", "1"}};
  EXPECT_EQ(container.at("resources").at("requests"), amounts);
  EXPECT_EQ(container.at("resources").at("limits"), amounts);
  EXPECT_EQ(container.at("volumeMounts"), json::parse(R"([{"name": "data", "mountPath": "/ngraphbench"}])"));
  EXPECT_EQ(container.at("command"), json::parse(R"(["/bin/sh", "-c", "echo"])"));
  EXPECT_EQ(spec.at("nodeSelector"), json::parse(R"({"accelerator": "orin", "kubernetes.io/hostname": "edge1"})"));
  EXPECT_EQ(spec.at("restartPolicy"), "Never");
  EXPECT_EQ(spec.at("activeDeadlineSeconds"), 3600);
  EXPECT_EQ(spec.at("automountServiceAccountToken"), false);
  EXPECT_EQ(spec.at("volumes"), json::parse(R"([{"name": "data", "emptyDir": {}}])"));
  EXPECT_EQ(pod.at("metadata").at("labels").at("ngraphbench/run"), "0123");
  // A node that is cut off goes on measuring; the study's own tolerations follow.
  EXPECT_EQ(spec.at("tolerations"), json::parse(R"([
      {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"},
      {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
      {"key": "bench", "operator": "Equal", "value": "only", "effect": "NoSchedule"},
      {"key": "spot", "operator": "Exists"}])"));
  EXPECT_TRUE(spec.contains("affinity"));
}

TEST(PodManifest, HasTheVolumeThatOutlivesThePodAndNothingOfOtherPodsIfItMayShareANode) {
  config::DeviceEntry device{.name = "a", .kind = "kubernetes", .folder = "/ngraphbench/data"};
  device.kubernetes = {.image = "a", .volume = "claim", .is_exclusive = false};
  const json spec = pod_manifest(device, "ngb-1", "0123", "").at("spec");
  EXPECT_EQ(spec.at("volumes"), json::parse(R"([{"name": "data", "persistentVolumeClaim": {"claimName": "claim"}}])"));
  EXPECT_FALSE(spec.contains("affinity"));
  EXPECT_FALSE(spec.contains("nodeSelector"));
  EXPECT_EQ(spec.at("containers").at(0).at("resources").at("limits"),
            json::parse(R"({"cpu": "1", "memory": "2000000000"})"));
}

TEST(Kubectl, SaysOnceWhatItsLogSaysBefore) {
  const std::string log =
      "E1127 21:36:50.243605   22185 memcache.go:265] \"Unhandled Error\" err=\"couldn't get current server API "
      "group\"\n";
  const std::string words = "error: You must be logged in to the server";
  EXPECT_EQ(words_for_people(log + log + words), words);
  EXPECT_EQ(words_for_people("E1127 is a pod"), "E1127 is a pod");
  EXPECT_EQ(words_for_people("Error: one\ntwo"), "Error: one\ntwo");
  EXPECT_EQ(words_for_people(log), log);
  EXPECT_EQ(words_for_people(""), "");
}

TEST(Kubectl, IsTriedAgainAfterWhatMayPassAndNotAfterWhatCannot) {
  for (const char* const passing :
       {"The connection to the server 10.98.0.1:6443 was refused - did you specify the right host or port?",
        "Unable to connect to the server: dial tcp: i/o timeout",
        "error: unable to upgrade connection: container not found", "command terminated with exit code 137",
        "error dialing backend: dial tcp 10.98.0.11:10250: connect: no route to host",
        "pods \"p\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2",
        "pods \"p\" is forbidden: error looking up service account new/default: serviceaccount \"default\" not "
        "found"}) {
    EXPECT_TRUE(is_worth_another_kubectl(passing, "edge1")) << passing;
  }
  for (const auto& [final, advice] : std::initializer_list<std::pair<const char*, const char*>>{
           {"error: You must be logged in to the server (Unauthorized)", "run the same command again"},
           {"pods \"p\" is forbidden: no PriorityClass with name x was found", "kubernetes.priority"},
           {"Error from server (Forbidden): pods is forbidden: User \"u\" cannot list resource \"pods\"",
            "ngb devices rbac"},
           {"error: context \"x\" does not exist", "kubernetes.context"},
           {"Error from server (NotFound): namespaces \"x\" not found", "kubernetes.namespace"},
           {"error: unable to read certificate-authority /ca.crt for test due to open /ca.crt: no such file or "
            "directory",
            "kubectl config view"},
           {"The connection to the server localhost:8080 was refused", "knows no cluster"},
           {"OCI runtime exec failed: exec failed: \"/bin/sh\": stat /bin/sh: no such file or directory", "a shell"}}) {
    const Status worth = is_worth_another_kubectl(final, "edge1");
    ASSERT_FALSE(worth) << final;
    EXPECT_THAT(worth.error().text(), HasSubstr(advice));
  }
}

TEST(Rbac, HasNamesAsTextsWhateverTheyAre) {
  const std::string role = rbac_manifest("x\n---\nkind: X", "a\"b");
  EXPECT_THAT(role, HasSubstr(R"(metadata: {name: ngraphbench, namespace: "x\n---\nkind: X"})"));
  EXPECT_THAT(role, HasSubstr(R"(metadata: {name: "a\"b", namespace: )"));
  EXPECT_THAT(rbac_manifest("123", "null"), HasSubstr(R"({kind: ServiceAccount, name: "null", namespace: "123"})"));
}

}  // namespace
}  // namespace ngb::dispatch
