// SPDX-License-Identifier: Apache-2.0
#include "timing_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <system_error>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::tensorrt {
namespace {

// Replaces each run of other characters by one hyphen.
std::string file_name(const std::string& key) {
  std::string name;
  for (const char c : key) {
    const bool is_kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (is_kept || name.empty() || name.back() != '-') name += is_kept ? c : '-';
  }
  return "timing-" + name + ".cache";
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream content;
  if (std::ifstream file(path, std::ios::binary); file && file.peek() != EOF) content << file.rdbuf();
  return content.str();
}

}  // namespace

TimingCache::TimingCache(const std::string& cache_dir, const std::string& key)
    : path_(std::filesystem::path(cache_dir) / "tensorrt" / file_name(key)) {
  if (cache_dir.empty()) throw plugin::Failure(NGB_INTERNAL, "the worker was given no folder for a timing cache");
}

std::size_t TimingCache::give(nvinfer1::IBuilderConfig& config) {
  const std::string kept = content_of(path_);
  cache_.reset(config.createTimingCache(kept.data(), kept.size()));
  if (cache_ != nullptr && config.setTimingCache(*cache_, false)) return kept.size();
  cache_.reset(config.createTimingCache(nullptr, 0));  // TensorRT rejected the file's: other driver or GPU
  if (cache_ == nullptr || !config.setTimingCache(*cache_, false)) {
    throw plugin::Failure(NGB_COMPILER_FAILED, "TensorRT refuses a timing cache", "leave timing_cache out");
  }
  return 0;
}

void TimingCache::keep(const nvinfer1::IBuilderConfig& config) const {
  const nvinfer1::ITimingCache* const filled = config.getTimingCache();
  const std::unique_ptr<nvinfer1::IHostMemory> content(filled == nullptr ? nullptr : filled->serialize());
  if (content == nullptr) return;
  std::error_code code;
  std::filesystem::create_directories(path_.parent_path(), code);
  const std::filesystem::path unfinished = path_.string() + "." + std::to_string(::getpid());
  std::ofstream file(unfinished, std::ios::binary);
  file.write(static_cast<const char*>(content->data()), static_cast<std::streamsize>(content->size()));
  file.close();
  if (file) std::filesystem::rename(unfinished, path_, code);
  if (file && !code) return;
  throw plugin::Failure(NGB_INTERNAL, path_.string() + ": the timing cache cannot be written",
                        "check the disk, or leave timing_cache out");
}

}  // namespace ngb::tensorrt
