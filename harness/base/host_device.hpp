#pragma once

// Marks functions that kernels call, too.
#ifdef __CUDACC__
#define RIDGELINE_HOST_DEVICE __host__ __device__
#else
#define RIDGELINE_HOST_DEVICE
#endif
