#include "kernels/attention/masked_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/attention/attention.hpp"
#include "kernels/test_device.hpp"

namespace ridgeline::attention {
namespace masked_softmax_test {

constexpr float not_read = std::numeric_limits<float>::quiet_NaN();

class MaskedSoftmax : public testing::TestWithParam<device::Kind> {
 protected:
  void SetUp() override {
    found = kernels::test_device(GetParam());
    if (!found.device) GTEST_SKIP() << found.reason;
  }

  /// `heads` times `queries` rows of N(0, 25), with NaN behind the keys of each row.
  void check(std::int64_t heads, std::int64_t queries, std::int64_t keys, bool causal,
             DType dtype = DType::bf16) {
    const std::int64_t rows = heads * queries, stride = (keys + 7) / 8 * 8;
    const float factor = 0.3f;
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, 5);
    std::vector<float> scores(static_cast<std::size_t>(rows * stride), not_read);
    for (std::int64_t i = 0; i < rows * stride; ++i)
      if (i % stride < keys)
        scores[static_cast<std::size_t>(i)] = kernels::rounded(normal(random), dtype);

    kernels::GuardedOutput memory(*found.device, scores.size() * 2);
    const std::vector<std::byte> bytes = kernels::stored(scores, dtype);
    found.device->upload(memory.data(), bytes.data(), bytes.size());
    on_cuda::masked_softmax({memory.data(), rows, queries, keys, stride, causal, factor, dtype},
                            found.device->stream());
    found.device->synchronize();
    std::vector<std::uint16_t> written(scores.size());
    found.device->download(written.data(), memory.data(), bytes.size());
    EXPECT_TRUE(memory.guard_untouched());

    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t seen = causal ? std::min(row % queries + 1, keys) : keys;
      const auto first = scores.begin() + row * stride;
      const double largest = *std::max_element(first, first + seen);
      double sum = 0;
      for (std::int64_t j = 0; j < seen; ++j) sum += std::exp(factor * (first[j] - largest));
      for (std::int64_t j = 0; j < keys; ++j) {
        const double right = j < seen ? std::exp(factor * (first[j] - largest)) / sum : 0;
        const std::uint16_t bits = written[static_cast<std::size_t>(row * stride + j)];
        const float got = dtype == DType::f16 ? from_f16(bits) : from_bf16(bits);
        const double smallest = dtype == DType::f16 ? 0x1p-24 : 1e-37;  // subnormal steps
        ASSERT_NEAR(got, right, right * (unit_roundoff(dtype) + 1e-5) + smallest)
            << "row " << row << ", key " << j << " of " << keys;
      }
    }
  }

  kernels::TestDevice found;
};

TEST_P(MaskedSoftmax, IsRightForAnyLength) {
  for (const bool causal : {false, true})
    for (const std::int64_t keys : {1, 7, 8, 9, 256, 257, 513})
      for (const DType dtype : {DType::bf16, DType::f16})
        check(2, causal ? keys : 3, keys, causal, dtype);
}

/// Two and four accesses a thread, and rows that are read twice.
TEST_P(MaskedSoftmax, IsRightForLongRows) {
  for (const std::int64_t keys : {1000, 4100, 32773}) {
    check(1, 2, keys, false);
    check(1, 2, keys, true);
    check(1, 2, keys, false, DType::f16);
  }
}

TEST_P(MaskedSoftmax, DoesNothingForNothing) {
  check(0, 1, 8, false);
  check(1, 0, 8, true);
}

INSTANTIATE_TEST_SUITE_P(Attention, MaskedSoftmax,
                         testing::Values(device::Kind::cuda, device::Kind::emulated),
                         [](const auto& info) {
                           return std::string(device::to_string(info.param)) + "_device";
                         });

}  // namespace masked_softmax_test
}  // namespace ridgeline::attention
