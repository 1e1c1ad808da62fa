// SPDX-License-Identifier: Apache-2.0
// Reaches a device through a command of the user's that starts a shell there: docker exec, kubectl exec, adb shell, a
// cloud's own ssh. The shell reads the bootstrap from its standard input, because such commands treat further arguments
// in different ways.
#include <memory>
#include <string>

#include "base/text.h"
#include "dispatch/route/route.h"

namespace ngb::dispatch {
namespace {

std::string in_one_line(const config::DeviceEntry& device) { return text::join(device.command, " "); }

class CommandRoute final : public Route {
 public:
  explicit CommandRoute(const Share& share) : Route(share, share.device.name) {}

  [[nodiscard]] Command command(std::size_t /*script_bytes*/) const override { return device_.command; }

  // Any other exit code may be that of the program on the device.
  [[nodiscard]] bool was_cut_off(const std::string& how) const override {
    return how == "exit code 255" || how.starts_with("signal ");
  }
  // Every failure is worth another try, because a container may be about to start.
  [[nodiscard]] Status is_worth_another_try(const std::string& /*said*/) const override { return {}; }
  [[nodiscard]] std::string how_to_try() const override { return in_one_line(device_); }
};

}  // namespace

Kind command_kind() {
  return {.name = "command",
          .route = [](Loop& /*loop*/, const Parts& /*parts*/, const Share& share,
                      // NOLINTNEXTLINE(performance-unnecessary-value-param): the type of all kinds
                      Say /*say*/) -> std::unique_ptr<Route> { return std::make_unique<CommandRoute>(share); },
          .address = in_one_line};
}

}  // namespace ngb::dispatch
