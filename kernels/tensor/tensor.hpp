#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/variant.hpp"

/// Small matrix products on registers, with memory touched only at the ends.
namespace ridgeline::tensor {

inline constexpr int edge = 16;                    // of a tile
inline constexpr int tile_elements = edge * edge;  // of A, B and D alike
inline constexpr int tiles_per_group = 4;          // tiles of D that share an A and a B

/// Group g of `groups` adds A_g B_g to `tiles_per_group` tiles and takes it away again, `rounds`
/// times, and adds it once more at the end: tile t of it ends as D = C_t + A_g B_g, where C_t is
/// t / 8 everywhere. Elements of A and B are multiples of 2^-7 in [-1, 1), so that every sum is
/// exact in f32, and yet all their bits carry information.
struct Problem {
  DType dtype = DType::f16;  // of A and B: f16, bf16 or tf32; sums are f32
  std::int64_t groups = 0;
  std::int64_t rounds = 1;

  double flops() const {
    return static_cast<double>(groups) * tiles_per_group * (2.0 * static_cast<double>(rounds) + 1) *
           2.0 * edge * edge * edge;
  }
  double bytes() const {
    return static_cast<double>(groups) * 4.0 * (2 + tiles_per_group) * tile_elements;
  }
  std::int64_t left() const { return groups * tile_elements; }   // elements of A
  std::int64_t right() const { return groups * tile_elements; }  // elements of B
  std::int64_t outputs() const { return groups * tiles_per_group * tile_elements; }
};

/// A and B of each group, row-major, as floats that the kernel rounds to multiples of 2^-7 (down,
/// from [-1, 1)); D of each tile, row-major. Device memory, aligned to 256 bytes.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;
  float* d = nullptr;
};

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
};

kernels::Table<Variant> variants();

/// Groups that keep every tensor core busy, and rounds that make one execution long against
/// starting it.
Problem problem_for(DType dtype, const device::Facts& facts);

/// Asks the device's oracle about `d` for inputs `a` and `b`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& a,
                              const kernels::RandomFloats& b, const kernels::Question&,
                              device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `d` among those checked. `d` does not depend on `rounds`: that all of them are
/// done shows in the time alone (the tests look).
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const float* d, std::uint64_t seed);

}  // namespace ridgeline::tensor
