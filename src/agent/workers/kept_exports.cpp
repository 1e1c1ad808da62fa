// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/kept_exports.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/removal.h"
#include "samples/codec.h"

namespace ngb::agent {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kExportDescription = "export.json";

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    std::error_code ignored;
    const std::uintmax_t size = entry->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

// The description's time is that of the export's last use.
void remove_least_recently_used(const fs::path& exports, const fs::path& newest) {
  std::vector<std::pair<fs::file_time_type, fs::path>> others;
  std::uint64_t bytes = bytes_below(newest);
  std::error_code code;
  for (fs::directory_iterator entry(exports, code), end; !code && entry != end; entry.increment(code)) {
    std::error_code ignored;
    const fs::file_time_type used = fs::last_write_time(entry->path() / kExportDescription, ignored);
    if (!ignored && entry->path() != newest && entry->path().extension() != ".partial") {
      others.emplace_back(used, entry->path());
    }
  }
  std::sort(others.rbegin(), others.rend());
  for (const auto& [used, folder] : others) {
    bytes += bytes_below(folder);
    if (bytes > kMostKeptBytes) file::remove_all(folder);
  }
}

}  // namespace

fs::path data_path(const fs::path& model) { return model.string() + ".data"; }

Result<std::string> hash_of_model(const fs::path& model) {
  Result<std::string> whole = hash::sha256_of_file(model);
  std::error_code code;
  if (!whole || !fs::exists(data_path(model), code)) return whole;
  const Result<std::string> data = hash::sha256_of_file(data_path(model));
  return data ? hash::sha256(*whole + *data) : data;
}

fs::path export_name(const work::Model& model, bool needs_file, const samples::Provenance& exporter) {
  return "exports" / fs::path(hash::sha256(json_text::dump(json{{"format", 2},
                                                                {"model", model.key.hash},
                                                                {"batch", model.key.batch},
                                                                {"dynamic_batch", model.dynamic_batch},
                                                                {"needs_file", needs_file},
                                                                {"package", exporter.package_sha256},
                                                                {"exporter", exporter.exporter_sha256}})));
}

std::optional<ModelFile> read_kept_export(const CacheFolder& cache, const fs::path& name, const work::ModelKey& model) {
  const std::optional<fs::path> folder = cache.find(name);
  const Result<std::string> text = folder ? file::read(*folder / kExportDescription) : Result<std::string>();
  const json described = text ? json_text::parse(*text) : json();
  if (!described.is_object()) return std::nullopt;
  ModelFile file;
  const auto read = work::fields::parse("a kept export", [&] {
    namespace fields = work::fields;
    file.facts = work::read_json<samples::ModelWritten>(fields::child(described, "facts"), "facts");
    if (described.contains("no_file"))
      file.no_file = work::read_json<samples::Failure>(described["no_file"], "no_file");
    return Done{};
  });
  if (!read || file.facts.model != model) return std::nullopt;
  if (!file.no_file) file.path = *folder / kKeptModel;
  file.facts.is_kept = true;
  std::error_code ignored;
  fs::last_write_time(*folder / kExportDescription, fs::file_time_type::clock::now(), ignored);
  return file;
}

Status keep_export(const CacheFolder& cache, const fs::path& name, const fs::path& made, const ModelFile& file) {
  json described{{"facts", work::write_json(file.facts)}};
  if (file.no_file) described["no_file"] = work::write_json(*file.no_file);
  const std::string text = json_text::dump(described, 2);
  if (Status written = file::write_atomically(made / kExportDescription, text); !written) return written;
  if (Status kept = cache.keep(made, name); !kept) return kept;
  const fs::path newest = cache.path() / name;
  remove_least_recently_used(newest.parent_path(), newest);
  return Done{};
}

}  // namespace ngb::agent
