// SPDX-License-Identifier: Apache-2.0
// How a device elsewhere is reached: where one runs the bootstrap (bootstrap.h) to speak with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "dispatch/delivery/bootstrap.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/share.h"

namespace ngb::dispatch {

using Command = std::vector<std::string>;

// As it stands here, to a machine that nobody lends: one command leads there at any time.
class Route {
 public:
  // `machine` is its name in an Error. The share outlives the route.
  Route(const Share& share, std::string machine)
      : device_(share.device), machine_(std::move(machine)), run_folder_("runs/" + run_name(share)) {}
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;
  virtual ~Route() = default;

  // Whether `prepare` submits a job, which waits for a machine and then on it.
  [[nodiscard]] virtual bool has_batch_job() const { return false; }
  // Whether there is a machine to reach now.
  virtual asio::awaitable<Result<bool>> is_there() { co_return true; }
  // Waits until there is one; `progress` grows whenever the device has done something. Errors: `lost`, if the loop
  // stops; else why there never will be one.
  virtual asio::awaitable<Status> prepare(std::uint64_t /*progress*/) { co_return Done{}; }
  // Begins a visit: runs the command and speaks with it. `log`: the file for what ssh or srun says.
  virtual Result<std::shared_ptr<Connection>> open(Loop& loop, const Command& command,
                                                   const std::filesystem::path& log) {
    return Connection::start(loop, command, log);
  }
  // On that machine; takes a script of so many bytes from its standard input.
  [[nodiscard]] virtual Command command(std::size_t script_bytes) const = 0;
  // There, the run's work folder, and the file that a batch job waits for (empty: none does; samples::Attach).
  [[nodiscard]] virtual std::string run_folder() const { return run_folder_; }
  [[nodiscard]] virtual std::string holder() const { return {}; }

  // A connection that ended like this ("exit code 255") was cut off; else what ran there has ended.
  [[nodiscard]] virtual bool was_cut_off(const std::string& how) const = 0;
  // Error: what was said when nothing could be reached shows that no further try can help.
  [[nodiscard]] virtual Status is_worth_another_try(const std::string& said) const = 0;

  // What the user may type to see why the device cannot be reached.
  [[nodiscard]] virtual std::string how_to_try() const { return "ssh HOST true"; }

  // A visit that belongs to no run.
  [[nodiscard]] virtual Command command_for_a_look(std::size_t script_bytes) const { return command(script_bytes); }

  // The machines on which something of the run may be, and the work folders there.
  struct Remains {
    Command command{};
    std::vector<std::string> run_folders{};
    std::string machine{};
  };
  virtual asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) {
    std::vector<Remains> all{{command(script_bytes), {run_folder_}, machine_}};
    co_return all;
  }
  // There is nothing any more on that one.
  virtual void forget(const Remains& /*remains*/) {}

  // Nothing is wanted of the machine for now.
  virtual asio::awaitable<void> leave() { co_return; }

 protected:
  const config::DeviceEntry& device_;

 private:
  std::string machine_;
  std::string run_folder_;
};

}  // namespace ngb::dispatch
