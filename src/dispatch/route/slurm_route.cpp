// SPDX-License-Identifier: Apache-2.0
// Reaches a machine that Slurm allocates. A batch job holds the machine and starts the agent; srun connects to it. No
// file system needs to be shared; files on a shared one are not delivered twice.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "dispatch/delivery/bootstrap.h"
#include "dispatch/delivery/parts.h"
#include "dispatch/link/program.h"
#include "dispatch/route/route.h"
#include "dispatch/route/slurm.h"
#include "dispatch/route/ssh_route.h"
#include "dispatch/route/stays.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kCommandPatience = std::chrono::minutes(2);  // for one of Slurm's commands
constexpr Nanoseconds kFirstPollPause = std::chrono::milliseconds(500);
constexpr Nanoseconds kLongestPollPause = std::chrono::seconds(30);
constexpr Nanoseconds kJobEndPatience = std::chrono::seconds(10);
constexpr int kMaxEndsWithoutProgress = 3;

class SlurmRoute final : public Route {
 public:
  SlurmRoute(Loop& loop, const Parts& parts, const Share& share, Say say);

  [[nodiscard]] bool has_batch_job() const override { return true; }
  asio::awaitable<Result<bool>> is_there() override;
  // Submits a job if there is none, or if the last one reached its time limit, lost its machine or was preempted. Waits
  // until the job runs.
  asio::awaitable<Status> prepare(std::uint64_t progress) override;
  [[nodiscard]] Command command(std::size_t script_bytes) const override;
  [[nodiscard]] std::string run_folder() const override { return stays_.folder(); }
  [[nodiscard]] std::string holder() const override { return "holders/" + name_; }
  [[nodiscard]] bool was_cut_off(const std::string& /*how*/) const override { return true; }
  [[nodiscard]] Status is_worth_another_try(const std::string& /*said*/) const override { return {}; }
  asio::awaitable<Result<Command>> command_for_a_look(std::size_t script_bytes) override;
  asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) override;
  void forget(const Remains& remains) override { stays_.forget(remains.machine); }
  asio::awaitable<Status> leave() override;

 private:
  [[nodiscard]] Command at_login(const Command& words) const;
  asio::awaitable<Result<std::optional<SlurmJob>>> find_job();
  asio::awaitable<Status> learn_user();
  asio::awaitable<Status> submit();
  asio::awaitable<Status> judge_end(const SlurmJob& job, std::uint64_t progress);
  Status arrive(const std::string& node);

  Loop& loop_;
  Say say_;
  std::string name_;    // of the job, and of the run's folders
  std::string script_;  // the batch job's script
  Stays stays_;         // the nodes on which the job ran
  Alarm pause_;
  std::string user_{};         // our name where Slurm's commands run; "": not asked yet
  std::uint64_t job_id_ = 0;   // the job that we submitted or saw alive; 0: none
  std::string shown_state_{};  // the last state of the job that was shown to the user
  std::uint64_t progress_ = 0;
  int ends_without_progress_ = 0;
};

SlurmRoute::SlurmRoute(Loop& loop, const Parts& parts, const Share& share, Say say)
    : Route(share, {}),
      loop_(loop),
      say_(std::move(say)),
      name_("ngb-" + run_name(share)),
      script_(batch_script(parts.agents, share.device, "holders/" + name_)),
      stays_(name_, share.work_folder / "nodes"),
      pause_(loop) {}

asio::awaitable<Result<bool>> SlurmRoute::is_there() {
  const Result<std::optional<SlurmJob>> job = co_await find_job();
  if (!job) co_return error_of(job);
  co_return job->has_value() && (*job)->state == JobState::running;
}

