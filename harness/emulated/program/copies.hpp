#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <cuda_runtime_api.h>

#include "harness/emulated/program/streams.hpp"

namespace ridgeline::program {

/// Of sizes that the program says; as much as there can be where it is more than that.
inline std::size_t capped_product(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
}

/// cudaMalloc(), by a call that returns to `pc`; the memory is called by `name` and a number.
cudaError_t allocate_device(void** to, std::size_t bytes, const char* name, std::uint32_t pc);
/// That a stream is captured for a call that is not modelled then, which ends the program.
void refuse_in_capture(cudaStream_t stream, const char* call, std::uint32_t pc);
/// cudaFree() by the name `call`, which returns to `pc`.
cudaError_t release(void* memory, const char* call, std::uint32_t pc);

/// cudaMemcpy() by the name `call`, which returns to `pc`. What is wrong with it becomes a finding.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, std::uint32_t pc);
/// cudaMemset() of `count` elements, likewise.
cudaError_t set(void* to, unsigned value, unsigned element_bytes, std::size_t count,
                const char* call, std::uint32_t pc);
/// Both as what a stream is asked for; of rows, as a node of a graph has them.
Work linear_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, std::uint32_t pc);
Work set_work(const cudaMemsetParams& of, const char* call, std::uint32_t pc);
/// cudaMemcpy3D().
Work copy_work(const cudaMemcpy3DParms& of, const char* call, std::uint32_t pc);
/// In the stream that is there by itself, behind which the host waits.
cudaError_t at_once(const char* call, std::uint32_t pc, const Work& work);

/// Whether it lies in a variable of the program, as those of __device__ and __constant__ do.
bool is_program_variable(const void* memory);

}  // namespace ridgeline::program
