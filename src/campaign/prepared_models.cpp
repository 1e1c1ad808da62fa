// SPDX-License-Identifier: Apache-2.0
#include "campaign/prepared_models.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "campaign/compiled_files.h"
#include "campaign/prepared_files.h"
#include "campaign/quantised_models.h"
#include "campaign/toolchain_question.h"
#include "plan/make_model.h"
#include "toolchain/toolchain.h"

namespace ngb::campaign {

plan::OnnxPackage find_onnx_package(const Installation& installation) {
  const auto toolchains = toolchain::list(installation.toolchains);
  if (!toolchains) return {};
  for (const toolchain::Toolchain& each : *toolchains) {
    std::error_code code;
    if (each.python.empty() || !std::filesystem::exists(each.site / "onnx" / "reference", code)) continue;
    return {each.python, each.site, installation.parts.lib / "python", each.compiler + "@" + each.version};
  }
  return {};
}

namespace {

namespace fs = std::filesystem;
using config::ModelEntry;
using nlohmann::json;

class Preparing {
 public:
  Preparing(const Installation& installation, config::Study& study, CacheFolder cache)
      : installation_(installation), study_(study), cache_(std::move(cache)) {}

  Status data(ModelEntry& entry) {
    const config::LabelledData& data = *entry.data;
    const bool has_images = !data.images.empty();
    const auto site = toolchain_with(
        installation_, "", has_images ? std::vector<std::string>{"numpy", "PIL"} : std::vector<std::string>{"numpy"});
    if (!site) {
      return fail(has_images ? "decoding images needs NumPy and Pillow, which no installed toolchain has"
                             : "reading arrays needs NumPy, which no installed toolchain has",
                  entry.label, "install one that has it: ngb toolchain install identity");
    }
    const fs::path& source = has_images ? data.images : data.arrays;
    std::vector<work::UserFile> files;
    for (const auto& [name, path] : {std::pair("samples", &source), std::pair("labels", &data.labels)}) {
      if (Status added = add_files(name, *path, files); !added) return added;
    }
    json content{{"data", json::object()}, {"has_images", has_images}, {"tools", site->manifest_sha256}};
    for (const work::UserFile& file : files) content["data"][file.name] = file.sha256;
    const auto model = exact_model(entry);
    if (!model) return error_of(model);
    if (model->inputs.size() != 1) {
      return fail(model->inputs.empty() ? "data needs to know the model's input" : "data needs a model with one input",
                  entry.label,
                  "give the input's shape with the key shapes, or export the model to a file with one input");
    }
    if (has_images) content["shape"] = model->inputs.front().shape;
    const auto made =
        kept_or_made(name_of_prepared(content), [&](const fs::path& folder, const fs::path& copies) -> Status {
          for (const work::UserFile& file : files) {
            if (const auto copy = copy_as_hashed(file, copies); !copy) return error_of(copy);
          }
          json question{{"source", (copies / name_among_copies("samples", source)).string()},
                        {"labels", (copies / name_among_copies("labels", data.labels)).string()},
                        {"called", {source.string(), data.labels.string()}},
                        {"has_images", has_images},
                        {"output", folder.string()}};
          if (has_images) question["shape"] = content["shape"];
          const auto answer = ask(installation_, "labelled_data", {*site}, question);
          return answer ? Status{} : Status(fail(answer.error().what, entry.label + ": data", answer.error().next));
        });
    if (!made) return error_of(made);
    entry.inputs = {{model->inputs.front().name, {.file = *made / "samples.npy"}}};
    entry.labels = *made / "labels.npy";
    return Done{};
  }

 private:
  // Returns the folder that the cache keeps under the name. If there is none, or it is damaged, `make` is called with a
  // new folder, which is then kept, and with one for copies of the user's files, which is removed.
  template <class Make>
  [[nodiscard]] Result<fs::path> kept_or_made(const fs::path& name, const Make& make) const {
    if (const auto kept = cache_.find(name)) return *kept;
    const auto made = cache_.make_scratch(name);
    if (!made) return error_of(made);
    const auto copies = cache_.make_scratch(name);
    if (!copies) return error_of(copies);
    if (const Status done = make(made->path(), copies->path()); !done) return error_of(done);
    if (const Status kept = cache_.keep(made->path(), name); !kept) return error_of(kept);
    return cache_.path() / name;
  }

  [[nodiscard]] Result<work::Model> exact_model(const ModelEntry& entry) {
    ModelEntry without_labels = entry;
    without_labels.labels.clear();
    return plan::make_model(without_labels, study_.batch_sizes.front(), study_.protocol.seed, python_files_,
                            find_onnx_package(installation_));
  }

  // Adds the file, or each file in the folder, with its hash and the name of its copy.
  static Status add_files(const char* folder, const fs::path& path, std::vector<work::UserFile>& files) {
    std::error_code code;
    std::set<fs::path> found{path};
    if (fs::is_directory(path, code)) {
      found.clear();
      for (const auto& each : fs::directory_iterator(path, code)) found.insert(each.path());
    }
    for (const fs::path& each : found) {
      if (!fs::is_regular_file(each, code)) continue;
      auto file = plan::user_file((fs::path(folder) / each.filename()).string(), each);
      if (!file) return error_of(file);
      files.push_back(*std::move(file));
    }
    return Done{};
  }

  static fs::path name_among_copies(const char* folder, const fs::path& path) {
    std::error_code code;
    return fs::is_directory(path, code) ? fs::path(folder) : fs::path(folder) / path.filename();
  }

  const Installation& installation_;
  config::Study& study_;
  CacheFolder cache_;
  plan::PythonFiles python_files_{};
};

}  // namespace

Status prepare_models(const Installation& installation, config::Study& study, const Say& say) {
  const bool has_any = std::any_of(study.models.begin(), study.models.end(), [](const ModelEntry& each) {
    return each.quantise || each.data || !each.compiled.empty();
  });
  if (!has_any) return Done{};
  const CacheFolder cache = usable_cache(installation, say);
  if (cache.is_none()) return fail("there is no cache for the models that are made", study.path.string());
  Preparing preparing(installation, study, cache);
  for (ModelEntry& entry : study.models) {
    if (!entry.data) continue;
    if (Status made = preparing.data(entry); !made) return made;
  }
  if (Status made = make_quantised_models(installation, study, say, cache); !made) return made;
  for (ModelEntry& entry : study.models) {
    if (entry.compiled.empty()) continue;
    if (Status known = read_compiled_file(installation, study, entry, say); !known) return known;
  }
  return Done{};
}

}  // namespace ngb::campaign
