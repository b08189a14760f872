#pragma once

// How many blocks of a kernel an SM holds, asked of whoever knows: the CUDA runtime, or on the emulated device the
// rules of its architecture.
#if defined(__CUDACC__)
#include "harness/device/cuda/residency.cuh"
#else
#include "harness/device/emulated/residency.hpp"
#endif
