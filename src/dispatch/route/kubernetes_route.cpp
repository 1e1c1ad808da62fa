// SPDX-License-Identifier: Apache-2.0
// Reaches a pod of a Kubernetes cluster by kubectl exec. The pod's own program holds it and starts the agent, as a
// batch job does. The pod that is there is known by its uid: another pod of the same name has another disk and nothing
// of the run. kubectl's exit codes decide nothing, because 0, 1 and 137 all may mean a connection that was cut.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "dispatch/delivery/bootstrap.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/link/program.h"
#include "dispatch/route/kubernetes.h"
#include "dispatch/route/pod_list.h"
#include "dispatch/route/route.h"
#include "dispatch/route/ssh_route.h"
#include "dispatch/route/stays.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kKubectlPatience = std::chrono::minutes(2);  // for one of kubectl's commands
constexpr Nanoseconds kLongestAsking = std::chrono::seconds(10);
constexpr Nanoseconds kDeletionPatience = std::chrono::minutes(2);  // a kubelet erases gigabytes of toolchains
constexpr Nanoseconds kRefusalPatience = std::chrono::minutes(1);   // with a server that has answered before
constexpr int kMostEndsWithoutProgress = 3;
constexpr const char* kOnVolume = "volume";  // in place of a uid: a pod on the same volume finds the same files

class KubernetesRoute final : public Route {
 public:
  KubernetesRoute(Loop& loop, const Parts& parts, const Share& share, Say say);

  [[nodiscard]] bool has_batch_job() const override { return is_ours_; }
  asio::awaitable<Result<bool>> is_there() override;
  // Makes a pod if there is none, or if the last one has ended or was deleted. Waits until it runs.
  asio::awaitable<Status> prepare(std::uint64_t progress) override;
  [[nodiscard]] Command command(std::size_t script_bytes) const override {
    return at_login(exec_command(request_, name_, bootstrap_words(script_bytes)));
  }
  [[nodiscard]] std::string run_folder() const override { return stays_.folder(); }
  [[nodiscard]] std::string holder() const override { return is_ours_ ? "holders/" + run_ : ""; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override;
  [[nodiscard]] bool was_cut_off(const std::string& /*how*/) const override { return true; }
  [[nodiscard]] Status is_worth_another_try(const std::string& said) const override {
    return is_worth_another_kubectl(said, device_.name);
  }
  [[nodiscard]] std::string how_to_try() const override {
    return text::join(exec_command(request_, name_, {"/bin/sh", "-c", "true"}), " ");
  }
  asio::awaitable<Result<Command>> command_for_a_look(std::size_t script_bytes) override;
  asio::awaitable<Status> end_look() override;
  asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) override;
  void forget(const Remains& remains) override { stays_.forget(remains.machine); }
  [[nodiscard]] bool was_nowhere() const override { return is_erased_ || (stays_.empty() && known_uid_.empty()); }
  asio::awaitable<Status> leave() override;

 private:
  [[nodiscard]] Command at_login(const Command& words) const {
    return device_.ssh.host.empty() ? words : ssh_command(device_.ssh, shell_command(words));
  }
  asio::awaitable<Result<std::optional<Pod>>> find();
  asio::awaitable<Status> create();
  asio::awaitable<Status> judge_end(const std::optional<Pod>& pod, std::uint64_t progress);
  asio::awaitable<Status> erase();
  [[nodiscard]] Status judge_waiting(const Pod& pod, Nanoseconds since);
  Status arrive(const Pod& pod);

  Loop& loop_;
  const config::KubernetesRequest& request_;
  Say say_;
  Nanoseconds lost_after_;
  bool is_look_;       // belongs to no run
  bool is_ours_;       // the pod: made and deleted here
  std::string run_;    // the name of the run's folders there
  std::string label_;  // of the pods of the run
  std::string name_;   // the pod's
  std::string script_;
  std::shared_ptr<PodList> pods_;
  Stays stays_;  // the uids of the pods that have run, or kOnVolume
  Alarm pause_;
  Pod arrived_{};              // the pod that was last seen to run
  std::string known_uid_{};    // of the pod that was last seen alive
  std::string shown_words_{};  // why it waits, as last shown to the user
  std::uint64_t progress_ = 0;
  int ends_without_progress_ = 0;
  bool was_answered_ = false;
  bool existed_ = false;    // a pod of its name, when it was to be made last
  bool is_erased_ = false;  // the pod, and with it all files of the run
};

