#include "kernels/ptx/test/hopper.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/device/buffer.hpp"
#include "kernels/ptx/test/hopper_device.hpp"
#include "kernels/ptx/test/hopper_gemm.hpp"

// Bulk and tensor copies and the products of warpgroups, on the emulated device and on a GPU,
// against the tables of the PTX ISA, version 8.5 ("Register Fragments and Shared Memory Matrix
// Layouts" of wgmma) and of the CUDA C++ Programming Guide ("Swizzle modes").
namespace ridgeline::ptx::test {
namespace hopper_test {

class Hopper : public testing::Test {
 protected:
  void SetUp() override {
    kernels::TestDevice found = hopper_device();
    if (!found.device) GTEST_SKIP() << found.reason;
    device = std::move(found.device);
  }
  template <class T>
  device::Buffer<T> poisoned(std::size_t count) {
    device::Buffer<T> made(*device, count);
    made.poison();
    return made;
  }
  std::unique_ptr<device::Device> device;
};

TEST_F(Hopper, BulkCopiesGoThereAndBack) {
  for (const int count : {4, 64, 100, 4096}) {
    std::vector<unsigned> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 7u);
    const device::Buffer<unsigned> in(*device, values);
    const auto out = poisoned<unsigned>(values.size() + 4);
    increment(device->stream(), in.data(), out.data(), count);
    device->synchronize();
    const std::vector<unsigned> got = out.download();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(got[i], values[i] + 1) << i << " of " << count;
    EXPECT_EQ(got[values.size()], 0xFFFFFFFFu) << "nothing behind the end";
  }
}

TEST_F(Hopper, AThreadMayLookAtABarrierInsteadOfWaiting) {
  std::vector<unsigned> values(64);
  std::iota(values.begin(), values.end(), 100u);
  const device::Buffer<unsigned> in(*device, values);
  const auto out = poisoned<unsigned>(64);
  poll(device->stream(), in.data(), out.data());
  device->synchronize();
  const std::vector<unsigned> got = out.download();
  EXPECT_GE(got[0], 1u);
  for (std::size_t i = 1; i < 32; ++i) EXPECT_EQ(got[i], values[i] + 1);
}

struct Box {
  const char* what;
  Tensor tensor;
  int at[5];
};

const Box boxes[] = {
    {"one dimension", {{1000}, 0, {64}, 0}, {128}},
    {"one dimension, over the end", {{1000}, 0, {64}, 0}, {960}},
    {"two dimensions", {{40, 20}, 80, {16, 8}, 0}, {8, 4}},
    {"two dimensions, before and behind the tensor", {{48, 20}, 96, {16, 8}, 0}, {-8, 15}},
    {"over the end of the rows", {{48, 20}, 96, {16, 8}, 0}, {40, -3}},
    {"32 bytes of swizzle", {{64, 40}, 128, {16, 32}, 32}, {16, 3}},
    {"64 bytes of swizzle", {{64, 40}, 128, {32, 32}, 64}, {8, 3}},
    {"128 bytes of swizzle", {{128, 80}, 256, {64, 64}, 128}, {32, 5}},
    {"128 bytes of swizzle, over the end", {{104, 30}, 208, {64, 64}, 128}, {48, 5}},
    {"three dimensions", {{24, 6, 5}, 48, {8, 3, 4}, 0}, {8, 2, 2}},
    {"four dimensions", {{24, 6, 5, 3}, 48, {8, 3, 2, 2}, 0}, {16, 1, 0, 1}},
    {"five dimensions", {{16, 4, 3, 3, 4}, 32, {8, 2, 2, 2, 2}, 0}, {8, 1, 2, 1, 2}},
};

/// Calls each(index in the box's memory, element of the tensor's memory, or -1 outside).
template <class Each>
void each_element(const Box& box, Each&& each) {
  const Tensor& tensor = box.tensor;
  const std::size_t rank = tensor.sizes.size();
  std::size_t count = 1;
  for (const std::uint32_t extent : tensor.box) count *= extent;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    std::int64_t element = 0, stride = 1;
    bool inside = true;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t index = static_cast<std::int64_t>(rest % tensor.box[d]) + box.at[d];
      rest /= tensor.box[d];
      inside = inside && index >= 0 && index < static_cast<std::int64_t>(tensor.sizes[d]);
      element += index * stride;
      stride = d == 0 ? static_cast<std::int64_t>(tensor.pitch_bytes / 2)
                      : stride * static_cast<std::int64_t>(tensor.sizes[d]);
    }
    // Pieces of 16 bytes: number p of row r goes to p ^ (r % 8), to p ^ (r / 2 % 4), or to p ^
    // (r / 4 % 2).
    std::size_t place = i;
    if (tensor.swizzle_bytes != 0) {
      const std::size_t row_elements = tensor.swizzle_bytes / 2, row = i / row_elements;
      const std::size_t turn = tensor.swizzle_bytes == 128  ? row % 8
                               : tensor.swizzle_bytes == 64 ? row / 2 % 4
                                                            : row / 4 % 2;
      place = row * row_elements + (i % row_elements / 8 ^ turn) * 8 + i % 8;
    }
    each(place, inside ? element : -1);
  }
}

