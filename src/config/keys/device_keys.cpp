// SPDX-License-Identifier: Apache-2.0
// The keys below a device's name. Each row has the place of its value in a DeviceEntry, so that reading a study,
// writing it as JSON, the JSON Schema and docs/study.md need nothing else.
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "config/keys/key.h"
#include "config/keys/row.h"
#include "config/keys/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;

// kHost, kSlurmWord, kUser and all patterns of Kubernetes match no option of ssh, sbatch or kubectl: their first
// character is never "-".
constexpr const char* kHost = R"(^[0-9A-Za-z_:\[][0-9A-Za-z_.:%@\[\]-]{0,252}$)";
constexpr const char* kSlurmWord = R"(^[0-9A-Za-z_][0-9A-Za-z_.:,&|*@()\[\]-]{0,98}$)";
constexpr const char* kUser = R"(^[0-9A-Za-z_][0-9A-Za-z_.@\\-]{0,63}$)";
// A name as Kubernetes demands of pods and namespaces, of labels and resources (with the domain that they belong to),
// and of labels' values; an image with its registry, tag and digest; a context, which the user's own kubeconfig names.
constexpr const char* kObjectName = R"(^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$)";
constexpr const char* kNameOfObject = "a name of small letters, digits, - and ., such as edge1";
constexpr const char* kQualifiedName =
    R"(^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[0-9A-Za-z]([0-9A-Za-z_.-]{0,61}[0-9A-Za-z])?$)";
constexpr const char* kLabelValue = R"(^([0-9A-Za-z]([0-9A-Za-z_.-]{0,61}[0-9A-Za-z])?)?$)";
constexpr const char* kToleration =
    R"(^[0-9A-Za-z][0-9A-Za-z_./-]{0,252}(=[0-9A-Za-z_.-]{0,63})?(:(NoSchedule|PreferNoSchedule|NoExecute))?$)";
constexpr const char* kImage = R"(^[0-9A-Za-z][0-9A-Za-z_.:/@+-]{0,499}$)";
constexpr const char* kContext = R"(^[0-9A-Za-z_][^\x00-\x20]{0,252}$)";
constexpr const char* kAmount = R"(^[1-9][0-9]{0,8}$)";
constexpr const char* kVariableName = R"(^(?!NGB_)[A-Za-z_][0-9A-Za-z_]*$)";
constexpr const char* kVariableValue = R"(^[^\x00-\x1f]{0,1000}$)";
constexpr const char* kTag = R"(^[0-9A-Za-z][0-9A-Za-z_.-]{0,62}$)";

using Variables = std::vector<std::pair<std::string, std::string>>;

template <class T>
void set_field(T& field, const json& value) {
  value.get_to(field);
}
template <class T>
void set_field(std::optional<T>& field, const json& value) {
  field = value.get<T>();
}
void set_field(std::filesystem::path& field, const json& value) { field = value.get<std::string>(); }
void set_field(Variables& field, const json& value) {
  for (const auto& [name, text] : value.items()) field.emplace_back(name, text);
}

template <class T>
json field_json(const T& field) {
  return field == T{} ? json() : json(field);
}
json field_json(const std::filesystem::path& field) { return field_json(field.string()); }
json field_json(const Variables& field) {
  json variables;
  for (const auto& [name, text] : field) variables[name] = text;
  return variables;
}
template <class T>
json field_json(const std::optional<T>& field) {
  return field ? json(*field) : json();
}

// Returns `key` with functions for its value in a DeviceEntry. `Path` leads to it: &DeviceEntry::ssh,
// &SshAddress::host.
template <auto... Path>
Key kept_in(Key key) {
  key.set_of = [](DeviceEntry& device, const json& value) { set_field((device.*....*Path), value); };
  key.get_of = [](const DeviceEntry& device) { return field_json((device.*....*Path)); };
  return key;
}

template <auto... Path>
Key text_key(const char* name, const char* pattern, const char* meaning, const char* default_text = "",
             ValueType type = ValueType::text) {
  return kept_in<Path...>(
      {.name = name, .type = type, .pattern = pattern, .meaning = meaning, .default_text = default_text});
}

template <auto... Path>
Key number_key(const char* name, ValueType type, std::pair<double, double> range, const char* meaning,
               const char* default_text) {
  return kept_in<Path...>({.name = name,
                           .type = type,
                           .minimum = range.first,
                           .maximum = range.second,
                           .meaning = meaning,
                           .default_text = default_text});
}

