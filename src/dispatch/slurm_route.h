// SPDX-License-Identifier: Apache-2.0
// A machine that Slurm gives: a batch job holds it and is the agent's home; srun leads there. No file system needs to
// be shared; where one is, what stands on it is not delivered twice.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dispatch/program.h"
#include "dispatch/route.h"
#include "dispatch/slurm.h"

namespace ngb::dispatch {

class SlurmRoute : public Route {
 public:
  SlurmRoute(Loop& loop, const Parts& parts, const Share& share, Say say);

  asio::awaitable<Result<bool>> is_there() override;
  // Submits the job where there is none, also one that reached its time limit, lost its machine or was preempted, and
  // waits until it runs.
  asio::awaitable<Result<bool>> prepare(std::uint64_t progress) override;
  [[nodiscard]] Command command(std::size_t script_bytes) const override;
  // Another one on every machine that the job moves to: a journal of an earlier stay may know less than is recorded.
  [[nodiscard]] std::string run_folder() const override;
  [[nodiscard]] std::string holder() const override { return "holders/" + name_; }
  [[nodiscard]] bool was_cut_off(const std::string& /*how*/) const override { return true; }
  [[nodiscard]] Status is_worth_another_try(const std::string& /*said*/) const override { return {}; }
  [[nodiscard]] Command command_for_a_look(std::size_t script_bytes) const override;
  asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) override;
  void forget(const Remains& remains) override;
  asio::awaitable<void> leave() override;

 private:
  [[nodiscard]] Command at_login(const Command& words) const;
  [[nodiscard]] std::string folder_of_stay(std::size_t stay) const;
  asio::awaitable<Result<std::optional<SlurmJob>>> look();
  asio::awaitable<Result<bool>> submit();
  asio::awaitable<Status> take_end(const SlurmJob& job, std::uint64_t progress);
  Status arrive(const std::string& node);
  Status keep_stays();

  Loop& loop_;
  const config::DeviceEntry& device_;
  Say say_;
  std::string name_;                  // of the job, and of the run's folders
  std::string script_;                // the batch job's
  std::filesystem::path stays_file_;  // in the results folder: a node on each line
  std::vector<std::string> stays_{};  // in the order in which the job came to them
  Alarm pause_;
  std::uint64_t job_id_ = 0;  // that we submitted or have seen alive; 0: none
  std::string told_{};        // of the job's state
  std::uint64_t progress_ = 0;
  int ends_without_progress_ = 0;
};

}  // namespace ngb::dispatch
