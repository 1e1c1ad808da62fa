// SPDX-License-Identifier: Apache-2.0
#include "../native_table.h"
#include "session.h"
#include "settings.h"

namespace {

using ngb::xla::Session;

ngb_status load(ngb_session* handle, const ngb_model* model, ngb_error* error) {
  return ngb::plugin::guarded(error, [&] { ngb::plugin::session_of<Session>(handle).load(*model); });
}

ngb_status run(ngb_session* handle, ngb_error* error) {
  Session& session = ngb::plugin::session_of<Session>(handle);
  PJRT_Error* const failed = session.run();
  if (failed == nullptr) [[likely]]
    return NGB_OK;
  return ngb::plugin::guarded(error, [&] { session.runtime().check(failed, "run the model"); });
}

ngb_compiler make_table() {
  ngb_compiler table = ngb::plugin::native_table<Session>(ngb::xla::description, run);
  table.load = load;
  return table;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = make_table();
  return &table;
}
