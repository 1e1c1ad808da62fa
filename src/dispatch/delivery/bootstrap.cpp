// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/bootstrap.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "dispatch/delivery/tree_delivery.h"
#include "dispatch/link/answer.h"

namespace ngb::dispatch {
namespace {

constexpr Nanoseconds kLinePatience = std::chrono::seconds(30);
// A slow device needs time to install the agent and to start it.
constexpr Nanoseconds kArrivalPatience = std::chrono::seconds(60);
// A batch job waits this long for the agent.
constexpr int kDeliveryPatienceS = 600;
// A login shell may print a greeting, but not without end.
constexpr int kMaxForeignLines = 200;

std::string quoted_folder(const std::string& folder) {
  if (folder.starts_with("~/")) return "\"$HOME\"/" + shell_quoted(folder.substr(2));
  return shell_quoted(folder);
}

// The returned part of the script sets folder, machine, hash, size and program, and defines the functions of the rest.
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
refuse() {{ echo "ngb-refused $*"; exit 3; }}
check_modes() {{
  case $(ls -ld "$1/.") in ?????w*|????????w*) refuse "$2-writable" ;; esac
}}
# Some devices have no sync, and an old sync ignores the names.
on_disk() {{ sync "$@" 2> /dev/null || sync 2> /dev/null || :; }}
is_whole() {{
  [ -f "$1" ] && [ -O "$1" ] && [ "$(wc -c < "$1")" -eq "$size" ] || return 1
  command -v sha256sum > /dev/null || return 0
  [ "$(sha256sum < "$1")" = "$hash  -" ]
}}
)sh",
                     quoted_folder(device.folder), cases);
}

// Before the script knows that the folder is ours, it writes nothing into it and runs nothing from it, because others
// may have files or programs there. If the folder has no mark yet, the agent later checks it more thoroughly.
std::string claim_folder() {
  return fmt::format(R"sh(mkdir -p "$folder"
[ -O "$folder/." ] || refuse folder-owner
check_modes "$folder" folder
mark=
[ ! -f "$folder/{0}" ] || read -r mark < "$folder/{0}" || :
if [ "$mark" != {1} ]; then
  is_empty=yes
  for each in "$folder"/* "$folder"/.[!.]* "$folder"/..?*; do
    [ -e "$each" ] || [ -L "$each" ] || continue
    is_empty=
    case ${{each##*/}} in
    {0}|{2}) ;;
    *) refuse folder-foreign "${{each##*/}}" ;;
    esac
  done
  [ -z "$is_empty" ] || {{ echo {1} > "$folder/{0}" && on_disk "$folder/{0}" "$folder" "$folder/.."; }}
fi
)sh",
                     samples::kMarkFile, shell_quoted(samples::kMarkText), fmt::join(samples::kDeviceShelves, "|"));
}

// The folder of the toolchains may belong to root, too.
std::string claim_toolchains(const config::DeviceEntry& device) {
  return fmt::format(R"sh(toolchains={}
if [ -n "$toolchains" ] && [ ! -e "$folder/toolchains" ]; then
  ln -s "$toolchains" "$folder/toolchains"
fi
if [ -d "$folder/toolchains" ]; then
  if [ ! -O "$folder/toolchains/." ]; then
    set -- $(ls -ldn "$folder/toolchains/.")
    [ "$3" = 0 ] || refuse toolchains-owner
  fi
  check_modes "$folder/toolchains" toolchains
fi
)sh",
                     device.toolchains.empty() ? "''" : quoted_folder(device.toolchains));
}

// Returns the error for what follows "ngb-refused": why the script does not use a folder.
Error refusal(std::string_view words) {
  constexpr const char* kOwnFolder = "give the device a folder of its own (folder: in the study or in devices.yaml)";
  constexpr const char* kModes = "check its content, then run chmod go-w on it there";
  const std::size_t space = words.find(' ');
  const std::string_view code = words.substr(0, space);
  if (code == "folder-owner") return {"the device's folder belongs to another user", "", kOwnFolder};
  if (code == "folder-writable") {
    return {"other users may write in the device's folder, and may have put programs there", "", kModes};
  }
  if (code == "toolchains-owner") {
    return {"the device's toolchains belong to another user", "", "name a folder that belongs to you or to root"};
  }
  if (code == "toolchains-writable") {
    return {"other users may write in the folder of the device's toolchains, and may have put programs there", "",
            kModes};
  }
  const std::string name = space == std::string_view::npos ? "" : text::to_utf8(words.substr(space + 1));
  return {"the device's folder is not empty and not NGraphBench's: it holds " + name, "", kOwnFolder};
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char each : text) {
    if (each == '\'') {
      result += "'\\''";
    } else {
      result += each;
    }
  }
  return result + "'";
}

