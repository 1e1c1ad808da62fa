// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/attempts.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/removal.h"

namespace ngb::agent {

namespace {

// Deletes the files that a compiler has left in its current folder, so that the next compiler does not find them.
void empty_folder(const std::filesystem::path& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    file::remove_all(entry.path());
  }
}

}  // namespace

Attempts::Attempts(const Surroundings& surroundings, Children& children, const LauncherPool& launchers,
                   std::vector<Member> members, bool takes_turns)
    : surroundings_(surroundings), children_(children), launchers_(launchers), members_(std::move(members)) {
  attempts_.reserve(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].plan.takes_turns = takes_turns;
    members_[i].plan.spared = [this, i] { return spared_by(i); };
  }
  start(0);
}

void Attempts::start(std::size_t index) {
  current_ = index;
  attempts_.push_back(
      std::make_unique<Attempt>(surroundings_, children_, *members_[index].launcher, std::move(members_[index].plan)));
}

void Attempts::advance() {
  while (!are_over_) {
    Attempt& running = *attempts_[current_];
    running.advance();
    if (!running.result() && !running.waits_for_turn()) return;
    if (running.result() && workers_beside(current_).empty()) empty_folder(surroundings_.scratch());
    are_over_ = !running.left().empty() || !give_next_turn();
  }
}

// Starts a member that has not started. If all have, gives a turn to the next one that waits. Returns false if none is
// left.
bool Attempts::give_next_turn() {
  if (attempts_.size() < members_.size()) {
    start(attempts_.size());
    return true;
  }
  for (std::size_t step = 1; step <= attempts_.size(); ++step) {
    const std::size_t next = (current_ + step) % attempts_.size();
    if (!attempts_[next]->waits_for_turn()) continue;
    current_ = next;
    attempts_[next]->give_turn();
    return true;
  }
  return false;
}

void Attempts::look() { attempts_[current_]->look(); }

std::vector<const Attempt*> Attempts::ended() const {
  std::vector<const Attempt*> all;
  for (const auto& attempt : attempts_) {
    if (attempt->result()) all.push_back(attempt.get());
  }
  return all;
}

std::set<const Launcher*> Attempts::launchers() const {
  std::set<const Launcher*> all;
  for (const Member& member : members_) all.insert(member.launcher);
  return all;
}

std::set<pid_t> Attempts::spared_by(std::size_t index) const {
  std::set<pid_t> all = launchers_.own_processes();
  for (const pid_t pid : members_[index].launcher->own_processes()) all.erase(pid);
  all.merge(workers_beside(index));
  return all;
}

std::set<pid_t> Attempts::workers_beside(std::size_t index) const {
  std::set<pid_t> all;
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    if (i != index) all.merge(attempts_[i]->processes());
  }
  return all;
}

}  // namespace ngb::agent