asio::awaitable<Status> SlurmRoute::prepare(std::uint64_t progress) {
  Nanoseconds since = loop_.clock.now();
  while (!loop_.is_stopping) {
    const Result<std::optional<SlurmJob>> found = co_await find_job();
    if (!found) co_return error_of(found);
    const bool is_alive = found->has_value() && (*found)->state != JobState::ended;
    if (is_alive) job_id_ = (*found)->id;
    if (is_alive && (*found)->state == JobState::running) {
      const Status arrived = arrive((*found)->node);
      co_return arrived;
    }
    if (!is_alive) {
      const SlurmJob last = found->value_or(SlurmJob{});
      const Status worth = co_await judge_end(last, progress);
      if (!worth) co_return error_of(worth);
      const Status submitted = co_await submit();
      if (!submitted && !has_code(submitted, ErrorCode::busy)) co_return error_of(submitted);
      if (submitted) since = loop_.clock.now();
    } else if (const std::string state = (*found)->word + " (" + (*found)->reason + ")"; state != shown_state_) {
      say_(fmt::format("job {}: {}", job_id_, state));
      shown_state_ = state;
    }
    // The pause grows with the time that the job has waited so far.
    co_await pause_.wait(std::clamp((loop_.clock.now() - since) / 8, kFirstPollPause, kLongestPollPause));
  }
  co_return lost();
}

// Leaves the name empty if the login host does not answer; `find_job` then asks again.
asio::awaitable<Status> SlurmRoute::learn_user() {
  if (!user_.empty()) co_return Done{};
  const Command words = at_login(user_command());
  const Result<ProgramEnd> end = co_await run_program(loop_, words, kNoInput, kCommandPatience, true);
  if (!end) co_return error_of(end);
  if (end->succeeded) user_ = text::trim(end->output);
  co_return Done{};
}

// Asks Slurm for our job; repeats this until the controller answers. Returns an error with the code `lost` if the loop
// stops.
asio::awaitable<Result<std::optional<SlurmJob>>> SlurmRoute::find_job() {
  for (Nanoseconds pause = kFirstPollPause;; pause = std::min(2 * pause, kLongestPollPause)) {
    if (const Status known = co_await learn_user(); !known) co_return error_of(known);
    const Command words = at_login(squeue_command(name_));
    const Result<ProgramEnd> end = co_await run_program(loop_, words, kNoInput, kCommandPatience, true);
    if (loop_.is_stopping) co_return lost();
    if (!end) {
      co_return fail(end.error().what, device_.name,
                     "run ngb where Slurm's commands are installed, or add ssh: HOST to the device");
    }
    if (end->succeeded && !user_.empty()) co_return newest_job(end->output, name_, user_);
    say_(fmt::format("squeue: {}; trying again in {}", end->words,
                     text::human_duration(std::chrono::duration<double>(pause).count())));
    co_await pause_.wait(pause);
    if (loop_.is_stopping) co_return lost();
  }
}

// Returns an error if submitting another job after this ended one cannot help. A job that ended before this program
// started is not considered.
asio::awaitable<Status> SlurmRoute::judge_end(const SlurmJob& job, std::uint64_t progress) {
  const std::uint64_t known = std::exchange(job_id_, 0);
  if (known == 0) co_return Done{};
  std::string word = job.word;
  if (job.id != known) {
    const Command words = at_login(sacct_command(known));
    const Result<ProgramEnd> end = co_await run_program(loop_, words, kNoInput, kCommandPatience, true);
    const bool has_answered = end && end->succeeded;
    word = has_answered ? text::to_utf8(text::trim(end->output)) : "";
    if (word.empty()) word = "gone";
  }
  if (word.starts_with("CANCELLED")) {
    co_return fail(fmt::format("job {} was cancelled", known), device_.name, "run the same command again to resume");
  }
  ends_without_progress_ = progress > progress_ ? 0 : ends_without_progress_ + 1;
  progress_ = progress;
  if (ends_without_progress_ > kMaxEndsWithoutProgress) {
    co_return fail(fmt::format("job {} ended without having done anything, like {} before it: {}", known,
                               kMaxEndsWithoutProgress, word),
                   device_.name, fmt::format("see agent.log in {} there", device_.folder + "/" + run_folder()));
  }
  say_(fmt::format("job {} ended: {}; another job continues", known, word));
  co_return Done{};
}

