// SPDX-License-Identifier: Apache-2.0
// Declares the two handles that TensorRT's headers need from CUDA's header of this name. The plugin calls the driver.
#pragma once

struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
