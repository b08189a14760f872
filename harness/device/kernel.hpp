#pragma once

// The one header of the harness that a CUDA variant includes: the kernel language, and how kernels are started. A host
// compiler gets another implementation of the same words, that of the emulated device, so variants keep to them:
// launch(), never <<<>>>; RIDGELINE_DYNAMIC_SHARED, never extern __shared__; wide accesses explicit in types (float4);
// PTX only through kernels/ptx.
#if defined(__CUDACC__)
#include "harness/device/cuda/language.cuh"
#else
#include "harness/device/emulated/language.hpp"
#endif
