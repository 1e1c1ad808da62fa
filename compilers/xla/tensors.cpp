// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include <algorithm>
#include <array>

namespace ngb::xla {
namespace {

struct Row {
  ngb_dtype type;
  PJRT_Buffer_Type theirs;
  std::size_t bytes;
};

constexpr std::array<Row, 9> kTypes{{{NGB_F32, PJRT_Buffer_Type_F32, 4},
                                     {NGB_F16, PJRT_Buffer_Type_F16, 2},
                                     {NGB_BF16, PJRT_Buffer_Type_BF16, 2},
                                     {NGB_F64, PJRT_Buffer_Type_F64, 8},
                                     {NGB_I64, PJRT_Buffer_Type_S64, 8},
                                     {NGB_I32, PJRT_Buffer_Type_S32, 4},
                                     {NGB_I8, PJRT_Buffer_Type_S8, 1},
                                     {NGB_U8, PJRT_Buffer_Type_U8, 1},
                                     {NGB_BOOL, PJRT_Buffer_Type_PRED, 1}}};

template <class Is>
const Row& row_where(Is is, const std::string& tensor) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), is);
  if (row != kTypes.end()) return *row;
  throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR, "\"" + tensor + "\" has an element type that xla does not support");
}

}  // namespace

Owned<PJRT_Buffer> buffer_over(const Runtime& runtime, PJRT_Client* client, PJRT_Device* device,
                               const ngb_tensor& tensor) {
  auto args = NGB_PJRT(PJRT_Client_BufferFromHostBuffer_Args);
  args.client = client;
  args.data = tensor.data;
  args.type = row_where([&](const Row& row) { return row.type == tensor.dtype; }, tensor.name).theirs;
  args.dims = tensor.shape;
  args.num_dims = static_cast<std::size_t>(tensor.rank);
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  args.device = device;
  runtime.check(runtime.api().PJRT_Client_BufferFromHostBuffer(&args), "set an input");
  Owned<PJRT_Buffer> buffer(args.buffer, [&runtime](PJRT_Buffer* each) { runtime.destroy(each); });
  // Nobody waits for done_with_host_buffer: if XLA shares the host's memory, it occurs when the buffer is destroyed.
  auto done = NGB_PJRT(PJRT_Event_Destroy_Args);
  done.event = args.done_with_host_buffer;
  runtime.check(runtime.api().PJRT_Event_Destroy(&done), "set an input");
  auto ready = NGB_PJRT(PJRT_Buffer_ReadyEvent_Args);
  ready.buffer = buffer.get();
  runtime.check(runtime.api().PJRT_Buffer_ReadyEvent(&ready), "set an input");
  runtime.check(runtime.await(ready.event), "set an input");
  return buffer;
}

std::vector<Output> outputs_of(const Runtime& runtime, PJRT_Executable* executable,
                               const std::vector<std::string>& names) {
  auto types = NGB_PJRT(PJRT_Executable_OutputElementTypes_Args);
  types.executable = executable;
  runtime.check(runtime.api().PJRT_Executable_OutputElementTypes(&types), "describe its outputs");
  auto shapes = NGB_PJRT(PJRT_Executable_OutputDimensions_Args);
  shapes.executable = executable;
  runtime.check(runtime.api().PJRT_Executable_OutputDimensions(&shapes), "describe its outputs");
  if (types.num_output_types != names.size() || shapes.num_outputs != names.size()) {
    throw plugin::Failure(NGB_INTERNAL, "the compiled model has " + std::to_string(shapes.num_outputs) +
                                            " outputs, the ONNX file " + std::to_string(names.size()));
  }
  std::vector<Output> outputs;
  const std::int64_t* extent = shapes.dims;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Row& row = row_where([&](const Row& each) { return each.theirs == types.output_types[i]; }, names[i]);
    Output& output = outputs.emplace_back(Output{names[i], row.type, {extent, extent + shapes.dim_sizes[i]}, {}});
    extent += shapes.dim_sizes[i];
    std::size_t bytes = row.bytes;
    for (const std::int64_t each : output.shape) bytes *= static_cast<std::size_t>(each);
    output.data.resize(bytes);
  }
  return outputs;
}

}  // namespace ngb::xla
