// SPDX-License-Identifier: Apache-2.0
#include "dispatch/bootstrap.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "dispatch/answer.h"
#include "dispatch/delivery.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kLinePatience = std::chrono::seconds(30);
// A device that is slow to install the agent and to start it.
constexpr Nanoseconds kArrivalPatience = std::chrono::seconds(60);
// So long a batch job waits for the agent.
constexpr int kDeliveryPatienceS = 600;
// A login shell may greet; not for ever.
constexpr int kMaxForeignLines = 200;

std::string quoted_folder(const std::string& folder) {
  if (folder.starts_with("~/")) return "\"$HOME\"/" + shell_quoted(folder.substr(2));
  return shell_quoted(folder);
}

// Sets folder, machine, hash, size and program.
std::string find_program(const std::vector<AgentFile>& agents, const config::DeviceEntry& device) {
  std::string cases;
  for (const AgentFile& agent : agents) {
    cases += fmt::format("{}) hash={} size={} ;;\n", agent.machine, agent.sha256, agent.size_bytes);
  }
  return fmt::format(R"sh(set -eu
umask 077
folder={}
machine=$(uname -m)
case $machine in
{}*) echo "ngb-unsupported $machine"; exit 3 ;;
esac
program=$folder/agents/$hash/ngb-agent
)sh",
                     quoted_folder(device.folder), cases);
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char each : text) {
    if (each == '\'') {
      quoted += "'\\''";
    } else {
      quoted += each;
    }
  }
  return quoted + "'";
}

std::vector<std::string> bootstrap_words(std::size_t script_bytes) {
  return {"/bin/sh", "-c", fmt::format("eval \"$(head -c {})\"", script_bytes)};
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command = "exec";
  for (const std::string& word : words) command += " " + shell_quoted(word);
  return command;
}

std::string run_name(const Share& share) {
  return fmt::format("{}-{}", share.run_id, hash::sha256(share.device.name).substr(0, 8));
}

std::string bootstrap_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device) {
  return find_program(agents, device) +
         fmt::format(R"sh(toolchains={}
if [ -n "$toolchains" ] && [ ! -e "$folder/toolchains" ]; then
  mkdir -p "$folder"
  ln -s "$toolchains" "$folder/toolchains"
fi
if [ -x "$program" ]; then
  echo "ngb-have $machine"
else
  mkdir -p "$folder/agents/$hash"
  echo "ngb-need $machine"
  head -c "$size" > "$program.partial-$$"
  [ "$(wc -c < "$program.partial-$$")" -eq "$size" ]
  chmod 700 "$program.partial-$$"
  mv "$program.partial-$$" "$program"
fi
exec "$program" receive --folder "$folder"
)sh",
                     device.toolchains.empty() ? "''" : quoted_folder(device.toolchains));
}

std::string batch_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device,
                         const std::string& holder) {
  return "#!/bin/sh\n" + find_program(agents, device) +
         fmt::format(R"sh(left={}
holder=$folder/{}
until [ -x "$program" ]; do
  [ "$left" -gt 0 ] || exit 3
  left=$((left - 1))
  sleep 1
done
mkdir -p "$folder/holders"
exec "$program" hold --folder "$folder" --holder "$holder" >>"$holder.log" 2>&1
)sh",
                     kDeliveryPatienceS, holder);
}

asio::awaitable<Result<std::optional<samples::Arrival>>> bootstrap(Connection& device, const std::string& script,
                                                                   const std::vector<AgentFile>& agents) {
  co_await device.write(script);
  std::string machine;
  bool is_needed = false;
  for (int i = 0; machine.empty(); ++i) {
    const Result<std::optional<std::string>> line = co_await device.read_line(kLinePatience);
    if (!line) co_return tl::unexpected(line.error());
    if (!line->has_value()) co_return std::nullopt;
    for (const std::string_view word : {"ngb-have ", "ngb-need ", "ngb-unsupported "}) {
      if ((*line)->starts_with(word)) machine = text::to_utf8((*line)->substr(word.size()));
    }
    is_needed = (*line)->starts_with("ngb-need ");
    if ((*line)->starts_with("ngb-unsupported ")) {
      co_return fail("there is no agent for a machine of the kind " + machine, "",
                     machine == "aarch64" ? "make devices builds one" : "devices are Linux on x86_64 or aarch64");
    }
    if (i > kMaxForeignLines) co_return fail("the login shell says too much", "", "make it quiet for commands");
  }
  const OnSent nobody_is_told = [](std::uint64_t) {};
  for (const AgentFile& agent : agents) {
    if (!is_needed || agent.machine != machine) continue;
    const Status sent = co_await send_file(device, agent.path, 0, agent.size_bytes, nobody_is_told);
    if (!sent) co_return tl::unexpected(sent.error());
  }
  Result<std::optional<samples::Arrival>> arrival = co_await answer_of<samples::Arrival>(device, kArrivalPatience);
  co_return arrival;
}

}  // namespace ngb::dispatch
