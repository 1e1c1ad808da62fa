// SPDX-License-Identifier: Apache-2.0
// All that TensorRT's headers take from CUDA's header of this name: two handles. The plugin itself calls the driver.
#pragma once

struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
