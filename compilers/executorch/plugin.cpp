// SPDX-License-Identifier: Apache-2.0
#include "ngraphbench/plugin.h"
#include "compiler_json.h"
#include "session.h"

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = ngb::plugin::native_plugin<ngb::executorch::Session, kCompilerJson>();
  return &table;
}
