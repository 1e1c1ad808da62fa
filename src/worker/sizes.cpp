// SPDX-License-Identifier: Apache-2.0
#include "worker/sizes.h"

#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace ngb::worker {
namespace {

using Size = Known<std::uint64_t>;

constexpr const char* kData = ".data";  // beside a file that was made, with the weights of all but small models
constexpr std::string_view kModelFiles = "model/";  // names of a user's files that belong to the model

Size model_size_bytes(const std::string& path, const work::Model& model) {
  std::uint64_t sum = 0;
  bool has_files = false;
  for (const work::UserFile& each : model.files) {
    if (!each.name.starts_with(kModelFiles)) continue;
    const Size size = size_bytes(each.path);
    if (!size.value) return size;
    sum += *size.value;
    has_files = true;
  }
  if (has_files && !model.is_module()) return Size::of(sum);
  if (path.empty()) return Size::unknown("the model is a PyTorch module, which has no file");
  Size whole = size_bytes(path);
  std::error_code error;
  if (!whole.value || !std::filesystem::exists(path + kData, error)) return whole;
  const Size data = size_bytes(path + kData);
  return data.value ? Size::of(*whole.value + *data.value) : data;
}

// Lines of /proc/self/maps: "7f00-7f01 r-xp 00000000 08:01 123  /usr/lib/libc.so.6"
Size runtime_size_bytes(const std::string& proc) {
  const Result<std::string> maps = file::read(proc + "/self/maps");
  if (!maps) return Size::unknown(maps.error().text());
  std::set<std::pair<dev_t, ino_t>> seen;
  std::uint64_t sum = 0;
  std::istringstream lines(*maps);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string range;
    std::string rights;
    std::string offset;
    std::string device;
    std::string inode;
    std::string path;
    words >> range >> rights >> offset >> device >> inode >> std::ws;
    std::getline(words, path);
    struct stat status{};
    if (rights.find('x') == std::string::npos || !path.starts_with('/') || ::stat(path.c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode) && seen.emplace(status.st_dev, status.st_ino).second)
      sum += static_cast<std::uint64_t>(status.st_size);
  }
  return sum > 0 ? Size::of(sum) : Size::unknown("no mapped library in " + proc + "/self/maps");
}

samples::Reading reading(const char* quantity, const Size& size) {
  return {quantity, "bytes", "end",
          size.value ? Known<double>::of(static_cast<double>(*size.value)) : Known<double>::unknown(size.reason)};
}

}  // namespace

Size size_bytes(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    return error ? Size::unknown("cannot read the size of " + path + ": " + error.message()) : Size::of(size);
  }
  std::uint64_t sum = 0;
  for (std::filesystem::recursive_directory_iterator each(path, error), end; !error && each != end;
       each.increment(error)) {
    if (each->is_regular_file(error)) sum += each->file_size(error);
  }
  return error ? Size::unknown("cannot read the size of " + path + ": " + error.message()) : Size::of(sum);
}

void add_sizes(const std::string& model_path, const work::Model& model, const Size& artifact_bytes,
               std::vector<samples::Reading>& readings, const std::string& proc) {
  readings.push_back(reading("model_size", model_size_bytes(model_path, model)));
  readings.push_back(reading("artifact_size", artifact_bytes));
  readings.push_back(reading("runtime_size", runtime_size_bytes(proc)));
}

}  // namespace ngb::worker
