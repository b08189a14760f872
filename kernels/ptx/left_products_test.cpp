#include "kernels/ptx/test/left_products.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "kernels/ptx/test/hopper_device.hpp"

// Products of warpgroups whose left factor lies in shared memory, rows or columns after each other,
// on the emulated device and on a GPU.
namespace ridgeline::ptx::test {
namespace left_products_test {

TEST(LeftProducts, TakeRowsOrColumns) {
  const kernels::TestDevice found = hopper_device();
  if (!found.device) GTEST_SKIP() << found.reason;
  device::Device& device = *found.device;
  // Whole numbers that both types hold; the product is exact.
  const auto a = [](int row, int k) { return static_cast<float>((row * 7 + k * 3) % 17 - 8); };
  const auto b = [](int column, int k) {
    return static_cast<float>((column * 5 + k * 11) % 13 - 6);
  };
  for (const bool bf16 : {false, true})
    for (const int columns : {64, 80, 128})
      for (const bool transposed : {false, true}) {
        std::vector<float> of_a, of_b;
        for (int i = 0; i < 64 * 64; ++i)
          of_a.push_back(transposed ? a(i % 64, i / 64) : a(i / 64, i % 64));
        for (int i = 0; i < columns * 64; ++i) of_b.push_back(b(i / 64, i % 64));
        const DType dtype = bf16 ? DType::bf16 : DType::f16;
        const device::Buffer<std::byte> left(device, kernels::stored(of_a, dtype)),
            right(device, kernels::stored(of_b, dtype));
        device::Buffer<float> sums(device, static_cast<std::size_t>(columns) * 64);
        sums.poison();
        multiply_left(device.stream(), bf16, columns, transposed, left.data(), right.data(),
                      sums.data());
        device.synchronize();
        const std::vector<float> got = sums.download();
        for (int row = 0; row < 64; ++row)
          for (int column = 0; column < columns; ++column) {
            float sum = 0;
            for (int k = 0; k < 64; ++k) sum += a(row, k) * b(column, k);
            const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2,
                      place = column / 8 * 4 + row / 8 % 2 * 2 + column % 2;
            ASSERT_EQ(got[static_cast<std::size_t>(thread * columns / 2 + place)], sum)
                << (bf16 ? "bf16" : "f16") << (transposed ? ", transposed, " : ", ") << columns
                << " columns, row " << row << ", column " << column;
          }
      }
}

}  // namespace left_products_test
}  // namespace ridgeline::ptx::test
