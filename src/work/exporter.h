// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "work/compiler.h"

namespace ngb::work {

// Returns whether the compiler converts the exporter's PyTorch module of every model, also of one that is a file: it
// runs modules always, and has no PyTorch of its own, because its host is native. It then needs the exporter's packages
// (WorkerRequest::module_site).
bool converts_modules(const Place& place);

}  // namespace ngb::work
