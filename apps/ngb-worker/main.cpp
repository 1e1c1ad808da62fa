// SPDX-License-Identifier: Apache-2.0
// ngb-worker: a worker that hosts a native plugin, or, with `write-model`, the writer of model files.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "samples/failure.h"
#include "worker/plugin.h"
#include "worker/worker.h"
#include "write_model.h"

namespace {

constexpr int kWrongUsage = 2;
constexpr int kFailed = 3;

ngb::Result<const ngb_compiler*> find_table(const ngb::work::WorkerRequest& request, void* /*context*/) {
  return ngb::worker::open_plugin(request.plugin_path);
}

// Ends the process as soon as the result has been sent. The exit handlers of compilers' libraries are not run: some
// take as long as the library's start.
[[noreturn]] void serve_and_leave() {
  const int code = ngb::worker::serve(find_table, nullptr, ::fork);
  std::fflush(nullptr);
  ::_exit(code);
}

int run(const std::vector<std::string_view>& arguments) {
  if (arguments.empty()) serve_and_leave();
  if (arguments[0] != "write-model") {
    std::fputs(
        "ngb-worker: ngb-agent starts workers; the only use by hand is: ngb-worker write-model --recipe JSON --batch N "
        "--threads N -o FILE\n",
        stderr);
    return kWrongUsage;
  }
  const ngb::Result<std::string> line = ngb::write_model({arguments.begin() + 1, arguments.end()});
  if (!line) {
    std::fputs((line.error().text() + "\n").c_str(), stderr);
    return ngb::has_code(line, ngb::ErrorCode::disk_full) ? ngb::samples::kDiskFullExitCode : kFailed;
  }
  std::puts(line->c_str());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ngb-worker: %s\n", error.what());
    return kFailed;
  }
}