std::size_t memory_of(const Tensor& tensor) {
  std::size_t elements = tensor.sizes.size() == 1 ? tensor.sizes[0] : tensor.pitch_bytes / 2;
  for (std::size_t d = 1; d < tensor.sizes.size(); ++d) elements *= tensor.sizes[d];
  return elements;
}

TEST_F(Hopper, BoxesOfTensorsComeAsTheirMapSays) {
  for (const Box& box : boxes) {
    std::vector<unsigned short> values(memory_of(box.tensor));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned short>(i + 1);
    const device::Buffer<unsigned short> memory(*device, values);
    const auto out = poisoned<unsigned short>(8192);
    load_box_at(device->stream(), box.tensor, memory.data(), box.at, out.data());
    device->synchronize();
    const std::vector<unsigned short> got = out.download();
    each_element(box, [&](std::size_t place, std::int64_t element) {
      ASSERT_EQ(got[place], element < 0 ? 0 : values[static_cast<std::size_t>(element)])
          << box.what << ", " << place;
    });
  }
}

TEST_F(Hopper, BoxesOfTensorsGoWhereTheirMapSays) {
  for (Box box : boxes) {
    for (int& at : box.at) at = std::max(at, 0);  // loads alone may begin before the tensor
    const auto memory = poisoned<unsigned short>(memory_of(box.tensor));
    store_box_at(device->stream(), box.tensor, memory.data(), box.at);
    device->synchronize();
    std::vector<unsigned short> expected(memory_of(box.tensor), 0xFFFF);
    each_element(box, [&](std::size_t place, std::int64_t element) {
      if (element >= 0)
        expected[static_cast<std::size_t>(element)] = static_cast<unsigned short>(place + 1);
    });
    ASSERT_EQ(memory.download(), expected) << box.what;
  }
}

