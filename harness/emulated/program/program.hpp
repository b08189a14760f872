#pragma once

// Stands before a program with a main() of its own, behind language.hpp: the words that the
// rewriter leaves in place or puts there. See rewriter/rewrite.hpp.

#include <cstdio>
#include <cstdlib>
#include <cstring>

// Templates of CUDA's own (cudaMalloc() of any pointer) become part of the line that calls them.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
#define __inline__ __inline__ __attribute__((always_inline))
#include <cuda_runtime.h>
#undef __inline__
#include <math_constants.h>

#include "harness/emulated/program/launch.hpp"
#include "harness/emulated/program/runtime_words.hpp"
#include "harness/emulated/program/toolkit_headers.hpp"
#if !defined(RIDGELINE_HOST_FILE)  // the host's compiler alone would be given the file
#include "harness/emulated/language.hpp"
#include "harness/emulated/program/device_words.hpp"
#include "harness/emulated/program/directed_rounding.hpp"
#include "harness/emulated/program/math_words.hpp"
#include "harness/emulated/program/packed_words.hpp"
#include "harness/emulated/program/ptx.hpp"
#include "harness/emulated/program/texture_words.hpp"
#endif

// The rewriter finds these words itself, where they are the device's.
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#undef warpSize
#undef clock
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __managed__
#undef __shared__
#undef __grid_constant__
#define __grid_constant__
#undef __cluster_dims__

#if !defined(RIDGELINE_HOST_FILE)
// As nvcc says it.
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
// One pass has both sides: host code that asks for it gets the device's branch, too.
#if !defined(__CUDA_ARCH__) && defined(RIDGELINE_CUDA_ARCH)
#define __CUDA_ARCH__ RIDGELINE_CUDA_ARCH
#endif
#endif
/// Sources can keep what is not modelled behind it.
#define RIDGELINE_CHECK 1
