// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/kubernetes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"

namespace ngb::dispatch {
namespace {

using config::KubernetesRequest;
using nlohmann::json;
using Words = std::vector<std::string>;

constexpr int kGraceS = 5;

Words kubectl(const KubernetesRequest& request, const Words& arguments) {
  Words words{"kubectl"};
  if (!request.context.empty()) words.push_back("--context=" + request.context);
  if (!request.in_namespace.empty()) words.push_back("--namespace=" + request.in_namespace);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::string text_at(const json& object, const json::json_pointer& path) {
  const bool is_text = object.contains(path) && object.at(path).is_string();
  return is_text ? text::to_utf8(object.at(path).get<std::string>()) : "";
}

// Returns the condition of that type; an object without members if there is none.
json condition(const json& pod, std::string_view type) {
  const json none = json::array();
  const json status = pod.value("status", json::object());
  for (const json& each : status.contains("conditions") ? status.at("conditions") : none) {
    if (each.value("type", "") == type) return each;
  }
  return json::object();
}

std::string reason_and_message(const json& object) {
  const std::string reason = text_at(object, json::json_pointer("/reason"));
  const std::string message = text_at(object, json::json_pointer("/message"));
  if (reason.empty() || message.empty()) return reason + message;
  return reason + ": " + message;
}

// Returns whether the scheduler's message ("0/2 nodes are available: 2 node(s) didn't match Pod's node
// affinity/selector. preemption: …") says that none of the nodes is asked for.
bool no_node_matches(std::string_view message) {
  constexpr std::string_view kBegin = "available: ";
  const std::size_t begin = message.find(kBegin);
  if (begin == std::string_view::npos) return false;
  std::string_view reasons = message.substr(begin + kBegin.size());
  reasons = reasons.substr(0, reasons.find(". "));
  while (!reasons.empty()) {
    const std::size_t comma = reasons.find(", ");
    if (reasons.substr(0, comma).find("node affinity/selector") == std::string_view::npos) return false;
    reasons = comma == std::string_view::npos ? "" : reasons.substr(comma + 2);
  }
  return true;
}

struct Hopeless {
  std::string_view reason{};  // of a container that waits
  std::string_view word{};    // in the message; "": any message
  const char* advice = "";
};

constexpr const char* kImageAdvice = "correct the image, its tag or its pull_secret (kubernetes.image in the study)";
constexpr std::array kHopeless{
    Hopeless{"ErrImageNeverPull", "", "import the image on that node, or leave out pull: Never"},
    Hopeless{"InvalidImageName", "", kImageAdvice},
    Hopeless{"CreateContainerConfigError", "", "correct what the pod names (a secret, a volume)"},
    Hopeless{"ErrImagePull", "not found", kImageAdvice},
    Hopeless{"ImagePullBackOff", "not found", kImageAdvice},
    Hopeless{"ErrImagePull", "denied", kImageAdvice},
    Hopeless{"ImagePullBackOff", "denied", kImageAdvice},
    Hopeless{"ErrImagePull", "unauthorized", kImageAdvice},
    Hopeless{"ImagePullBackOff", "unauthorized", kImageAdvice},
    Hopeless{"ErrImagePull", "no match for platform", "use an image for that node's kind of machine"},
    Hopeless{"ImagePullBackOff", "no match for platform", "use an image for that node's kind of machine"},
};

void judge_waiting(Pod& pod, const json& waiting) {
  pod.words = reason_and_message(waiting);
  const std::string reason = text_at(waiting, json::json_pointer("/reason"));
  const auto is_it = [&](const Hopeless& each) {
    return each.reason == reason && pod.words.find(each.word) != std::string::npos;
  };
  const auto* const known = std::find_if(kHopeless.begin(), kHopeless.end(), is_it);
  if (known == kHopeless.end()) {
    const bool is_pulled = reason == "ErrImagePull" || reason == "ImagePullBackOff";
    if (is_pulled) pod.advice = "have the node reach the registry, or import the image there";
    return;
  }
  pod.is_hopeless = true;
  pod.advice = known->advice;
}

void judge_end(Pod& pod, const json& terminated) {
  const std::string of_container = reason_and_message(terminated);
  if (pod.words.empty()) pod.words = of_container;
  if (pod.words.empty()) pod.words = "ended";
  if (terminated.contains("exitCode") && terminated["exitCode"] != 0) {
    pod.words += fmt::format(", exit code {}", terminated["exitCode"].dump());
  }
  for (const char* const sign : {"no such file or directory", "executable file not found", "exec format error"}) {
    if (of_container.find(sign) == std::string::npos) continue;
    pod.is_hopeless = true;
    pod.advice = "use an image with a shell (/bin/sh), for that node's kind of machine";
  }
}

json container_status(const json& pod, const std::string& container) {
  const json::json_pointer path("/status/containerStatuses");
  if (!pod.contains(path)) return json::object();
  for (const json& each : pod.at(path)) {
    if (container.empty() || each.value("name", "") == container) return each;
  }
  return json::object();
}

Pod pod_of(const json& object, const std::string& container) {
  Pod pod;
  pod.uid = object.at("metadata").at("uid").get<std::string>();
  if (object["metadata"].contains("labels")) pod.run = object["metadata"]["labels"].value(kRunLabel, "");
  pod.node = text_at(object, json::json_pointer("/spec/nodeName"));
  pod.qos_class = text_at(object, json::json_pointer("/status/qosClass"));
  const json status = container_status(object, container);
  pod.image_id = text_at(status, json::json_pointer("/imageID"));
  const json state = status.value("state", json::object());
  const std::string phase = text_at(object, json::json_pointer("/status/phase"));
  if (object["metadata"].contains("deletionTimestamp")) {
    pod.state = PodState::leaving;
    pod.words = reason_and_message(condition(object, "DisruptionTarget"));
    if (pod.words.empty()) pod.words = "it is being deleted";
  } else if (phase == "Succeeded" || phase == "Failed" || state.contains("terminated")) {
    pod.state = PodState::ended;
    pod.words = reason_and_message(object["status"]);
    judge_end(pod, state.value("terminated", json::object()));
  } else if (phase == "Running" && state.contains("running")) {
    pod.state = PodState::running;
  } else if (state.contains("waiting")) {
    judge_waiting(pod, state["waiting"]);
  } else if (const json scheduled = condition(object, "PodScheduled"); scheduled.value("status", "") == "False") {
    pod.words = reason_and_message(scheduled);
    const bool lacks_volume = pod.words.find("persistentvolumeclaim") != std::string::npos &&
                              pod.words.find("not found") != std::string::npos;
    pod.is_hopeless = lacks_volume || no_node_matches(pod.words);
    if (lacks_volume) {
      pod.advice = "create the claim, or correct kubernetes.volume";
    } else if (pod.is_hopeless) {
      pod.advice = "correct nodes or selector; kubectl get nodes --show-labels lists what there is";
    }
  } else {
    pod.words = phase;
  }
  return pod;
}

json quantities(const KubernetesRequest& request) {
  json all{{"cpu", std::to_string(request.cpus.value_or(1))},
           {"memory", std::to_string(request.memory_bytes.value_or(config::kPodMemoryBytes))}};
  for (const auto& [name, amount] : request.resources) all[name] = amount;
  return all;
}

json toleration(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string pair = text.substr(0, colon);
  const std::size_t equals = pair.find('=');
  json out{{"key", pair.substr(0, equals)}, {"operator", equals == std::string::npos ? "Exists" : "Equal"}};
  if (equals != std::string::npos) out["value"] = pair.substr(equals + 1);
  if (colon != std::string::npos) out["effect"] = text.substr(colon + 1);
  return out;
}

// A node that is cut off for a while goes on measuring, so its pod is not to be deleted for that.
json tolerations(const KubernetesRequest& request) {
  json all = json::array();
  for (const char* const taint : {"node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"}) {
    all.push_back({{"key", taint}, {"operator", "Exists"}, {"effect", "NoExecute"}});
  }
  for (const std::string& each : request.tolerations) all.push_back(toleration(each));
  return all;
}

json anti_affinity() {
  const json others{{"matchExpressions", {{{"key", kRunLabel}, {"operator", "Exists"}}}}};
  return {{"podAntiAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution",
             {{{"labelSelector", others},
               {"namespaceSelector", json::object()},
               {"topologyKey", "kubernetes.io/hostname"}}}}}}};
}

json container_of(const config::DeviceEntry& device, const std::string& script) {
  const KubernetesRequest& request = device.kubernetes;
  const std::string mounted = std::filesystem::path(device.folder).lexically_normal().parent_path();
  return {{"name", kPodContainer},
          {"image", request.image},
          {"imagePullPolicy", request.pull.empty() ? "IfNotPresent" : request.pull},
          {"command", {"/bin/sh", "-c", script}},
          {"env", {{{"name", "NGB_KUBERNETES_NODE"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "spec.nodeName"}}}}}}}},
          {"resources", {{"requests", quantities(request)}, {"limits", quantities(request)}}},
          {"volumeMounts", {{{"name", "data"}, {"mountPath", mounted}}}}};
}

}  // namespace

