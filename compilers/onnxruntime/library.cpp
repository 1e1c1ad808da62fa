// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include "errors.h"

namespace ngb::onnxruntime {

Runtime::Runtime(const std::string& toolchain_dir)
    : library_(plugin::find_library(toolchain_dir, "onnxruntime/capi", "libonnxruntime.so", "onnxruntime")) {
  const auto get_base = library_.function<const OrtApiBase* (*)()>("OrtGetApiBase");
  const OrtApiBase* base = get_base();
  version_ = base->GetVersionString();
  api_ = base->GetApi(kApiVersion);
  if (api_ != nullptr) return;
  throw plugin::Failure(NGB_IMPORT_ERROR,
                        "ONNX Runtime " + version_ + " does not serve version " + std::to_string(kApiVersion) +
                            " of its C API, which this plugin needs",
                        "install version 1.11 or newer: ngb toolchain install onnxruntime");
}

void Runtime::check(OrtStatus* status, const char* doing) const {
  if (status == nullptr) return;
  const Owned<OrtStatus> owned(status, api_->ReleaseStatus);
  throw failure_from(api_->GetErrorCode(status), api_->GetErrorMessage(status), doing);
}

}  // namespace ngb::onnxruntime
