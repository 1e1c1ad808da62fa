// SPDX-License-Identifier: Apache-2.0
// Makes the quantised files of a study's variants, by ONNX Runtime's quantiser or by compilers' own tools.
#pragma once

#include "base/cache_folder.h"
#include "campaign/installation.h"
#include "config/study.h"

namespace ngb::campaign {

// Makes the files of all entries with `quantise`, or finds them in the cache, and gives the entries their paths and
// what follows from them. Fails with the first one that cannot be made; what was made until then is kept.
Status make_quantised_models(const Installation& installation, config::Study& study, const Say& say,
                             const CacheFolder& cache);

}  // namespace ngb::campaign