Key ssh_key() {
  constexpr const char* kOwn = "ssh's own";
  return {.name = "ssh",
          .type = ValueType::structured,
          .meaning = "The host, as for `ssh HOST`; or a mapping of the keys below",
          .keys = {text_key<&DeviceEntry::ssh, &SshAddress::host>("host", kHost,
                                                                  "Name or address, or a Host of ~/.ssh/config"),
                   text_key<&DeviceEntry::ssh, &SshAddress::user>("user", kUser, "User name on the host", kOwn),
                   number_key<&DeviceEntry::ssh, &SshAddress::port>("port", ValueType::integer, {1, 65535},
                                                                    "Port of its sshd", kOwn),
                   text_key<&DeviceEntry::ssh, &SshAddress::config>(
                       "config", "", "Configuration of ssh to use instead of ~/.ssh/config", kOwn, ValueType::path)},
          .first_may_stand_alone = true,
          .way = Way{.example = "ssh: HOST"}};
}

// Returns the key of a text that sbatch receives unchanged.
template <auto Member>
Key slurm_word(const char* name, const char* meaning) {
  return text_key<&DeviceEntry::slurm, Member>(name, kSlurmWord, meaning, "the cluster's own", ValueType::bare_text);
}

Key slurm_key() {
  return {
      .name = "slurm",
      .type = ValueType::structured,
      .meaning =
          "A machine of a Slurm cluster, as a mapping of the keys below; with `ssh`, Slurm's commands run on that host",
      .keys = {slurm_word<&SlurmRequest::partition>("partition", "Partition"),
               slurm_word<&SlurmRequest::constraint>("constraint", "Features that the machine must have"),
               slurm_word<&SlurmRequest::gres>("gres", "Generic resources, such as gpu:1"),
               slurm_word<&SlurmRequest::account>("account", "Account to charge"),
               slurm_word<&SlurmRequest::qos>("qos", "Quality of service"),
               slurm_word<&SlurmRequest::time>(
                   "time", "Limit of one job, such as 30 or 2:00:00; a study that needs longer gets another job"),
               text_key<&DeviceEntry::slurm, &SlurmRequest::nodes>("nodes", kHost, "Each of these nodes is a device",
                                                                   "one device, on any node", ValueType::texts)},
      .example = "a request to Slurm such as {partition: bench}",
      .way = Way{.example = "slurm: {…}", .through = "ssh", .may_name_devices = true}};
}

template <auto Member>
Key kubernetes_word(const char* name, const char* pattern, const char* meaning, const char* default_text) {
  Key key = text_key<&DeviceEntry::kubernetes, Member>(name, pattern, meaning, default_text, ValueType::bare_text);
  if (pattern == std::string_view(kObjectName)) key.example = kNameOfObject;
  return key;
}

template <auto Member>
Key kubernetes_words(const char* name, const char* meaning, const Key& value) {
  return kept_in<&DeviceEntry::kubernetes, Member>(
      {.name = name,
       .type = ValueType::structured,
       .meaning = meaning,
       .default_text = "{}",
       .keys = {value},
       .example = "words such as {accelerator: orin}",
       .names_pattern = kQualifiedName,
       .names_in_words =
           "a name such as nvidia.com/gpu, of letters, digits and . _ - with or without a domain before it"});
}

std::string complete_kubernetes(DeviceEntry& device) {
  const KubernetesRequest& request = device.kubernetes;
  const bool asks_for_a_pod = !request.image.empty() || !request.nodes.empty() || !request.selector.empty() ||
                              request.cpus || request.memory_bytes || !request.resources.empty() ||
                              !request.tolerations.empty() || !request.priority.empty() ||
                              !request.pull_secret.empty() || !request.pull.empty() || !request.volume.empty() ||
                              request.time_s || request.is_exclusive;
  if (!request.pod.empty()) {
    return asks_for_a_pod
               ? "kubernetes.pod is a pod that exists already: beside it, only context, namespace and container"
               : "";
  }
  if (request.image.empty()) {
    return "kubernetes.image is missing: any image with a shell and glibc 2.34 or later; or name an existing pod";
  }
  if (!request.container.empty()) return "kubernetes.container belongs to an existing pod (kubernetes.pod)";
  if (device.folder == kDeviceFolder) device.folder = kPodFolder;
  // A pod may end as a whole, with the agent, if it uses more than its limit. An eighth stays for the agent.
  const std::uint64_t memory_bytes = request.memory_bytes.value_or(kPodMemoryBytes);
  if (!device.limits.memory_bytes) device.limits.memory_bytes = memory_bytes - memory_bytes / 8;
  const std::filesystem::path folder = std::filesystem::path(device.folder).lexically_normal();
  if (!folder.is_absolute() || std::distance(folder.begin(), folder.end()) < 3 || folder.filename().empty()) {
    return "in a pod, folder is an absolute path such as /ngraphbench/data: a volume is mounted at its parent";
  }
  const std::filesystem::path top = *std::next(folder.begin());
  if (top == "proc" || top == "sys" || top == "dev") return "in a pod, folder is not in /proc, /sys or /dev";
  return "";
}

