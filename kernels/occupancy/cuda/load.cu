#include "kernels/occupancy/cuda/plan.cuh"

// Every thread has `independent` loads in flight and asks for the next ones only when all have
// come: where they begin depends on what the last ones held. Bound by bytes in flight (Little's
// law: latency times bandwidth, some 28 KiB per SM on an H200), however they come about: more
// warps, more loads per thread, or wider ones; then by DRAM.
namespace ridgeline::occupancy::on_cuda {
namespace {

using Kernel = void (*)(const float*, std::int64_t, unsigned*, unsigned, unsigned*);

__device__ __forceinline__ unsigned add_words(unsigned value) { return value; }
__device__ __forceinline__ unsigned add_words(uint2 value) { return value.x + value.y; }
__device__ __forceinline__ unsigned add_words(uint4 value) {
  return value.x + value.y + value.z + value.w;
}

template <class Access, int independent, int held_registers>
__device__ __forceinline__ void sum_bits(const float* in, std::int64_t elements, unsigned* sums,
                                         unsigned zero, unsigned* census) {
  enter(census);
  constexpr int floats = sizeof(Access) / sizeof(float);
  const Access* const from = reinterpret_cast<const Access*>(in);
  const std::int64_t accesses = elements / floats;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Ballast<held_registers> held;
  unsigned sum = 0;
  std::int64_t i = thread;
#pragma unroll 1
  while (i + (independent - 1) * step < accesses) {
    Access value[independent];
    const Access* at = from + i;
#pragma unroll
    for (int j = 0; j < independent; ++j, at += step) value[j] = __ldcs(at);
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < independent; ++j) bits += add_words(value[j]);
    sum += bits;
    i += independent * step + (bits & zero);
  }
#pragma unroll 1
  for (; i < accesses; i += step) sum += add_words(from[i]);
  const std::int64_t last = accesses * floats + thread;
  if (last < elements) sum += __float_as_uint(in[last]);
  sums[thread] = sum + held.dropped(sum, zero);
  leave(census);
}

template <class Access, int independent, int compiled>
__global__ void __launch_bounds__(compiled < 32 ? 512 : 1024, compiled < 32 ? 1 : compiled / 32)
    sum_limited_by_grid(const float* in, std::int64_t elements, unsigned* sums, unsigned zero,
                        unsigned* census) {
  sum_bits<Access, independent, 0>(in, elements, sums, zero, census);
}

/// Registers that the kernel needs without ballast.
constexpr int registers_of(int independent) {
  return independent == 1   ? 17
         : independent == 2 ? 19
         : independent == 4 ? 25
         : independent == 8 ? 27
                            : 35;
}
template <int warps, int independent>
constexpr int ballast = registers_for(warps) - registers_of(independent);

template <int independent, int warps>
__global__ void __launch_bounds__(small_block * 32, warps / small_block)
    sum_limited_by_registers(const float* in, std::int64_t elements, unsigned* sums, unsigned zero,
                             unsigned* census) {
  sum_bits<unsigned, independent, ballast<warps, independent>>(in, elements, sums, zero, census);
}

/// Words that a thread may have in flight in the registers that code for so many warps has.
constexpr int most_words(int compiled) { return compiled == 64 ? 4 : compiled == 32 ? 16 : 64; }

template <class Access, int independent, int compiled>
constexpr Kernel at_width() {
  if constexpr (sizeof(Access) / 4 * independent <= most_words(compiled)) {
    return sum_limited_by_grid<Access, independent, compiled>;
  } else {
    return nullptr;
  }
}

template <int independent, int compiled>
Kernel of_width(int width) {
  if (width == 4) return at_width<unsigned, independent, compiled>();
  return width == 8 ? at_width<uint2, independent, compiled>()
                    : at_width<uint4, independent, compiled>();
}

template <int independent>
Kernel of_warps(const Problem& problem) {
  if (problem.limit == Limit::registers) {
    if (problem.width != 4) return nullptr;
    if (problem.parallel == 8) return sum_limited_by_registers<independent, 8>;
    return problem.parallel == 16 ? sum_limited_by_registers<independent, 16>
                                  : sum_limited_by_registers<independent, 32>;
  }
  const int compiled = compiled_for(problem.parallel);
  if (compiled == 64) return of_width<independent, 64>(problem.width);
  return compiled == 32 ? of_width<independent, 32>(problem.width)
                        : of_width<independent, 16>(problem.width);
}

/// Null when no kernel does this problem.
Kernel kernel_for(const Problem& problem) {
  switch (problem.independent) {
    case 1:
      return of_warps<1>(problem);
    case 2:
      return of_warps<2>(problem);
    case 4:
      return of_warps<4>(problem);
    case 8:
      return of_warps<8>(problem);
    case 16:
      return of_warps<16>(problem);
    default:
      return nullptr;
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  start(problem, stream, kernel_for(problem), operands.in, problem.elements,
        static_cast<unsigned*>(operands.out), 0u, operands.census);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (problem.operation != Operation::load ||
      (problem.width != 4 && problem.width != 8 && problem.width != 16))
    return device::Support::unsupported("loads 4, 8 or 16 bytes at a time");
  const device::Support support = supports_any(problem, facts);
  if (!support) return support;
  if (kernel_for(problem) != nullptr) return support;
  if (problem.limit == Limit::registers)
    return device::Support::unsupported("beside ballast, loads are of 4 bytes");
  return device::Support::unsupported(
      "so many bytes in flight need more registers than so many warps leave");
}

Residency predict(const Problem& problem, const device::Facts& facts) {
  return predict_for(problem, facts, kernel_for(problem));
}

}  // namespace

Variant load() {
  return {"each thread has so many loads in flight, and waits for all before it asks for the next",
          Operation::load, supports, launch, predict};
}

}  // namespace ridgeline::occupancy::on_cuda
