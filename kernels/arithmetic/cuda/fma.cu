#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"
#include "kernels/arithmetic/arithmetic.hpp"

// Every thread advances eight chains by one multiply-add in turn, and 32 warps share an SM, so that
// no chain waits for its own last result. f16 comes two values to a register. Bound by the
// multiply-add units. No tensor cores.
namespace ridgeline::arithmetic::on_cuda {
namespace {

constexpr int threads = 256, chains = 8;

/// How a chain is loaded, advanced and stored: a register of `width` values.
struct F32 {
  using Register = float;
  using Element = float;
  static constexpr int width = 1;
  static __device__ __forceinline__ float all(float value) { return value; }
  static __device__ __forceinline__ float load(const float* in) { return in[0]; }
  static __device__ __forceinline__ float multiply_add(float a, float x, float b) {
    return fmaf(a, x, b);
  }
  static __device__ __forceinline__ void store(float* out, float x) { out[0] = x; }
};
struct F64 {
  using Register = double;
  using Element = double;
  static constexpr int width = 1;
  static __device__ __forceinline__ double all(float value) { return value; }
  static __device__ __forceinline__ double load(const float* in) { return in[0]; }
  static __device__ __forceinline__ double multiply_add(double a, double x, double b) {
    return fma(a, x, b);
  }
  static __device__ __forceinline__ void store(double* out, double x) { out[0] = x; }
};
struct F16 {
  using Register = __half2;
  using Element = unsigned short;
  static constexpr int width = 2;
  static __device__ __forceinline__ __half2 all(float value) { return __float2half2_rn(value); }
  static __device__ __forceinline__ float grid(float value) {
    return rintf(value * 1024.0f) * (1.0f / 1024.0f);
  }
  static __device__ __forceinline__ __half2 load(const float* in) {
    return __floats2half2_rn(grid(in[0]), grid(in[1]));
  }
  static __device__ __forceinline__ __half2 multiply_add(__half2 a, __half2 x, __half2 b) {
    return __hfma2(a, x, b);
  }
  static __device__ __forceinline__ void store(unsigned short* out, __half2 x) {
    out[0] = __half_as_ushort(__low2half(x));
    out[1] = __half_as_ushort(__high2half(x));
  }
};

template <class Type>
__global__ void __launch_bounds__(threads)
    multiply_add(const float* in, typename Type::Element* out, std::int64_t lanes,
                 std::int64_t rounds, float by, float first, float second) {
  using Register = typename Type::Register;
  constexpr int width = Type::width;
  const std::int64_t base = (std::int64_t{blockIdx.x} * threads * chains + threadIdx.x) * width;
  Register x[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    const std::int64_t at = base + std::int64_t{chain} * threads * width;
    x[chain] = at < lanes ? Type::load(in + at) : Type::all(0.0f);
  }
  const Register a = Type::all(by);
  Register b = Type::all(first), c = Type::all(second);
#pragma unroll 1
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma unroll 16  // the loop's own instructions take issue slots too
    for (int pair = 0; pair < kernels::pairs_of_round; ++pair) {
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) x[chain] = Type::multiply_add(a, x[chain], b);
#pragma unroll
      for (int chain = 0; chain < chains; ++chain) x[chain] = Type::multiply_add(a, x[chain], c);
    }
    const Register swapped = b;
    b = c;
    c = swapped;
  }
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) {
    const std::int64_t at = base + std::int64_t{chain} * threads * width;
    if (at < lanes) Type::store(out + at, x[chain]);
  }
}

template <class Type>
void start(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch(
      {.grid = dim3(device::blocks_for(problem.lanes, threads * chains * Type::width)),
       .block = dim3(threads)},
      stream, multiply_add<Type>, operands.in, static_cast<typename Type::Element*>(operands.out),
      problem.lanes, problem.rounds, static_cast<float>(kernels::step_factor),
      static_cast<float>(kernels::first_constant), static_cast<float>(kernels::second_constant));
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.dtype == DType::f32) return start<F32>(problem, operands, stream);
  if (problem.dtype == DType::f64) return start<F64>(problem, operands, stream);
  start<F16>(problem, operands, stream);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  const bool known =
      problem.dtype == DType::f32 || problem.dtype == DType::f64 || problem.dtype == DType::f16;
  if (!known) return device::Support::unsupported("multiplies and adds f32, f64 and f16");
  if (problem.dtype == DType::f16 && problem.lanes % 2 != 0)
    return device::Support::unsupported("f16 values come in pairs");
  return device::Support::yes();
}

}  // namespace

Variant fma() {
  return {"eight independent chains per thread, f16 in pairs; no tensor cores",
          {DType::f32, DType::f64, DType::f16},
          supports,
          launch};
}

}  // namespace ridgeline::arithmetic::on_cuda
