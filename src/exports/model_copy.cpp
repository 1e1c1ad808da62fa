// SPDX-License-Identifier: Apache-2.0
#include "exports/model_copy.h"

#include <fmt/format.h>

#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/processors.h"
#include "exports/cell_choice.h"
#include "zoo/recipe.h"

namespace ngb::exports {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderOfModel = "model/";  // before the names of a user's model files

Result<std::string> copy_files(const work::Model& model, const fs::path& folder) {
  for (const work::UserFile& file : model.files) {
    if (!file.name.starts_with(kFolderOfModel)) continue;
    const fs::path copy = folder / file.name.substr(kFolderOfModel.size());
    if (const Status made = file::make_folder(copy.parent_path()); !made) return error_of(made);
    const Result<std::string> hash = hash::copy_file(file.path, copy);
    if (!hash) return error_of(hash);
    if (*hash != file.sha256) return fail("has changed while it was read", file.path, "run the same command again");
  }
  return model.is_module() ? "" : model.files.front().name.substr(kFolderOfModel.size());
}

// As processes record it (samples::Provenance::model_sha256).
Result<std::string> hash_of_made(const fs::path& path) {
  Result<std::string> whole = hash::sha256_of_file(path);
  const fs::path weights = path.string() + ".data";
  std::error_code code;
  if (!whole || !fs::exists(weights, code)) return whole;
  const Result<std::string> beside = hash::sha256_of_file(weights);
  return beside ? hash::sha256(*whole + *beside) : beside;
}

// The file has the name that it had on the device, because it holds the name of the file with its weights.
Result<std::string> make_recipe(const Subject& subject, const fs::path& folder) {
  const work::Model& model = subject.model();
  const auto recipe = zoo::parse_canonical_json(work::json_of(model.source));
  if (!recipe) return error_of(recipe);
  std::string name = work::file_name(model.key) + ".onnx";
  const zoo::BatchSize batch = model.dynamic_batch ? zoo::BatchSize() : model.key.batch;
  const Status written =
      zoo::write_onnx(*recipe, batch, folder / name, processor_count(), zoo::kLargestMeasuredMessageBytes);
  if (!written) return error_of(written);
  const Result<std::string> hash = hash_of_made(folder / name);
  if (!hash) return error_of(hash);
  const std::string& measured = subject.cell.processes.front().made_with.model_sha256;
  if (measured.empty() || *hash == measured) return name;
  return fail(fmt::format("this version of ngb makes another file of the model ({:.12}…) than was measured ({:.12}…)",
                          *hash, measured),
              title_of(subject.cell), "measure it again: ngb run");
}

}  // namespace

Result<std::string> put_model(const Subject& subject, const fs::path& folder) {
  const work::Model& model = subject.model();
  return std::holds_alternative<work::Recipe>(model.source) ? make_recipe(subject, folder) : copy_files(model, folder);
}

}  // namespace ngb::exports
