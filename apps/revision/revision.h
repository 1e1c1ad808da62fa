// SPDX-License-Identifier: Apache-2.0
// What this program was built from, as it was when it was built.
#pragma once

#include "base/revision.h"

namespace ngb::app {

Revision this_revision();

}  // namespace ngb::app
