// SPDX-License-Identifier: Apache-2.0
#include "transfer.h"

#include <algorithm>
#include <cstring>

namespace ngb::onnxruntime {

Transfer::Transfer(const plugin::CudaDevice& gpu)
    : gpu_(gpu),
      copy_in_(gpu.function<std::uint64_t, const void*, std::size_t>("cuMemcpyHtoD_v2")),
      copy_out_(gpu.function<void*, std::uint64_t, std::size_t>("cuMemcpyDtoH_v2")) {}

Transfer::~Transfer() {
  for (const auto* const copies : {&inputs_, &outputs_}) {
    for (const Copy& each : *copies) gpu_.status_of("cuMemFreeHost", each.host);
  }
}

void Transfer::add_input(const void* on_gpu, const void* data, std::size_t bytes) {
  void* const host = add(inputs_, on_gpu, bytes);
  if (bytes > 0) std::memcpy(host, data, bytes);
}

void* Transfer::add_output(const void* on_gpu, std::size_t bytes) { return add(outputs_, on_gpu, bytes); }

void* Transfer::add(std::vector<Copy>& to, const void* on_gpu, std::size_t bytes) {
  void* host = nullptr;
  gpu_.call("cuMemHostAlloc", &host, std::max<std::size_t>(bytes, 1), 0U);
  to.push_back({reinterpret_cast<std::uint64_t>(on_gpu), host, bytes});
  return host;
}

}  // namespace ngb::onnxruntime