// A look at the device belongs to no run, and several may be made at once.
std::string name_of(const Share& share) {
  if (!share.run_id.empty()) return "ngb-" + run_name(share);
  return fmt::format("ngb-look-{}-{}", device_part(share.device),
                     hash::sha256(std::to_string(system_clock().unix_now().count())).substr(0, 8));
}

// Until the agent is there the shell is the pod's first process, which no signal ends that it does not catch.
std::string script_of(const Parts& parts, const config::DeviceEntry& device, const std::string& run) {
  return "trap 'exit 0' TERM\n" + batch_script(parts.agents, device, "holders/" + run);
}

KubernetesRoute::KubernetesRoute(Loop& loop, const Parts& parts, const Share& share, Say say)
    : Route(share, {}),
      loop_(loop),
      request_(share.device.kubernetes),
      say_(std::move(say)),
      lost_after_(share.lost_after),
      is_look_(share.run_id.empty()),
      is_ours_(request_.pod.empty()),
      run_(name_of(share)),
      label_(is_look_ ? run_ : share.run_id),
      name_(is_ours_ ? run_ : request_.pod),
      script_(script_of(parts, share.device, run_)),
      pods_(pod_list_of(loop, at_login(list_command(request_, label_)), is_ours_ ? kPodContainer : request_.container)),
      stays_(run_, is_look_ ? std::filesystem::path() : share.work_folder / "pods"),
      pause_(loop) {}

// Asks for our pod; repeats this until the API server answers.
asio::awaitable<Result<std::optional<Pod>>> KubernetesRoute::find() {
  const Nanoseconds began = loop_.clock.now();
  for (Nanoseconds pause = PodList::kShortestAsking;; pause = std::min(2 * pause, kLongestAsking)) {
    const Result<const PodList::Pods*> pods = co_await pods_->now(pause_);
    if (pods) {
      was_answered_ = true;
      const auto pod = (*pods)->find(name_);
      if (pod == (*pods)->end()) co_return std::nullopt;
      co_return pod->second;
    }
    if (loop_.is_stopping) co_return lost();
    if (!has_code(pods, ErrorCode::busy)) co_return error_of(pods);
    const Nanoseconds waited = loop_.clock.now() - began;
    const Status worth = is_worth_another_kubectl(pods.error().what, device_.name);
    // An API server that has just started refuses for some seconds what it granted before.
    if (!worth && (!was_answered_ || waited > kRefusalPatience)) {
      was_answered_ = false;  // from now on a refusal is believed at once
      co_return error_of(worth);
    }
    if (waited > lost_after_) {
      co_return fail("the API server does not answer: " + pods.error().what, device_.name,
                     "the results so far are kept; run the same command again to resume");
    }
    say_(fmt::format("kubectl: {}; trying again in {}{}", pods.error().what,
                     text::human_duration(std::chrono::duration<double>(pause).count()),
                     worth ? "" : "; if it stays so, " + worth.error().next));
    co_await pause_.wait(pause);
  }
}

asio::awaitable<Result<bool>> KubernetesRoute::is_there() {
  const Result<std::optional<Pod>> pod = co_await find();
  if (!pod) co_return error_of(pod);
  co_return pod->has_value() && (*pod)->state == PodState::running;
}

asio::awaitable<Status> KubernetesRoute::prepare(std::uint64_t progress) {
  Nanoseconds since = loop_.clock.now();
  while (!loop_.is_stopping) {
    const Result<std::optional<Pod>> found = co_await find();
    if (!found) co_return error_of(found);
    const std::optional<Pod>& pod = *found;
    const bool is_over = !pod || pod->state == PodState::ended;
    if (pod && pod->state == PodState::running) co_return arrive(*pod);
    Status worth;
    if (is_over) {
      worth = co_await judge_end(pod, progress);
      if (worth && pod) worth = co_await erase();
      if (worth) worth = co_await create();
      if (worth) since = loop_.clock.now();
      if (has_code(worth, ErrorCode::busy) && loop_.clock.now() - since < lost_after_) worth = Done{};
    } else {
      known_uid_ = pod->uid;
      existed_ = false;
      worth = judge_waiting(*pod, since);
    }
    if (!worth) {
      if (is_ours_ && !has_code(worth, ErrorCode::lost)) (void)co_await erase();
      co_return worth;
    }
    co_await pause_.wait(std::clamp((loop_.clock.now() - since) / 8, PodList::kShortestAsking, kLongestAsking));
  }
  co_return lost();
}