std::vector<std::string> bootstrap_words(std::size_t script_bytes) {
  return {"/bin/sh", "-c", fmt::format("eval \"$(head -c {})\"", script_bytes)};
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command = "exec";
  for (const std::string& word : words) command += " " + shell_quoted(word);
  return command;
}

std::string run_name(const Share& share) { return fmt::format("{}-{}", share.run_id, device_part(share.device)); }

std::string device_part(const config::DeviceEntry& device) { return hash::sha256(device.name).substr(0, 8); }

std::string bootstrap_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device, Trust trust) {
  return "{\n" + find_program(agents, device) + claim_folder() + claim_toolchains(device) +
         (trust == Trust::none ? "rm -f \"$program\"\n" : "") + R"sh(if [ -x "$program" ] && is_whole "$program"; then
  echo "ngb-have $machine"
else
  mkdir -p "$folder/agents/$hash"
  echo "ngb-need $machine"
  partial=$program.partial-$$
  head -c "$size" > "$partial"
  is_whole "$partial" || { rm -f "$partial"; echo "the agent was damaged during its transfer" >&2; exit 3; }
  chmod 500 "$partial"
  on_disk "$partial"
  mv -f "$partial" "$program"
  on_disk "${program%/*}" "$folder/agents" "$folder"
fi
exec "$program" receive --folder "$folder"
}
)sh";
}

std::string batch_script(const std::vector<AgentFile>& agents, const config::DeviceEntry& device,
                         const std::string& holder) {
  return "#!/bin/sh\n" + find_program(agents, device) +
         fmt::format(R"sh(left={}
holder=$folder/{}
until [ -x "$program" ] && is_whole "$program"; do
  [ "$left" -gt 0 ] || exit 3
  left=$((left - 1))
  sleep 1
done
[ -O "$folder/." ] || refuse folder-owner
check_modes "$folder" folder
mkdir -p "$folder/holders"
exec "$program" hold --folder "$folder" --holder "$holder" >>"$holder.log" 2>&1
)sh",
                     kDeliveryPatienceS, holder);
}

asio::awaitable<Result<samples::Arrival>> bootstrap(Connection& device, const std::string& script,
                                                    const std::vector<AgentFile>& agents, bool* had_agent) {
  co_await device.write(script);
  std::string machine;
  bool is_needed = false;
  for (int i = 0; machine.empty(); ++i) {
    const Result<std::optional<std::string>> line = co_await device.read_line(kLinePatience);
    if (!line) co_return error_of(line);
    if (!line->has_value()) co_return lost();
    for (const std::string_view word : {"ngb-have ", "ngb-need ", "ngb-unsupported ", "ngb-refused "}) {
      if ((*line)->starts_with(word)) machine = text::to_utf8((*line)->substr(word.size()));
    }
    is_needed = (*line)->starts_with("ngb-need ");
    if (had_agent != nullptr) *had_agent = (*line)->starts_with("ngb-have ");
    if ((*line)->starts_with("ngb-refused ")) co_return tl::unexpected(refusal(machine));
    if ((*line)->starts_with("ngb-unsupported ")) {
      co_return fail("there is no agent for a machine of the kind " + machine, "",
                     machine == "aarch64" ? "build one: make devices" : "devices are Linux on x86_64 or aarch64");
    }
    if (i > kMaxForeignLines) {
      co_return fail("the login shell prints too much before the command runs", "",
                     "let it print nothing when it is not interactive");
    }
  }
  const OnSent ignored = [](std::uint64_t) {};
  for (const AgentFile& agent : agents) {
    if (!is_needed || agent.machine != machine) continue;
    const Status sent = co_await send_file(device, agent.path, 0, agent.size_bytes, ignored);
    if (!sent) co_return error_of(sent);
  }
  Result<samples::Arrival> arrival = co_await answer_of<samples::Arrival>(device, kArrivalPatience);
  if (arrival) device.allow_frames(kMaxAnswerBytes);
  co_return arrival;
}

}  // namespace ngb::dispatch
