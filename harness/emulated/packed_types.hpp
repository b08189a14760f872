#pragma once

// CUDA's types of 16-bit numbers. For a host compiler its headers copy a pair of them member by
// member, for nvcc as one word of 32 bits. Here as for nvcc, because a copy is an access to memory
// that is counted: of the two ways that the headers give each function, the second one is taken,
// but where the first one begins with the word for such a copy.

#include <nv/target>

#pragma push_macro("NV_IF_ELSE_TARGET")
#undef NV_IF_ELSE_TARGET
#define RIDGELINE_BEGINS_WITH___HALF2_TO_UI ~, 1,
#define RIDGELINE_BEGINS_WITH___BFLOAT162_TO_UI ~, 1,
#define RIDGELINE_SECOND(first, second, ...) second
#define RIDGELINE_SECOND_OF(...) RIDGELINE_SECOND(__VA_ARGS__)
#define RIDGELINE_TAKE_0(device, host) host
#define RIDGELINE_TAKE_1(device, host) device
#define RIDGELINE_TAKE(which, device, host) RIDGELINE_TAKE_##which(device, host)
#define RIDGELINE_TAKE_OF(which, device, host) RIDGELINE_TAKE(which, device, host)
#define NV_IF_ELSE_TARGET(condition, device, host) \
  RIDGELINE_TAKE_OF(RIDGELINE_SECOND_OF(RIDGELINE_BEGINS_WITH_##device, 0, ~), device, host)

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#undef RIDGELINE_BEGINS_WITH___HALF2_TO_UI
#undef RIDGELINE_BEGINS_WITH___BFLOAT162_TO_UI
#undef RIDGELINE_SECOND
#undef RIDGELINE_SECOND_OF
#undef RIDGELINE_TAKE_0
#undef RIDGELINE_TAKE_1
#undef RIDGELINE_TAKE
#undef RIDGELINE_TAKE_OF
#pragma pop_macro("NV_IF_ELSE_TARGET")
