#pragma once

#include "harness/device/kernel.hpp"

// Tensor-core products by fragments of which only the compiler knows where their elements lie:
// CUDA's nvcuda::wmma.
#if defined(__CUDACC__)
#include <mma.h>
#else
#include "harness/emulated/wmma.hpp"
#endif
