#pragma once

// The one header of the harness that a CUDA variant includes: the kernel language, how kernels are
// started, and how many blocks of one an SM holds. For the emulated device another implementation
// of the same words stands before the whole source (-include), so variants keep to them: launch(),
// never <<<>>>; RIDGELINE_DYNAMIC_SHARED, never extern __shared__; wide accesses explicit in types
// (float4); PTX only through kernels/ptx.
#if defined(__CUDACC__)
#include "harness/device/cuda/language.cuh"
#include "harness/device/cuda/residency.cuh"
#elif !defined(RIDGELINE_DYNAMIC_SHARED)
#error "kernels are compiled by nvcc, or with ridgeline_emulated_kernels() for the emulated device"
#endif
