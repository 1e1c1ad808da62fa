// SPDX-License-Identifier: Apache-2.0
// Identifies by content what a process was made with. Two processes of a cell are pooled only if their origins agree.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"

namespace ngb::samples {

// Each hash is a SHA-256. An empty hash means that the part does not exist: a compiler without a toolchain has no
// manifest. If `worker_sha256` is empty, nothing is known.
struct Provenance {
  std::string manifest_sha256{};   // the toolchain's: over its compiler, version and packages
  std::string worker_sha256{};     // ngb-worker, which also makes the models of recipes
  std::string package_sha256{};    // the package ngraphbench with the extension that hosts the loop
  std::string plugin_sha256{};     // the compiler's folder: plugin or adaptor, and its description
  std::string exporter_sha256{};   // folder and toolchain of the compiler that exports modules; only for modules
  std::string files_sha256{};      // the user's files: model, module, weights, inputs
  std::string model_sha256{};      // the model file, with the weights beside it
  std::string reference_key{};     // of everything that the reference outputs depend on; empty without a check
  std::string reference_sha256{};  // the data of the reference outputs

  // Returns the SHA-256 over manifest, worker, package, plugin and exporter, or "" if nothing is known. These hashes
  // are known before a model is made; together with the cell's id they determine the other ones.
  [[nodiscard]] std::string build() const;

  static constexpr auto fields(auto visit) {
    return visit(
        Field{"manifest_sha256", &Provenance::manifest_sha256}, Field{"worker_sha256", &Provenance::worker_sha256},
        Field{"package_sha256", &Provenance::package_sha256}, Field{"plugin_sha256", &Provenance::plugin_sha256},
        Field{"exporter_sha256", &Provenance::exporter_sha256}, Field{"files_sha256", &Provenance::files_sha256},
        Field{"model_sha256", &Provenance::model_sha256}, Field{"reference_key", &Provenance::reference_key},
        Field{"reference_sha256", &Provenance::reference_sha256});
  }
};

// Processes of a cell are pooled only if their origins are equal.
struct Origin {
  std::string build_sha256{};      // Provenance::build
  std::string model_sha256{};      // the model file
  std::string environment_hash{};  // Environment::hash

  // Returns 16 hexadecimal digits of the SHA-256 over the three.
  [[nodiscard]] std::string name() const;
  auto operator<=>(const Origin&) const = default;
};

}  // namespace ngb::samples