Result<std::map<std::string, Pod>> read_pods(std::string_view kubectl_json, const std::string& container) {
  std::map<std::string, Pod> pods;
  if (text::trim(kubectl_json).empty()) return pods;  // of one pod by its name, with --ignore-not-found
  try {
    const json answer = json_text::parse_or_throw(kubectl_json);
    const json items = answer.contains("items") ? answer.at("items") : json::array({answer});
    for (const json& each : items) {
      pods.emplace(each.at("metadata").at("name").get<std::string>(), pod_of(each, container));
    }
    return pods;
  } catch (const json::exception& error) {
    return fail(fmt::format("cannot read the output of kubectl get pods: {}", error.what()), "kubectl",
                "see what it prints: kubectl get pods -o json");
  }
}

Words list_command(const KubernetesRequest& request, const std::string& run) {
  constexpr const char* kTimeLimit = "--request-timeout=20s";
  if (!request.pod.empty()) {
    return kubectl(request, {"get", "pod", request.pod, "--ignore-not-found", "-o", "json", kTimeLimit});
  }
  return kubectl(request, {"get", "pods", "-l", fmt::format("{}={}", kRunLabel, run), "-o", "json", kTimeLimit});
}

Words create_command(const KubernetesRequest& request) {
  return kubectl(request, {"create", "-f", "-", "--request-timeout=60s"});
}