// On an H100 these are illegal instructions, which end the program's use of it; and rows that end
// inside a piece of 16 bytes are written beyond their end.
TEST_F(Hopper, BoxesThatAGpuDoesNotTakeAreRefused) {
  if (device->facts().kind != device::Kind::emulated) GTEST_SKIP() << "an illegal instruction";
  const auto said = [&](const Tensor& tensor, int x, int y) {
    const int at[5] = {x, y};
    const auto memory = poisoned<unsigned short>(memory_of(tensor));
    try {
      store_box_at(device->stream(), tensor, memory.data(), at);
      device->synchronize();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(said({{40, 20}, 80, {16, 8}, 0}, 8, 4), "nothing");
  EXPECT_EQ(contains(said({{40, 20}, 80, {16, 8}, 0}, 5, 4), "misaligned"), true);
  EXPECT_EQ(contains(said({{40, 20}, 80, {16, 8}, 0}, 8, -3), "out of bounds"), true);
  EXPECT_EQ(contains(said({{44, 20}, 96, {16, 8}, 0}, 8, 4), "unsupported: cp.async.bulk.tensor"),
            true);
}

/// Element (row, column) of 64 x columns sums: which thread of the warpgroup holds it, in which
/// register.
std::size_t place_of_sum(int row, int column, int columns) {
  const int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
  const int i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  return static_cast<std::size_t>(thread) * (columns / 2) + i;
}

TEST_F(Hopper, ProductsOfWarpgroupsLieAsTheTablesSay) {
  struct Shape {
    Element element;
    int columns;
  };
  for (const Shape& shape : {Shape{Element::f16, 64},
                             {Element::bf16, 64},
                             {Element::f16, 128},
                             {Element::bf16, 128},
                             {Element::f16, 256},
                             {Element::bf16, 256},
                             {Element::tf32, 256},
                             {Element::e4m3, 128},
                             {Element::e4m3, 256}})
    for (const unsigned swizzle : {0u, 32u, 64u, 128u}) {
      const DType dtype = shape.element == Element::tf32   ? DType::f32
                          : shape.element == Element::e4m3 ? DType::e4m3
                          : shape.element == Element::f16  ? DType::f16
                                                           : DType::bf16;
      const int depth =
          static_cast<int>(swizzle == 0 ? 32 : swizzle) / static_cast<int>(size_of(dtype));
      // Whole numbers that every type holds; the product is exact.
      const auto a = [](int row, int k) { return static_cast<float>((row * 7 + k * 3) % 17 - 8); };
      const auto b = [](int column, int k) {
        return static_cast<float>((column * 5 + k * 11) % 13 - 6);
      };
      const auto stored = [&](int rows, auto&& value) {
        std::vector<float> values;
        for (int row = 0; row < rows; ++row)
          for (int k = 0; k < depth; ++k) values.push_back(value(row, k));
        return kernels::stored(values, dtype);
      };
      const device::Buffer<std::byte> left(*device, stored(64, a)),
          right(*device, stored(shape.columns, b));
      const auto sums = poisoned<float>(static_cast<std::size_t>(shape.columns) * 64);
      multiply_group(device->stream(), shape.element, shape.columns, swizzle, left.data(),
                     right.data(), sums.data());
      device->synchronize();
      const std::vector<float> got = sums.download();
      for (int row = 0; row < 64; ++row)
        for (int column = 0; column < shape.columns; ++column) {
          float sum = 0;
          for (int k = 0; k < depth; ++k) sum += a(row, k) * b(column, k);
          ASSERT_EQ(got[place_of_sum(row, column, shape.columns)], sum)
              << "type " << static_cast<int>(shape.element) << ", " << shape.columns
              << " columns, swizzle " << swizzle << ", row " << row << ", column " << column;
        }
    }
}

TEST_F(Hopper, ProductsTakeARowMajorRightFactor) {
  constexpr int columns = 256;
  for (const Element element : {Element::f16, Element::bf16})
    for (const unsigned swizzle : {32u, 64u, 128u}) {
      const int depth = static_cast<int>(swizzle) / 2;
      const auto a = [](int row, int k) { return static_cast<float>((row * 7 + k * 3) % 17 - 8); };
      const auto b = [](int k, int column) {
        return static_cast<float>((column * 5 + k * 11) % 13 - 6);
      };
      const auto stored = [&](int rows, int width, auto&& value) {
        std::vector<float> values;
        for (int row = 0; row < rows; ++row)
          for (int i = 0; i < width; ++i) values.push_back(value(row, i));
        return kernels::stored(values, element == Element::f16 ? DType::f16 : DType::bf16);
      };
      const device::Buffer<std::byte> left(*device, stored(64, depth, a)),
          right(*device, stored(depth, columns, b));
      const auto sums = poisoned<float>(std::size_t{columns} * 64);
      multiply_transposed_group(device->stream(), element, swizzle, left.data(), right.data(),
                                sums.data());
      device->synchronize();
      const std::vector<float> got = sums.download();
      for (int row = 0; row < 64; ++row)
        for (int column = 0; column < columns; ++column) {
          float sum = 0;
          for (int k = 0; k < depth; ++k) sum += a(row, k) * b(k, column);
          ASSERT_EQ(got[place_of_sum(row, column, columns)], sum)
              << "type " << static_cast<int>(element) << ", swizzle " << swizzle << ", row " << row
              << ", column " << column;
        }
    }
}

TEST_F(Hopper, ProductsTakeALeftFactorFromRegisters) {
  for (const Element element : {Element::f16, Element::bf16})
    for (const int columns : {64, 128})
      for (const unsigned swizzle : {32u, 64u, 128u})
        for (const bool transposed : {false, true}) {
          const int depth = transposed ? 32 : static_cast<int>(swizzle) / 2;
          // Whole numbers that both types hold; the product is exact.
          const auto a = [](int row, int k) {
            return static_cast<float>((row * 7 + k * 3) % 17 - 8);
          };
          const auto b = [](int column, int k) {
            return static_cast<float>((column * 5 + k * 11) % 13 - 6);
          };
          std::vector<float> of_a, of_b;
          for (int row = 0; row < 64; ++row)
            for (int k = 0; k < depth; ++k) of_a.push_back(a(row, k));
          for (int i = 0; i < columns * depth; ++i)
            of_b.push_back(transposed ? b(i % columns, i / columns) : b(i / depth, i % depth));
          const DType dtype = element == Element::f16 ? DType::f16 : DType::bf16;
          const device::Buffer<std::byte> left(*device, kernels::stored(of_a, dtype)),
              right(*device, kernels::stored(of_b, dtype));
          const auto sums = poisoned<float>(static_cast<std::size_t>(columns) * 64);
          multiply_from_registers(device->stream(), element, columns, swizzle, transposed,
                                  left.data(), right.data(), sums.data());
          device->synchronize();
          const std::vector<float> got = sums.download();
          for (int row = 0; row < 64; ++row)
            for (int column = 0; column < columns; ++column) {
              float sum = 0;
              for (int k = 0; k < depth; ++k) sum += a(row, k) * b(column, k);
              ASSERT_EQ(got[place_of_sum(row, column, columns)], sum)
                  << "type " << static_cast<int>(element) << ", " << columns << " columns, swizzle "
                  << swizzle << (transposed ? ", transposed" : "") << ", row " << row << ", column "
                  << column;
            }
        }
}

// A large product, and others that are small beside it: what is below 2^-13 of the largest one's
// power of two is cut off, towards zero, of each product by itself.
TEST_F(Hopper, SumsOfE4m3AreCut) {
  constexpr int columns = 128, depth = 32;
  const auto sum_of = [&](float large, float small, int count) {
    std::vector<float> a(std::size_t{64} * depth, 1.0f), b(std::size_t{columns} * depth, 0.0f);
    for (int column = 0; column < columns; ++column) {
      b[static_cast<std::size_t>(column) * depth] = large;
      for (int k = 1; k <= count; ++k) b[static_cast<std::size_t>(column) * depth + k] = small;
    }
    const device::Buffer<std::byte> left(*device, kernels::stored(a, DType::e4m3)),
        right(*device, kernels::stored(b, DType::e4m3));
    const auto sums = poisoned<float>(std::size_t{columns} * 64);
    multiply_group(device->stream(), Element::e4m3, columns, 0, left.data(), right.data(),
                   sums.data());
    device->synchronize();
    return sums.download().front();
  };
  EXPECT_EQ(sum_of(64, 0x1p-7f, 16), 64.125f);            // 2^6 * 2^-13 is kept
  EXPECT_EQ(sum_of(64, 0x1p-8f, 16), 64.0f);              // half of that is not
  EXPECT_EQ(sum_of(64, 0x1p-7f + 0x1p-8f, 16), 64.125f);  // 1.5 of it become 1
  EXPECT_EQ(sum_of(-64, -0x1p-8f - 0x1p-7f, 16), -64.125f);
  EXPECT_EQ(sum_of(1, 0x1p-9f, 31), 1 + 31 * 0x1p-9f);
}

TEST_F(Hopper, AKernelMayBeginBeforeTheLastOneHasEnded) {
  const auto out = poisoned<unsigned>(128);
  for (int i = 0; i < 3; ++i) begin_early(device->stream(), true, out.data());
  device->synchronize();
  EXPECT_EQ(out.download(), std::vector<unsigned>(128, 1));
  if (device->facts().kind != device::Kind::emulated) return;
  try {
    begin_early(device->stream(), false, out.data());
    device->synchronize();
    ADD_FAILURE() << "nothing was found";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("too early"), std::string::npos) << error.what();
  }
}

TEST_F(Hopper, WarpgroupsShareOutTheirRegisters) {
  const auto out = poisoned<unsigned>(256);
  share_registers(device->stream(), out.data());
  device->synchronize();
  const std::vector<unsigned> got = out.download();
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(got[i], i < 128 ? 1u : 2u);
}

TEST_F(Hopper, MultipliesTilesInAPipeline) {
  struct Size {
    int m, n, k;
  };
  for (const Size& size : {Size{64, 128, 64},
                           {64, 128, 128},
                           {128, 256, 512},
                           {1, 4, 8},
                           {65, 132, 72},
                           {200, 100, 320}}) {
    const auto number = [](int i, int seed) {
      return static_cast<float>(((i * 31 + seed) * 7 & 15) - 8);
    };
    std::vector<float> a(static_cast<std::size_t>(size.m) * size.k),
        b(static_cast<std::size_t>(size.n) * size.k);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = number(static_cast<int>(i), 3);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = number(static_cast<int>(i), 8);
    const device::Buffer<std::byte> left(*device, kernels::stored(a, DType::bf16)),
        right(*device, kernels::stored(b, DType::bf16));
    const auto c = poisoned<float>(static_cast<std::size_t>(size.m) * size.n);
    multiply_tiles(
        device->stream(), Mutation::none, reinterpret_cast<const unsigned short*>(left.data()),
        reinterpret_cast<const unsigned short*>(right.data()), c.data(), size.m, size.n, size.k);
    device->synchronize();
    const std::vector<float> got = c.download();
    for (int row = 0; row < size.m; ++row)
      for (int column = 0; column < size.n; ++column) {
        float sum = 0;
        for (int k = 0; k < size.k; ++k)
          sum += a[static_cast<std::size_t>(row) * size.k + k] *
                 b[static_cast<std::size_t>(column) * size.k + k];
        ASSERT_EQ(got[static_cast<std::size_t>(row) * size.n + column], sum)
            << size.m << " x " << size.n << " x " << size.k << ", row " << row << ", column "
            << column;
      }
  }
}

}  // namespace hopper_test
}  // namespace ridgeline::ptx::test
