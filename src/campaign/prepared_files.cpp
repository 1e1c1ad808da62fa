// SPDX-License-Identifier: Apache-2.0
#include "campaign/prepared_files.h"

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"

namespace ngb::campaign {
namespace {

// Is raised when a change of the programs changes the files that they make.
constexpr int kRevision = 4;

}  // namespace

namespace fs = std::filesystem;
using nlohmann::json;

fs::path name_of_prepared(const json& content) {
  return "prepared" / fs::path(hash::sha256(json_text::dump(json{{"revision", kRevision}, {"of", content}})));
}

Result<fs::path> copy_as_hashed(const work::UserFile& file, const fs::path& into) {
  const fs::path copy = into / file.name;
  if (Status made = file::make_folder(copy.parent_path()); !made) return error_of(made);
  const Result<std::string> hash = hash::copy_file(file.path, copy);
  if (!hash) return error_of(hash);
  if (*hash == file.sha256) return copy;
  return fail("has changed while it was read", file.path, "run the same command again");
}

}  // namespace ngb::campaign
