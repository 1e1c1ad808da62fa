// SPDX-License-Identifier: Apache-2.0
#include "samples/provenance.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_text.h"

namespace ngb::samples {

using nlohmann::json;

std::string Provenance::build() const {
  if (worker_sha256.empty()) return {};
  return hash::sha256(
      json_text::dump(json{manifest_sha256, worker_sha256, package_sha256, plugin_sha256, exporter_sha256}));
}

std::string Origin::name() const {
  return hash::sha256(json_text::dump(json{build_sha256, model_sha256, environment_hash})).substr(0, 16);
}

}  // namespace ngb::samples