// Returns an error with the code `busy` if Slurm's controller does not answer at present.
asio::awaitable<Status> SlurmRoute::submit() {
  const Command words = at_login(sbatch_command(device_.slurm, name_));
  const Result<ProgramEnd> end = co_await run_program(loop_, words, script_, kCommandPatience);
  if (!end) co_return error_of(end);
  if (end->succeeded) {
    const std::string_view id = text::trim(end->output);
    std::from_chars(id.data(), id.data() + id.size(), job_id_);
    say_(fmt::format("submitted as job {}", job_id_));
    co_return Done{};
  }
  for (const char* passing : {"Unable to contact", "Socket timed out", "Unexpected message", "Zero Bytes"}) {
    if (end->words.find(passing) == std::string::npos) continue;
    say_("sbatch: " + end->words);
    co_return fail("sbatch: " + end->words, device_.name, {}, ErrorCode::busy);
  }
  co_return fail("sbatch: " + end->words, device_.name, "correct the keys under slurm: of this device");
}

Status SlurmRoute::arrive(const std::string& node) {
  shown_state_.clear();
  return stays_.arrive(node);
}

Command SlurmRoute::at_login(const Command& words) const {
  return device_.ssh.host.empty() ? words : ssh_command(device_.ssh, shell_command(words));
}

Command SlurmRoute::command(std::size_t script_bytes) const {
  return at_login(srun_command(job_id_, bootstrap_words(script_bytes)));
}

asio::awaitable<Result<Command>> SlurmRoute::command_for_a_look(std::size_t script_bytes) {
  co_return at_login(srun_command(device_.slurm, text::join(device_.slurm.nodes, ","), bootstrap_words(script_bytes)));
}

// While the job runs, its machine can be reached only through it, because Slurm allocates that machine to nobody else.
asio::awaitable<Result<std::vector<Route::Remains>>> SlurmRoute::remains(std::size_t script_bytes) {
  const Result<std::optional<SlurmJob>> job = co_await find_job();
  if (!job && !has_code(job, ErrorCode::lost)) co_return error_of(job);
  const bool is_running = job && job->has_value() && (*job)->state == JobState::running;
  std::vector<Remains> all;
  for (const std::string& node : stays_.machines()) {
    const bool is_held = is_running && (*job)->node == node;
    if (is_held) job_id_ = (*job)->id;
    const Command there =
        is_held ? command(script_bytes) : at_login(srun_command(device_.slurm, node, bootstrap_words(script_bytes)));
    all.push_back({there, stays_.folders_on(node), node});
  }
  co_return all;
}

// Waits for the job's end if the run's machines are clean, because such a job ends by itself. Cancels a job that stays.
asio::awaitable<Status> SlurmRoute::leave() {
  const Nanoseconds give_up = loop_.clock.now() + kJobEndPatience;
  while (stays_.empty() && job_id_ != 0 && loop_.clock.now() < give_up && !loop_.is_stopping) {
    const Result<std::optional<SlurmJob>> job = co_await find_job();
    if (!job || !job->has_value() || (*job)->state == JobState::ended) co_return Done{};
    co_await pause_.wait(kFirstPollPause);
  }
  const Command words = at_login(scancel_command(name_));
  (void)co_await run_program(loop_, words, kNoInput, kCommandPatience);
  job_id_ = 0;
  co_return Done{};
}

}  // namespace

Kind slurm_kind() {
  return {.name = "slurm",
          .route = [](Loop& loop, const Parts& parts, const Share& share, Say say) -> std::unique_ptr<Route> {
            return std::make_unique<SlurmRoute>(loop, parts, share, std::move(say));
          },
          .address =
              [](const config::DeviceEntry& device) {
                const std::vector<std::string>& nodes = device.slurm.nodes;
                return "slurm, " + (nodes.empty() ? "any node" : text::join(nodes, ", ")) +
                       (device.ssh.host.empty() ? "" : ", from " + device.ssh.host);
              },
          .request = [](const Parts& parts, const config::DeviceEntry& device) -> std::string {
            const std::string run = "ngb-" + device_part(device);
            return batch_script(parts.agents, device, "holders/" + run) + "# " +
                   text::join(sbatch_command(device.slurm, run), " ") + "\n";
          }};
}

}  // namespace ngb::dispatch
