// SPDX-License-Identifier: Apache-2.0
#include "../native_table.h"
#include "session.h"
#include "settings.h"

namespace {

using ngb::litert::Session;

ngb_status run(ngb_session* handle, ngb_error* error) {
  Session& session = ngb::plugin::session_of<Session>(handle);
  const int failed = session.run();
  if (failed == 0) [[likely]]
    return NGB_OK;
  return ngb::plugin::guarded(error, [&] { session.runtime().check(failed, "run the model"); });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = ngb::plugin::native_table<Session>(ngb::litert::description, run);
  return &table;
}
