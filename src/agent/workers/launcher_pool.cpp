// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/launcher_pool.h"

#include "agent/workers/fork_server.h"

namespace ngb::agent {
namespace {

// The launcher of a missing toolchain: every launch fails with the reason.
class NoLauncher final : public Launcher {
 public:
  explicit NoLauncher(const std::string& why_missing) {
    launched_.failure.emplace();
    launched_.failure->kind = samples::FailureKind::toolchain_missing;
    launched_.failure->message = why_missing;
  }
  void begin(const Launch& /*launch*/) override {}
  void advance() override {}
  [[nodiscard]] const Launched& launched() const override { return launched_; }

 private:
  Launched launched_{};
};

}  // namespace

Launcher& LauncherPool::of(const work::Place& place, const std::set<const Launcher*>& taken) {
  const bool is_native = place.host != "python";
  if (!place.why_missing.empty()) {
    std::unique_ptr<Launcher>& none = launchers_[{place.why_missing, 0}];
    if (!none) none = std::make_unique<NoLauncher>(place.why_missing);
    return *none;
  }
  const std::string key =
      is_native ? "" : place.compiler + '\n' + place.version + '\n' + place.python + '\n' + place.python_path;
  int number = 0;
  const auto is_taken = [&] {
    const auto found = launchers_.find({key, number});
    return found != launchers_.end() && taken.contains(found->second.get());
  };
  while (is_taken()) ++number;
  std::unique_ptr<Launcher>& launcher = launchers_[{key, number}];
  if (!launcher && is_native) {
    launcher = std::make_unique<ProgramLauncher>(surroundings_, children_,
                                                 std::vector<std::string>{surroundings_.worker.string()}, Variables{});
  } else if (!launcher) {
    launcher = std::make_unique<ForkServer>(surroundings_, children_, place, number);
  }
  return *launcher;
}

std::set<pid_t> LauncherPool::own_processes() const {
  std::set<pid_t> all;
  for (const auto& [key, launcher] : launchers_) all.merge(launcher->own_processes());
  return all;
}

void LauncherPool::advance_idle(const std::set<const Launcher*>& busy) {
  for (const auto& [key, launcher] : launchers_) {
    if (!busy.contains(launcher.get())) launcher->advance();
  }
}

}  // namespace ngb::agent
