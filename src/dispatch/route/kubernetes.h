// SPDX-License-Identifier: Apache-2.0
// Builds kubectl's commands and the manifest of a pod, and reads the cluster's answers. Pure; kubernetes_route.cpp runs
// the commands.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/device.h"

namespace ngb::dispatch {

// The label of every pod that ngb makes: the name of the run's share (run_name), or of a look at the device.
inline constexpr const char* kRunLabel = "ngraphbench/run";
// The container of such a pod.
inline constexpr const char* kPodContainer = "device";

enum class PodState {
  waiting,  // for a node, an image or its start
  running,
  leaving,  // it is being deleted
  ended,
};

struct Pod {
  std::string uid{};
  std::string run{};  // its kRunLabel; "": it is not ngb's
  PodState state = PodState::waiting;
  std::string words{};       // why it waits or how it ended, in the cluster's words
  bool is_hopeless = false;  // it, and every other pod like it, will never run, for the reason in `words`
  std::string advice{};      // what to do about that; "": nothing in particular
  std::string node{};
  std::string image_id{};  // of the container, with the image's digest
  std::string qos_class{};
};

// Returns the pods in the output of `kubectl get pods -o json` by their names. `container` is the one that matters; "":
// each pod's first.
Result<std::map<std::string, Pod>> read_pods(std::string_view kubectl_json, const std::string& container);

// Lists the pods of that run and device; or the one of that name, if a study names a pod that exists already.
std::vector<std::string> list_command(const config::KubernetesRequest& request, const std::string& run);
// Creates the pod whose manifest comes from standard input.
std::vector<std::string> create_command(const config::KubernetesRequest& request);
// Has the pod deleted, and does not wait for it.
std::vector<std::string> delete_command(const config::KubernetesRequest& request, const std::string& pod);
// Runs `words` in the pod, with a pipe to their standard input.
std::vector<std::string> exec_command(const config::KubernetesRequest& request, const std::string& pod,
                                      const std::vector<std::string>& words);

// Returns the manifest of a pod that runs `script` by a shell and has the parent of `device`'s folder as a volume. Its
// requests and limits are the same, so that its quality of service is Guaranteed, and a node that is cut off does not
// end it.
nlohmann::json pod_manifest(const config::DeviceEntry& device, const std::string& pod, const std::string& run,
                            const std::string& script);

// Returns what kubectl has written on its standard error without the lines of its log ("E1127 21:36:50.243605 …
// memcache.go:265] …"), which come before the same words for people; all of it if there is nothing else.
std::string words_for_people(const std::string& said);

// Returns an error if `said`, what kubectl has written on its standard error, shows that no further try can help.
Status is_worth_another_kubectl(const std::string& said, const std::string& device);

// Returns the manifest of a role that allows all that ngb does in a namespace, and of its binding to a service account
// of the name `account`.
std::string rbac_manifest(const std::string& in_namespace, const std::string& account);

}  // namespace ngb::dispatch
