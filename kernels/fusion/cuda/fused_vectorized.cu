#include "kernels/fusion/cuda/row.cuh"

// As fused, with accesses of 16 bytes: four or eight elements each, so that a quarter or an eighth
// of the requests keeps as many bytes in flight. Elements of an access share the mask's random
// numbers. Bound by DRAM.
namespace ridgeline::fusion::on_cuda {
namespace {

constexpr int count = 2;  // accesses of a thread: of 8192 floats, by 1024 threads

/// r of the elements of one access, of which the first is number `index`, a multiple of 4.
template <class Element, int lanes>
__device__ __forceinline__ void activate(uint4 x, uint4 bias, uint4 residual, std::uint64_t seed,
                                         std::int64_t index, float* to) {
  const Element* const type = nullptr;
  float value[lanes], other[lanes];
  unpack(type, x, value);
  unpack(type, bias, other);
#pragma unroll
  for (int i = 0; i < lanes; ++i) value[i] += other[i];
  unpack(type, residual, other);
#pragma unroll
  for (int group = 0; group < lanes / 4; ++group) {
    const std::uint64_t bits = mask_bits(seed, index / 4 + group);
#pragma unroll
    for (int i = 4 * group; i < 4 * group + 4; ++i)
      to[i] = other[i] + gelu(value[i]) * mask_factor(bits, i % 4);
  }
}

template <class Element>
__global__ void __launch_bounds__(most_threads)
    fused_kernel(int accesses, const uint4* x, const uint4* bias, const uint4* residual,
                 const uint4* gamma, const uint4* beta, uint4* out, std::uint64_t seed) {
  constexpr int lanes = lanes_of<Element>;
  __shared__ float shared[most_threads / 32];
  const Element* const type = nullptr;
  const std::int64_t first = std::int64_t{blockIdx.x} * accesses;
  const auto at = [](int j) { return static_cast<int>(threadIdx.x + j * blockDim.x); };
  float value[count * lanes] = {};
  uint4 from[count], to_add[count];
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (at(j) < accesses) {
      from[j] = x[first + at(j)];
      to_add[j] = residual[first + at(j)];
    }
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (at(j) < accesses) {
      const uint4 of_bias = bias[at(j)];
      activate<Element, lanes>(from[j], of_bias, to_add[j], seed, (first + at(j)) * lanes,
                               value + j * lanes);
    }
  const Moments of = moments(value, std::int64_t{accesses} * lanes, shared,
                             [&](int element) { return at(element / lanes) < accesses; });
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (at(j) < accesses) {
      float scale[lanes], shift[lanes];
      const uint4 of_gamma = gamma[at(j)], of_beta = beta[at(j)];
      unpack(type, of_gamma, scale);
      unpack(type, of_beta, shift);
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        shift[i] += (value[j * lanes + i] - of.mean) * of.inverse * scale[i];
      out[first + at(j)] = pack(type, shift);
    }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    const int accesses = static_cast<int>(problem.cols / lanes_of<Element>);
    device::launch(
        {.grid = dim3(static_cast<unsigned>(problem.rows)),
         .block = dim3(threads_for(accesses, count))},
        stream, fused_kernel<Element>, accesses, static_cast<const uint4*>(operands.x),
        static_cast<const uint4*>(operands.bias), static_cast<const uint4*>(operands.residual),
        static_cast<const uint4*>(operands.gamma), static_cast<const uint4*>(operands.beta),
        static_cast<uint4*>(operands.out), operands.mask_seed);
  });
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  const device::Support support = row_in_registers(problem, facts);
  if (!support) return support;
  if (problem.cols * static_cast<std::int64_t>(size_of(problem.dtype)) % 16 != 0)
    return device::Support::unsupported("rows are whole accesses of 16 bytes");
  return support;
}

}  // namespace

Variant fused_vectorized() {
  return {"as fused, 16 bytes per access",
          {DType::f32, DType::bf16, DType::f16},
          Stored::none,
          1,
          supports,
          launch,
          [](const Problem& problem) { return traffic(problem, 6, 16); },
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 16, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::fusion::on_cuda
