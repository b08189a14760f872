#include "kernels/memory/memory.hpp"
#include "kernels/simd/vectors.hpp"

// One access moves 4, 8 or 16 bytes. Bound by instructions while the data lies in a cache; from
// DRAM by the lines that come and go, which do not depend on the width.
namespace ridgeline::memory::on_cpu {
namespace {

/// Moves as one access of `width` bytes.
template <int width>
struct alignas(width) Access {
  float elements[width / 4];
};

template <int width>
void copy_wide(const float* in, float* out, std::int64_t elements) {
  constexpr int floats = width / 4;
  const std::int64_t accesses = elements / floats;
  const auto* const from = reinterpret_cast<const Access<width>*>(in);
  auto* const to = reinterpret_cast<Access<width>*>(out);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < accesses; ++i) {
    to[i] = from[i];
    simd::keep_accesses();
  }
  for (std::int64_t i = accesses * floats; i < elements; ++i) out[i] = in[i];
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto copy = problem.width == 16  ? copy_wide<16>
                    : problem.width == 8 ? copy_wide<8>
                                         : copy_wide<4>;
  copy(operands.in, operands.out, problem.elements);
}

}  // namespace

Variant wide() { return {"one access moves 4, 8 or 16 bytes", only_width, launch, cpu_traffic}; }

}  // namespace ridgeline::memory::on_cpu
