// SPDX-License-Identifier: Apache-2.0
#include "samples/process_result.h"

namespace ngb::samples {

Origin origin_of(const ProcessResult& result) {
  return {result.made_with.build(), result.made_with.model_sha256, result.environment_hash};
}

}  // namespace ngb::samples
