// SPDX-License-Identifier: Apache-2.0
// What a process was made with, by content: two processes of a cell are pooled only if these hashes agree.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"

namespace ngb::samples {

// Each hash is a SHA-256. An empty one means that there is nothing of the kind (a compiler without a toolchain has no
// manifest), or, if `worker_sha256` is empty too, that nothing is known.
struct Provenance {
  std::string manifest_sha256{};   // the toolchain's: over its compiler, version and packages
  std::string worker_sha256{};     // ngb-worker, which also makes the models of recipes
  std::string package_sha256{};    // our Python package with the extension that hosts the loop
  std::string plugin_sha256{};     // the compiler's folder: plugin or adaptor, and its description
  std::string exporter_sha256{};   // folder and toolchain of the compiler that exports modules; empty for other models
  std::string files_sha256{};      // the user's files: model, module, weights, inputs
  std::string model_sha256{};      // the model file, with the weights beside it
  std::string reference_key{};     // of all that the reference outputs depend on; empty without a check
  std::string reference_sha256{};  // the data of the reference outputs

  // The SHA-256 over manifest, worker, package, plugin and exporter: what can be known before a model is made, and with
  // the cell's own id decides everything else. Empty if nothing is known.
  [[nodiscard]] std::string build() const;

  static constexpr auto fields() {
    return std::tuple(
        Field{"manifest_sha256", &Provenance::manifest_sha256}, Field{"worker_sha256", &Provenance::worker_sha256},
        Field{"package_sha256", &Provenance::package_sha256}, Field{"plugin_sha256", &Provenance::plugin_sha256},
        Field{"exporter_sha256", &Provenance::exporter_sha256}, Field{"files_sha256", &Provenance::files_sha256},
        Field{"model_sha256", &Provenance::model_sha256}, Field{"reference_key", &Provenance::reference_key},
        Field{"reference_sha256", &Provenance::reference_sha256});
  }
};

// Processes of one cell are alike if they have the same origin.
struct Origin {
  std::string build_sha256{};      // Provenance::build
  std::string model_sha256{};      // the model file
  std::string environment_hash{};  // Environment::hash

  // 16 hexadecimal digits over the three.
  [[nodiscard]] std::string name() const;
  auto operator<=>(const Origin&) const = default;
};

}  // namespace ngb::samples
