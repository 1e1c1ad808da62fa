// SPDX-License-Identifier: Apache-2.0
#include "../native_table.h"
#include "session.h"
#include "settings.h"

using ngb::null_compiler::Session;

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table =
      ngb::plugin::native_table<Session>(ngb::null_compiler::description, [](ngb_session* session, ngb_error* error) {
        return ngb::plugin::guarded(error, [&] { ngb::plugin::session_of<Session>(session).run(); });
      });
  return &table;
}
