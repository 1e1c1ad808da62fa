// SPDX-License-Identifier: Apache-2.0
#include "work/exporter.h"

namespace ngb::work {

bool converts_modules(const Place& place) { return place.host == "native" && place.runs_modules == "always"; }

}  // namespace ngb::work
