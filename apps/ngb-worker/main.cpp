// SPDX-License-Identifier: Apache-2.0
// A worker that hosts a native plugin.
#include <cstdio>

#include "worker/plugin.h"
#include "worker/worker.h"

namespace {

ngb::Result<const ngb_compiler*> find_table(const ngb::samples::WorkerRequest& request, void* /*context*/) {
  return ngb::worker::open_plugin(request.plugin_path);
}

}  // namespace

int main() { return ngb::worker::serve(find_table, nullptr); }
