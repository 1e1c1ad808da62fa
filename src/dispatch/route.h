// SPDX-License-Identifier: Apache-2.0
// How a device elsewhere is reached: where one runs the bootstrap (bootstrap.h) to speak with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "dispatch/fleet.h"
#include "dispatch/loop.h"
#include "dispatch/parts.h"

namespace ngb::dispatch {

using Command = std::vector<std::string>;

class Route {
 public:
  Route() = default;
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;
  virtual ~Route() = default;

  // There is a machine to reach now.
  virtual asio::awaitable<Result<bool>> is_there() = 0;
  // Waits until there is one; `progress` grows whenever the device has done something. False: the loop
  // stops. Error: there never will be one.
  virtual asio::awaitable<Result<bool>> prepare(std::uint64_t progress) = 0;
  // On that machine; takes a script of so many bytes from its standard input.
  [[nodiscard]] virtual Command command(std::size_t script_bytes) const = 0;
  // There, the run's work folder, and the file that a batch job waits for (empty: none does; samples::Attach).
  [[nodiscard]] virtual std::string run_folder() const = 0;
  [[nodiscard]] virtual std::string holder() const = 0;

  // A connection that ended like this ("exit code 255") was cut off; else what ran there has ended.
  [[nodiscard]] virtual bool was_cut_off(const std::string& how) const = 0;
  // Error: what was said when nothing could be reached shows that no further try can help.
  [[nodiscard]] virtual Status is_worth_another_try(const std::string& said) const = 0;

  // A visit that belongs to no run.
  [[nodiscard]] virtual Command command_for_a_look(std::size_t script_bytes) const = 0;

  // The machines on which something of the run may be, and the work folders there.
  struct Remains {
    Command command{};
    std::vector<std::string> run_folders{};
    std::string machine{};
  };
  virtual asio::awaitable<Result<std::vector<Remains>>> remains(std::size_t script_bytes) = 0;
  // There is nothing any more on that one.
  virtual void forget(const Remains& remains) = 0;

  // Nothing is wanted of the machine for now.
  virtual asio::awaitable<void> leave() = 0;
};

// `say`: for the user, while it takes its time. All references outlive the route.
using Say = std::function<void(const std::string& remark)>;
std::unique_ptr<Route> route_to(Loop& loop, const Parts& parts, const Share& share, Say say);

}  // namespace ngb::dispatch