// Shows why the pod waits. Returns an error if it will never run, or has waited for too long. Another study that has
// the node to itself may take its time.
Status KubernetesRoute::judge_waiting(const Pod& pod, Nanoseconds since) {
  if (pod.is_hopeless) return fail(pod.words, device_.name, pod.advice);
  const bool waits_for_others = !is_look_ && pod.words.find("anti-affinity") != std::string::npos;
  if (loop_.clock.now() - since > lost_after_ && !waits_for_others) {
    const std::string advice = !pod.advice.empty() ? pod.advice
                               : pod.state == PodState::leaving
                                   ? "if its node is gone for good: kubectl delete pod --force"
                                   : "see kubectl describe pod";
    return fail(fmt::format("pod {} has not started: {}", name_, pod.words), device_.name,
                advice + "; run the same command again to resume");
  }
  const std::string advice = pod.advice.empty() ? "" : "; " + pod.advice;
  if (std::exchange(shown_words_, pod.words) != pod.words) say_(fmt::format("pod {}: {}{}", name_, pod.words, advice));
  return Done{};
}

// Returns an error if another pod after this ended or deleted one cannot help. One that ended before this program
// started is not considered.
asio::awaitable<Status> KubernetesRoute::judge_end(const std::optional<Pod>& pod, std::uint64_t progress) {
  const std::string words = pod ? pod->words : "it was deleted";
  if (!is_ours_) {
    co_return fail(fmt::format("pod {} {}", name_, pod ? "has ended: " + words : "does not exist"), device_.name,
                   "start it; ngb neither makes nor deletes a pod that a study names");
  }
  if (pod && pod->is_hopeless) co_return fail(words, device_.name, pod->advice);
  if (std::exchange(known_uid_, "").empty()) co_return Done{};
  ends_without_progress_ = progress > progress_ ? 0 : ends_without_progress_ + 1;
  progress_ = progress;
  if (ends_without_progress_ > kMostEndsWithoutProgress) {
    co_return fail(fmt::format("pod {} ended without having done anything, like {} before it: {}", name_,
                               kMostEndsWithoutProgress, words),
                   device_.name, "give it more memory or time, or see kubectl describe pod of the next one");
  }
  say_(fmt::format("pod {} ended: {}; another pod continues", name_, words));
  co_return Done{};
}

// Returns an error with the code `busy` if another try may help.
asio::awaitable<Status> KubernetesRoute::create() {
  const std::string manifest = json_text::dump(pod_manifest(device_, name_, label_, script_));
  const Command words = at_login(create_command(request_));
  const Result<ProgramEnd> end = co_await run_program(loop_, words, manifest, kKubectlPatience);
  if (!end) co_return error_of(end);
  // It exists already if an answer was lost; then the next list has it.
  const bool exists = end->words.find("AlreadyExists") != std::string::npos;
  if (exists && std::exchange(existed_, true)) {
    co_return fail(fmt::format("a pod of the name {} is there that belongs to somebody else", name_), device_.name,
                   fmt::format("see whose it is: kubectl get pod {} --show-labels", name_));
  }
  is_erased_ = false;
  if (end->succeeded || exists) co_return Done{};
  const std::string said = words_for_people(end->words);
  if (const Status worth = is_worth_another_kubectl(said, device_.name); !worth) co_return error_of(worth);
  if (std::exchange(shown_words_, said) != said) say_("kubectl: " + said);
  co_return fail("kubectl: " + said, device_.name, "run the same command again to resume", ErrorCode::busy);
}

Status KubernetesRoute::arrive(const Pod& pod) {
  shown_words_.clear();
  known_uid_ = pod.uid;
  if (std::exchange(arrived_, pod).uid != pod.uid && !is_look_)
    say_(fmt::format("pod {} runs on node {}", name_, pod.node));
  return stays_.arrive(request_.volume.empty() ? pod.uid : kOnVolume);
}

