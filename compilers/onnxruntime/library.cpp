// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <cstdlib>

#include "errors.h"

namespace ngb::onnxruntime {

Runtime::Runtime(const std::string& toolchain_dir)
    : library_(plugin::find_library(toolchain_dir, "onnxruntime/capi", "libonnxruntime.so", "onnxruntime")) {
  // Telemetry would report every process, from a thread of its own and with a database in the user's home.
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);
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

void Runtime::check(OrtStatus* status, const char* doing) const {
  if (status == nullptr) return;
  const Owned<OrtStatus> owned(status, api_->ReleaseStatus);
  throw failure_from(api_->GetErrorCode(status), api_->GetErrorMessage(status), doing);
}

}  // namespace ngb::onnxruntime