Key kubernetes_key() {
  constexpr const char* kOwn = "kubectl's own";
  using Request = KubernetesRequest;
  const auto number = [](const char* name, auto member, double least, double most, const char* meaning,
                         const char* default_text) {
    Key key{.name = name,
            .type = ValueType::integer,
            .minimum = least,
            .maximum = most,
            .meaning = meaning,
            .default_text = default_text};
    key.set_of = [member](DeviceEntry& device, const json& value) { set_field(device.kubernetes.*member, value); };
    key.get_of = [member](const DeviceEntry& device) { return field_json(device.kubernetes.*member); };
    return key;
  };
  Key memory =
      number("memory", &Request::memory_bytes, 16e6, 1e15, "Memory of the pod: what it requests and its limit", "2 GB");
  memory.type = ValueType::bytes;
  Key exclusive =
      number("exclusive", &Request::is_exclusive, 0, 0, "No two pods of NGraphBench are on one node", "true");
  exclusive.type = ValueType::boolean;
  Key image = kubernetes_word<&Request::image>("image", kImage,
                                               "Image of the pod: any with a shell and glibc 2.34 or later", "none");
  image.example = "an image such as debian:12 or registry.lab/bench:1";
  Key nodes = text_key<&DeviceEntry::kubernetes, &Request::nodes>(
      "nodes", kObjectName, "Each of these nodes is a device", "one device, on any node", ValueType::texts);
  nodes.example = kNameOfObject;
  Key pull = kubernetes_word<&Request::pull>("pull", "", "When the image is pulled", "IfNotPresent");
  pull.type = ValueType::word;
  pull.words = {"IfNotPresent", "Always", "Never"};
  const Key label{.name = "LABEL",
                  .type = ValueType::bare_text,
                  .maximum = 63,
                  .pattern = kLabelValue,
                  .meaning = "Value of the label LABEL",
                  .default_text = "none"};
  const Key amount{.name = "RESOURCE",
                   .type = ValueType::bare_text,
                   .maximum = 9,
                   .pattern = kAmount,
                   .meaning = "How many of RESOURCE, a whole number",
                   .default_text = "none"};
  return {
      .name = "kubernetes",
      .type = ValueType::structured,
      .meaning = "A pod of a Kubernetes cluster, as a mapping of the keys below; with `ssh`, kubectl runs on that host",
      .keys =
          {image,
           kubernetes_word<&Request::pod>(
               "pod", kObjectName, "An existing pod instead, which NGraphBench neither makes nor deletes", "none"),
           kubernetes_word<&Request::context>("context", kContext, "Context of kubectl's configuration", kOwn),
           kubernetes_word<&Request::in_namespace>("namespace", kObjectName, "Namespace", kOwn),
           kubernetes_word<&Request::container>("container", kObjectName, "Container of the existing pod", kOwn), nodes,
           kubernetes_words<&Request::selector>("selector", "Labels that the node must have", label),
           number("cpus", &Request::cpus, 1, 1024,
                  "Whole processors of the pod: what it requests and its limit, so that the kubelet's static policy "
                  "gives it processors of its own",
                  "1"),
           memory,
           kubernetes_words<&Request::resources>("resources", "Other resources, such as nvidia.com/gpu: 1", amount),
           text_key<&DeviceEntry::kubernetes, &Request::tolerations>(
               "tolerations", kToleration,
               "Taints of nodes that the pod tolerates, as KEY, KEY=VALUE or KEY=VALUE:EFFECT", "[]", ValueType::texts),
           kubernetes_word<&Request::priority>("priority", kObjectName, "Priority class", "the cluster's own"),
           kubernetes_word<&Request::pull_secret>("pull_secret", kObjectName, "Secret for pulling the image", "none"),
           pull,
           kubernetes_word<&Request::volume>("volume", kObjectName,
                                             "Persistent volume claim for the folder, which then outlives the pod",
                                             "a volume that ends with the pod"),
           number("time_s", &Request::time_s, 60, 31536000,
                  "Limit of one pod in seconds; a study that needs longer gets another pod", "none"),
           exclusive},
      .example = "a request for a pod such as {image: debian:12}",
      .way = Way{
          .example = "kubernetes: {…}", .through = "ssh", .may_name_devices = true, .complete = complete_kubernetes}};
}