// The image's digest tells what a tag meant. Only a Guaranteed pod has its processors to itself, or their whole quota.
std::vector<std::pair<std::string, std::string>> KubernetesRoute::facts() const {
  return {{"kubernetes_image", arrived_.image_id}, {"kubernetes_qos", arrived_.qos_class}};
}

asio::awaitable<Result<Command>> KubernetesRoute::command_for_a_look(std::size_t script_bytes) {
  if (const Status there = co_await prepare(0); !there) co_return error_of(there);
  co_return command(script_bytes);
}

asio::awaitable<Status> KubernetesRoute::end_look() {
  Status left = co_await leave();
  co_return left;
}

// Files of the run are only where they outlive the pod: in a pod that is there still, and on a volume.
asio::awaitable<Result<std::vector<Route::Remains>>> KubernetesRoute::remains(std::size_t script_bytes) {
  const std::vector<std::string> machines = stays_.machines();
  const bool is_on_volume = std::find(machines.begin(), machines.end(), kOnVolume) != machines.end();
  if (is_on_volume) {
    if (const Status there = co_await prepare(0); !there) co_return error_of(there);
  }
  const Result<std::optional<Pod>> pod = co_await find();
  if (!pod) co_return error_of(pod);
  std::vector<Remains> all;
  for (const std::string& machine : machines) {
    const bool is_there =
        pod->has_value() && (*pod)->state == PodState::running && (machine == kOnVolume || machine == (*pod)->uid);
    if (is_there) all.push_back({command(script_bytes), stays_.folders_on(machine), machine});
  }
  co_return all;
}

asio::awaitable<Status> KubernetesRoute::leave() {
  if (!is_ours_) co_return Done{};
  Status erased = co_await erase();
  co_return erased;
}

// Has the pod deleted and waits until it is gone, or another one has its name. After the user's stop it only asks for
// the deletion.
asio::awaitable<Status> KubernetesRoute::erase() {
  const Nanoseconds give_up = loop_.clock.now() + kDeletionPatience;
  const Command words = at_login(delete_command(request_, name_));
  std::string uid;
  while (!loop_.is_stopping) {
    const Result<std::optional<Pod>> pod = co_await find();
    if (!pod) co_return error_of(pod);
    if (!pod->has_value() || (!uid.empty() && (*pod)->uid != uid)) {
      known_uid_.clear();
      is_erased_ = !pod->has_value() && request_.volume.empty();
      co_return Done{};
    }
    uid = (*pod)->uid;
    if ((*pod)->state != PodState::leaving) (void)co_await run_program(loop_, words, kNoInput, kKubectlPatience);
    if (loop_.clock.now() > give_up) {
      co_return fail(fmt::format("pod {} is still there: {}", name_, (*pod)->words), device_.name,
                     fmt::format("kubectl delete pod {}; with --force if its node is gone for good", name_));
    }
    co_await pause_.wait(PodList::kShortestAsking);
  }
  (void)co_await run_program(loop_, words, kNoInput, kKubectlPatience);
  co_return lost();
}

}  // namespace

Kind kubernetes_kind() {
  return {.name = "kubernetes",
          .route = [](Loop& loop, const Parts& parts, const Share& share, Say say) -> std::unique_ptr<Route> {
            return std::make_unique<KubernetesRoute>(loop, parts, share, std::move(say));
          },
          .address =
              [](const config::DeviceEntry& device) {
                const config::KubernetesRequest& request = device.kubernetes;
                const std::string which = !request.pod.empty()    ? "pod " + request.pod
                                          : request.nodes.empty() ? "any node"
                                                                  : text::join(request.nodes, ", ");
                return "kubernetes, " + which + (device.ssh.host.empty() ? "" : ", from " + device.ssh.host);
              },
          .request = [](const Parts& parts, const config::DeviceEntry& device) -> std::string {
            if (!device.kubernetes.pod.empty()) return {};
            const std::string run = "ngb-" + device_part(device);
            return json_text::dump(pod_manifest(device, run, "run", script_of(parts, device, run)), 2) + "\n";
          }};
}

}  // namespace ngb::dispatch