Words delete_command(const KubernetesRequest& request, const std::string& pod) {
  return kubectl(request, {"delete", "pod", pod, "--ignore-not-found", "--wait=false", "--request-timeout=60s"});
}

Words exec_command(const KubernetesRequest& request, const std::string& pod, const Words& words) {
  Words arguments{"exec", "-i", pod};
  const std::string container = request.pod.empty() ? kPodContainer : request.container;
  if (!container.empty()) arguments.push_back("--container=" + container);
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), words.begin(), words.end());
  return kubectl(request, arguments);
}

json pod_manifest(const config::DeviceEntry& device, const std::string& pod, const std::string& run,
                  const std::string& script) {
  const KubernetesRequest& request = device.kubernetes;
  json spec{{"restartPolicy", "Never"},
            {"automountServiceAccountToken", false},
            {"enableServiceLinks", false},
            {"terminationGracePeriodSeconds", kGraceS},
            {"tolerations", tolerations(request)},
            {"containers", {container_of(device, script)}}};
  json selector = json::object();
  for (const auto& [name, value] : request.selector) selector[name] = value;
  if (!request.nodes.empty()) selector["kubernetes.io/hostname"] = request.nodes.front();
  if (!selector.empty()) spec["nodeSelector"] = selector;
  if (request.is_exclusive.value_or(true)) spec["affinity"] = anti_affinity();
  if (request.time_s) spec["activeDeadlineSeconds"] = *request.time_s;
  if (!request.priority.empty()) spec["priorityClassName"] = request.priority;
  if (!request.pull_secret.empty()) spec["imagePullSecrets"] = {{{"name", request.pull_secret}}};
  const json claim{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", request.volume}}}};
  const json until_the_end{{"name", "data"}, {"emptyDir", json::object()}};
  spec["volumes"] = json::array({request.volume.empty() ? until_the_end : claim});
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", pod}, {"labels", {{"app.kubernetes.io/name", "ngraphbench"}, {kRunLabel, run}}}}},
          {"spec", spec}};
}

