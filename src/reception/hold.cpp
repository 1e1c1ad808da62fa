// SPDX-License-Identifier: Apache-2.0
#include "reception/hold.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/removal.h"
#include "work/codec.h"

namespace ngb::reception {
namespace {

constexpr Nanoseconds kPatience = std::chrono::minutes(10);
constexpr Nanoseconds kFarewellPatience = std::chrono::seconds(30);
// Leaves the client that has removed the files time to receive the answer.
constexpr Nanoseconds kGrace = std::chrono::seconds(1);
constexpr Nanoseconds kPause = std::chrono::milliseconds(100);

// Sleeps until `is_so` returns true, at most `patience`. Returns whether it did.
template <class Condition>
bool wait_until(const Condition& is_so, Nanoseconds patience) {
  const Nanoseconds give_up = system_clock().now() + patience;
  while (!is_so()) {
    if (system_clock().now() > give_up) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

Result<samples::Attach> read_attach(const std::filesystem::path& holder) {
  const Result<std::string> text = file::read(holder);
  if (!text) return error_of(text);
  return work::parse_json<samples::Attach>(json_text::parse(*text), "attach");
}

}  // namespace

int hold(agent::Options options, const std::filesystem::path& holder) {
  std::error_code code;
  const auto is_told = [&] { return std::filesystem::exists(holder, code); };
  // An earlier attempt at this job may have left its file; clients that attach write it again and again.
  file::remove(holder);
  if (!wait_until(is_told, kPatience)) {
    std::fputs("no client has connected\n", stderr);
    return agent::kCannotGoOn;
  }
  while (is_told()) {
    const auto attach = read_attach(holder);
    if (!attach) {
      std::fputs((attach.error().text() + "\n").c_str(), stderr);
      return agent::kCannotGoOn;
    }
    options.work_folder = options.device_folder / attach->run;
    options.worker = options.device_folder / attach->worker;
    options.lib = options.device_folder / attach->lib;
    options.has_device_to_itself = true;
    if (const int failed = reside(options); failed != 0) return failed;
    file::remove(holder);
    const auto is_over = [&] { return is_told() || !std::filesystem::exists(options.work_folder, code); };
    wait_until(is_over, kFarewellPatience);
    std::this_thread::sleep_for(kGrace);
  }
  return 0;
}

Status write_holder(const std::filesystem::path& device_folder, const samples::Attach& attach) {
  const std::filesystem::path holder = device_folder / attach.holder;
  if (Status made = file::make_folder(holder.parent_path()); !made) return made;
  return file::write_atomically(holder, json_text::dump(work::write_json(attach)));
}

}  // namespace ngb::reception
