// SPDX-License-Identifier: Apache-2.0
#include "../native_table.h"
#include "session.h"
#include "settings.h"

namespace {

using ngb::tensorrt::Session;

ngb_status run(ngb_session* handle, ngb_error* error) {
  Session& session = ngb::plugin::session_of<Session>(handle);
  const int status = session.run();
  if (status == 0) [[likely]]
    return NGB_OK;
  return ngb::plugin::guarded(error, [&] { throw session.run_failure(status); });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = ngb::plugin::native_table<Session>(ngb::tensorrt::description, run);
  return &table;
}