std::string words_for_people(const std::string& said) {
  std::istringstream lines(said);
  std::string words;
  for (std::string line; std::getline(lines, line);) {
    const bool is_logged = std::string_view("EWIF").find(line.substr(0, 1)) != std::string_view::npos &&
                           line.find_first_not_of("0123456789", 1) == 5 && line[5] == ' ';
    if (!is_logged) words += (words.empty() ? "" : "\n") + line;
  }
  return words.empty() ? said : words;
}

Status is_worth_another_kubectl(const std::string& said, const std::string& device) {
  constexpr const char* kRights =
      "ask for the rights that `ngb devices rbac` prints; kubectl auth can-i create pods/exec tells what you have";
  constexpr const char* kLogin =
      "renew your login until kubectl get pods answers, then run the same command again; what was measured is kept";
  // Until others leave, or until a new namespace has its account.
  for (const char* const passing : {"exceeded quota", "error looking up service account"}) {
    if (said.find(passing) != std::string::npos) return Done{};
  }
  for (const auto& [sign, advice] : std::initializer_list<std::pair<const char*, const char*>>{
           {"violates PodSecurity", "use a namespace whose pod security admits the baseline"},
           {"no PriorityClass", "correct kubernetes.priority"},
           {"orbidden", kRights},
           {"Unauthorized", kLogin},
           {"must be logged in", kLogin},
           {"getting credentials", "let kubectl log in first: kubectl get pods"},
           {"unable to read", "correct kubectl's configuration: kubectl config view shows it"},
           {"error loading config", "correct kubectl's configuration: kubectl config view shows it"},
           {"no configuration has been provided", "set KUBECONFIG, or kubernetes.context"},
           {"localhost:8080", "kubectl knows no cluster: set KUBECONFIG, or kubernetes.context"},
           {"context was not found", "correct kubernetes.context; kubectl config get-contexts lists them"},
           {"does not exist", "correct kubernetes.context; kubectl config get-contexts lists them"},
           {"namespaces \"", "correct kubernetes.namespace, or create it"},
           {"no such file or directory", "use an image with a shell (/bin/sh)"},
           {"executable file not found", "use an image with a shell (/bin/sh)"},
           {"is invalid", "correct the keys under kubernetes: of this device"},
           {"unknown flag", "install kubectl 1.24 or later"}}) {
    if (said.find(sign) != std::string::npos) return fail("kubectl: " + said, device, advice);
  }
  return Done{};
}

std::string rbac_manifest(const std::string& in_namespace, const std::string& account) {
  return fmt::format(R"(# What NGraphBench does in a namespace, and no more. For: kubectl apply -f -
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: ngraphbench, namespace: {0}}}
rules:
  - {{apiGroups: [""], resources: [pods], verbs: [create, get, list, delete]}}
  - {{apiGroups: [""], resources: [pods/exec], verbs: [create, get]}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {1}, namespace: {0}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: ngraphbench, namespace: {0}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: ngraphbench}}
subjects: [{{kind: ServiceAccount, name: {1}, namespace: {0}}}]
)",
                     json_text::dump(json(in_namespace)), json_text::dump(json(account)));
}

}  // namespace ngb::dispatch
