// SPDX-License-Identifier: Apache-2.0
#include "../native_table.h"
#include "session.h"
#include "settings.h"

namespace {

using ngb::onnxruntime::Session;

ngb_status run(ngb_session* handle, ngb_error* error) {
  Session& session = ngb::plugin::session_of<Session>(handle);
  OrtStatus* status = session.run();
  if (status == nullptr) [[likely]]
    return NGB_OK;
  return ngb::plugin::guarded(error, [&] { session.run_again(status); });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = ngb::plugin::native_table<Session>(ngb::onnxruntime::description, run);
  return &table;
}