Key environment_key() {
  return kept_in<&DeviceEntry::environment>(
      {.name = "environment",
       .type = ValueType::structured,
       .meaning = "Variables for the measured processes on the device, as NAME: text; recorded with the results, so no "
                  "secrets. NGraphBench's own variables (OMP_NUM_THREADS and the like) override them",
       .default_text = "{}",
       .keys = {{.name = "NAME",
                 .type = ValueType::bare_text,
                 .maximum = 1000,
                 .pattern = kVariableValue,
                 .meaning = "Value of the variable NAME",
                 .default_text = "not set"}},
       .example = "variables such as {OMP_PROC_BIND: close}",
       .names_pattern = kVariableName,
       .names_in_words = "a variable's name of letters, digits and _, not NGB_…"});
}

template <class Value>
Key limit_key(const work::StudyKey& row, std::optional<Value> work::DeviceLimits::* member) {
  Key key = key_of_row(row);
  key.type = is_scaled(row) ? ValueType::number : ValueType::bytes;
  key.set_of = [member, row](DeviceEntry& device, const json& value) {
    device.limits.*member = from_key<Value>(row, value);
  };
  key.get_of = [member, row](const DeviceEntry& device) {
    const std::optional<Value>& limit = device.limits.*member;
    return limit ? to_key(row, *limit) : json();
  };
  return key;
}

Key limits_key() {
  Key limits{.name = "limits",
             .type = ValueType::structured,
             .meaning = "Limits of what a run may use of the device, as a mapping of the keys below",
             .example = "limits such as {memory: 4 GB}"};
  for_each_field<work::DeviceLimits>(
      [&](const auto& field) { limits.keys.push_back(limit_key(field.key, field.member)); });
  return limits;
}

}  // namespace

namespace {

Key threads_key_of_device() {
  Key key = threads_key();
  key.meaning = "Threads that inference may use there, for compilers that do not say otherwise";
  key.default_text = "the study's threads";
  key.set_of = [](DeviceEntry& device, const json& value) {
    device.threads = value.is_string() ? value.get<std::string>() : json_text::dump(value);
  };
  key.get_of = [](const DeviceEntry& device) { return json_of(device.threads); };
  return key;
}

}  // namespace

std::span<const Key> device_keys() {
  static const std::vector<Key> kKeys{
      ssh_key(),
      slurm_key(),
      kubernetes_key(),
      kept_in<&DeviceEntry::command>({.name = "command",
                                      .type = ValueType::arguments,
                                      .maximum = 1000,
                                      .pattern = R"(^[^\x00-\x1f]{1,1000}$)",
                                      .meaning = "A program and its arguments that lead to a POSIX shell on the device",
                                      .default_text = "none",
                                      .way = Way{.example = "command: [docker, exec, -i, box, sh]"}}),
      text_key<&DeviceEntry::folder>("folder", kLabel, "Folder on the device for everything of NGraphBench",
                                     kDeviceFolder),
      text_key<&DeviceEntry::toolchains>(
          "toolchains", kLabel, "Folder on the device with existing toolchains, in the layout of `ngb toolchain`",
          "toolchains, in the device's folder"),
      environment_key(),
      limits_key(),
      threads_key_of_device(),
      number_key<&DeviceEntry::unreachable_s>("unreachable_s", ValueType::number, {1, 2592000},
                                              "Seconds without a connection after which a run gives the device up; the "
                                              "same command resumes it",
                                              "600"),
      text_key<&DeviceEntry::tags>(
          "tags", kTag, "Your own words; `tag: WORD` in a study's devices means all known devices with that tag", "[]",
          ValueType::texts),
      number_key<&DeviceEntry::cost_per_hour>("cost_per_hour", ValueType::number, {0, 1e9},
                                              "What an hour of the device costs, in any currency: `ngb profile` and "
                                              "`ngb choose` calculate with it",
                                              "none"),
  };
  return kKeys;
}

}  // namespace ngb::config
