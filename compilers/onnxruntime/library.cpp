// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>

#include "errors.h"

namespace ngb::onnxruntime {

Runtime::Runtime(const std::string& toolchain_dir)
    : library_(plugin::find_library(toolchain_dir, "onnxruntime/capi", "libonnxruntime.so", "onnxruntime")) {
  const auto get_base = library_.function<const OrtApiBase* (*)()>("OrtGetApiBase");
  base_ = get_base();
  version_ = base_->GetVersionString();
  api_ = &api_of(kApiVersion);
}

const OrtApi& Runtime::api_of(std::uint32_t api_version) const {
  if (const OrtApi* api = base_->GetApi(api_version)) return *api;
  const std::string version = std::to_string(api_version);
  throw plugin::Failure(
      NGB_IMPORT_ERROR,
      "ONNX Runtime " + version_ + " does not provide version " + version + " of its C API, which this plugin needs",
      "install version 1." + version + " or newer: ngb toolchain install onnxruntime");
}

bool Runtime::has_text(const std::string& text) const {
  std::ifstream file(library_.path(), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const char* const end = text.c_str() + text.size() + 1;
  const std::boyer_moore_horspool_searcher searcher(text.c_str(), end);
  return std::search(content.begin(), content.end(), searcher) != content.end();
}

void Runtime::check(OrtStatus* status, const char* doing) const {
  if (status == nullptr) return;
  const Owned<OrtStatus> owned(status, api_->ReleaseStatus);
  throw failure_from(api_->GetErrorCode(status), api_->GetErrorMessage(status), doing);
}

}  // namespace ngb::onnxruntime
