// SPDX-License-Identifier: Apache-2.0
// Returns the git revision from which this program was built.
#pragma once

#include "base/revision.h"

namespace ngb::app {

Revision this_revision();

}  // namespace ngb::app
