// SPDX-License-Identifier: Apache-2.0
// A route leads to a device elsewhere: it says which command runs the bootstrap (bootstrap.h) on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/device.h"
#include "dispatch/delivery/bootstrap.h"
#include "dispatch/link/connection.h"
#include "dispatch/link/event_loop.h"
#include "dispatch/link/share.h"

namespace ngb::dispatch {

using Command = std::vector<std::string>;

// The functions below that are not pure virtual suit a machine that one command reaches at any time. A route to a
// machine that is allocated, as by Slurm, overrides them.
class Route {
 public:
  // `machine` is the device's name in errors. The share outlives the route.
  Route(const Share& share, std::string machine)
      : device_(share.device), machine_(std::move(machine)), run_folder_("runs/" + run_name(share)) {}
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;
  virtual ~Route() = default;

  // Returns whether `prepare` submits a batch job, which waits for a machine and then waits on it for the agent.
  [[nodiscard]] virtual bool has_batch_job() const { return false; }
  // Returns whether there is a machine to reach now.
  virtual asio::awaitable<Result<bool>> is_there() { co_return true; }
  // Waits until there is a machine. `progress` is a number that grows with each result of the device. Returns
  // an error with the code `lost` if the loop stops; any other error says why there will never be a machine.
  virtual asio::awaitable<Status> prepare(std::uint64_t /*progress*/) { co_return Done{}; }
  // Begins a visit: runs the command and returns the connection to it. What ssh or srun writes on its standard error is
  // added to the file `log`.
  virtual Result<std::shared_ptr<Connection>> open(Loop& loop, const Command& command,
                                                   const std::filesystem::path& log) {
    return Connection::start(loop, command, log);
  }
  // Returns the command that runs a script on that machine. The script's `script_bytes` bytes come from the command's
  // standard input.
  [[nodiscard]] virtual Command command(std::size_t script_bytes) const = 0;
  // Returns the run's work folder on that machine, within the device's folder.
  [[nodiscard]] virtual std::string run_folder() const { return run_folder_; }
  // Returns what only the client can tell of that machine, for its environment.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
  // Returns the file for which a batch job waits there (samples::Attach); "" if no batch job waits.
  [[nodiscard]] virtual std::string holder() const { return {}; }

  // Returns whether a connection that ended like this ("exit code 255") was cut off. If not, the program on the device
  // has ended.
  [[nodiscard]] virtual bool was_cut_off(const std::string& how) const = 0;
  // Returns an error if `said`, the output of a command that did not reach the device, shows that no further try can
  // help.
  [[nodiscard]] virtual Status is_worth_another_try(const std::string& said) const = 0;

  // Returns the command that the user can type to see why the device cannot be reached.
  [[nodiscard]] virtual std::string how_to_try() const { return "ssh HOST true"; }

  // Returns the command for a visit that belongs to no run (`ngb devices check`), once there is a machine for the
  // visit.
  virtual asio::awaitable<Result<Command>> command_for_a_look(std::size_t script_bytes) {
    co_return command(script_bytes);
  }
  // Releases the machine of a visit that belongs to no run. Returns an error that says what is left there.
  virtual asio::awaitable<Status> end_look() { co_return Done{}; }

  // Remains describes a machine on which files or processes of the run may be left.
  struct Remains {
    Command command{};
    std::vector<std::string> run_folders{};  // the run's work folders there
    std::string machine{};
  };
  // Returns all machines on which files or processes of the run may be left.
  virtual asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) {
    std::vector<Remains> all{{command(script_bytes), {run_folder_}, machine_}};
    co_return all;
  }
  // Notes that nothing of the run is left on that machine.
  virtual void forget(const Remains& /*remains*/) {}

  // Returns whether nothing of the run can be left anywhere, because it never had a machine, or
  // because the machine is gone with its files.
  [[nodiscard]] virtual bool was_nowhere() const { return false; }
  // Releases the machine, which this run does not need for now. Returns an error that says what is left.
  virtual asio::awaitable<Status> leave() { co_return Done{}; }

 protected:
  const config::DeviceEntry& device_;

 private:
  std::string machine_;
  std::string run_folder_;
};

// Lists the kinds of devices elsewhere, one row for each way to reach a device.
struct Kind {
  std::string_view name{};  // the key of a study file that says how the device is reached: "ssh"
  // Makes the route to the share's device. `say` shows the user a line while the route waits. All references outlive
  // the route.
  std::unique_ptr<Route> (*route)(Loop& loop, const Parts& parts, const Share& share, Say say);
  std::string (*address)(const config::DeviceEntry& device);  // for people: "ssh HOST"
  // Returns what a run asks a cluster for, as the cluster's own command takes it: a manifest, a batch script. Null:
  // such devices are asked for nothing.
  std::string (*request)(const Parts& parts, const config::DeviceEntry& device) = nullptr;
};

// Each is defined in the file of its name: ssh_route.cpp, slurm_route.cpp, kubernetes_route.cpp, command_route.cpp.
Kind ssh_kind();
Kind slurm_kind();
Kind kubernetes_kind();
Kind command_kind();

// Returns the row of the device's kind. Precondition: the device is not this machine.
Kind kind_of(const config::DeviceEntry& device);

}  // namespace ngb::dispatch
