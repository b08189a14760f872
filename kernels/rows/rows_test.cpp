#include "kernels/rows/rows.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/rows/host_inputs.hpp"
#include "kernels/rows/oracle.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"

namespace ridgeline::rows {
namespace rows_test {

using kernels::Deviation;
using kernels::GuardedOutput;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Operation operations[] = {Operation::softmax, Operation::rms_norm, Operation::layer_norm,
                                    Operation::rms_norm_backward, Operation::layer_norm_backward};

std::string text(const Problem& problem) {
  return std::string(to_string(problem.operation)) + " of " + std::to_string(problem.rows) + " x " +
         std::to_string(problem.cols) + " " + std::string(to_string(problem.dtype));
}

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  /// The output of one problem on the device, checked; null where the variant does not support it.
  std::unique_ptr<GuardedOutput> run(const Problem& problem,
                                     const HostInputs::Change& change = {}) {
    const Variant& variant = GetParam().variant;
    if (!variant.supports(problem, device->facts())) return nullptr;
    const HostInputs inputs(problem, change);
    const auto on_device = [&](const std::vector<float>& values, DType dtype) {
      return device::Buffer<std::byte>(*device, kernels::stored(values, dtype));
    };
    const auto x = on_device(inputs.x, problem.dtype), dy = on_device(inputs.dy, problem.dtype),
               gamma = on_device(inputs.gamma, problem.dtype),
               beta = on_device(inputs.beta, problem.dtype),
               rstd = on_device(inputs.rstd, DType::f32), mean = on_device(inputs.mean, DType::f32);
    device::Buffer<std::byte> workspace(
        *device, variant.workspace == nullptr ? 0 : variant.workspace(problem));
    workspace.poison();
    auto out =
        std::make_unique<GuardedOutput>(*device, static_cast<std::size_t>(problem.output_bytes()));
    variant.launch(problem,
                   {x.data(), dy.data(), gamma.data(), beta.data(),
                    reinterpret_cast<const float*>(rstd.data()),
                    reinterpret_cast<const float*>(mean.data()), out->data(), workspace.data()},
                   device->stream());
    device->synchronize();
    const Expected expected = expect(problem, inputs.sources(), 1);
    const Deviation found = deviation(*device, problem, expected, out->data());
    EXPECT_TRUE(found.right()) << text(problem) << ": error " << found.error << ", tolerance "
                               << found.tolerance;
    EXPECT_TRUE(out->guard_untouched()) << text(problem) << ": wrote beyond the end";
    return out;
  }
  /// Runs a problem of each operation and type, with elements that `change` makes of some.
  void each(std::int64_t rows, std::int64_t cols, const HostInputs::Change& change) {
    for (const Operation operation : GetParam().variant.operations)
      for (const DType dtype : GetParam().variant.dtypes)
        run({operation, rows, cols, dtype}, change);
  }
  bool supports_any() const {
    return static_cast<bool>(GetParam().variant.supports(
        {GetParam().variant.operations.front(), 8, 1024, DType::f32}, device->facts()));
  }
};

TEST_P(EveryVariant, IsRightForAnyShape) {
  if (!supports_any()) GTEST_SKIP() << "not on this device";
  std::vector<Problem> shapes = {{{}, 0, 0},    {{}, 0, 8},    {{}, 3, 0},    {{}, 1, 1},
                                 {{}, 3, 7},    {{}, 5, 8},    {{}, 2, 40},   {{}, 2, 1023},
                                 {{}, 3, 1024}, {{}, 2, 1025}, {{}, 2, 1032}, {{}, 33, 48},
                                 {{}, 300, 40}};
  if (!kernels::is_emulated(*device))
    shapes.insert(shapes.end(), {{{}, 2, 4097},
                                 {{}, 140, 4104},
                                 {{}, 134, 8192},
                                 {{}, 3, 12288},
                                 {{}, 40, 16384},
                                 {{}, 2, 32768},
                                 {{}, 2, 131072},
                                 {{}, 2, 100008}});
  int done = 0;
  for (const Operation operation : GetParam().variant.operations)
    for (const DType dtype : GetParam().variant.dtypes)
      for (const Problem& shape : shapes)
        done += run({operation, shape.rows, shape.cols, dtype}) != nullptr;
  EXPECT_GE(done, 12);
}

TEST_P(EveryVariant, IsRightWithOutliers) {
  each(4, 264, [](std::int64_t, std::int64_t col, float x) { return col % 100 == 3 ? 30 * x : x; });
}

TEST_P(EveryVariant, IsRightOfRowsOfEqualElements) {
  each(4, 264, [](std::int64_t row, std::int64_t, float) {
    const float values[] = {0, 1, -3, 1000};
    return values[row % 4];
  });
}

// Squares of such means have no digits left for the variance: see the checker's test below.
TEST_P(EveryVariant, IsRightFarFromZero) {
  for (const Operation operation : GetParam().variant.operations)
    run({operation, 4, 264, DType::f32},
        [](std::int64_t row, std::int64_t, float x) { return x + (row % 2 == 0 ? 1e4f : -3e4f); });
}

TEST_P(EveryVariant, TakesLargeMagnitudes) {
  each(4, 264,
       [](std::int64_t row, std::int64_t, float x) { return row % 2 ? 1e15f * x : 1e-15f * x; });
}

TEST_P(EveryVariant, TakesMinusInfinity) {
  if (GetParam().variant.operations.front() != Operation::softmax)
    GTEST_SKIP() << "norms of it are not defined";
  each(5, 264, [](std::int64_t row, std::int64_t col, float x) {
    if (row == 4) return -infinity;                             // nothing else
    if (row == 3) return col == 77 ? x : -infinity;             // all but one
    if (row == 2) return col < 128 ? -infinity : x;             // whole warps
    if (row == 1) return col % 2 == 0 ? -infinity : x - 3e38f;  // beside the least floats
    return col % 3 == 0 ? -infinity : x;
  });
}

TEST_P(EveryVariant, GivesTheSameBitsEachTime) {
  const Operation operation = GetParam().variant.operations.front();
  // Of the emulated device: several rows a block, and several warps a row.
  const Problem problem = kernels::is_emulated(*device) ? Problem{operation, 20, 4096, DType::f32}
                                                        : Problem{operation, 7501, 512, DType::f32};
  std::vector<std::byte> first;
  for (int again = 0; again < 3; ++again) {
    reorder(again);
    const auto out = run(problem);
    if (!out) GTEST_SKIP() << "not on this device";
    std::vector<std::byte> bits(static_cast<std::size_t>(problem.output_bytes()));
    device->download(bits.data(), out->data(), bits.size());
    if (again == 0) first = bits;
    EXPECT_EQ(bits, first) << "time " << again;
  }
}

TEST_P(EveryVariant, DoesAnyRowOrSaysWhyNot) {
  const Variant& variant = GetParam().variant;
  for (const Operation operation : operations)
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::i32})
      for (const std::int64_t cols : {1, 7, 1024, 1025, 1 << 20}) {
        const device::Support support =
            variant.supports({operation, 4, cols, dtype}, device->facts());
        EXPECT_EQ(support.reason().empty(), static_cast<bool>(support)) << cols;
        const bool listed =
            std::ranges::find(variant.operations, operation) != variant.operations.end();
        const bool taken = dtype == DType::f32 || dtype == DType::bf16;
        EXPECT_TRUE((listed && taken) || !support) << cols;
      }
}

TEST_P(EveryVariant, AsksOfMemoryWhatItSays) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  if (!supports_any()) GTEST_SKIP() << "not on this device";
  const Variant& variant = GetParam().variant;
  const Problem problem{variant.operations.front(), 64, 1024, DType::f32};
  device->take_counts();
  ASSERT_TRUE(run(problem));
  const device::Counts counts = device->take_counts();
  EXPECT_EQ(counts.launches, static_cast<std::uint64_t>(variant.kernels));
  kernels::expect_within(variant.budget, counts);
  // Bulk copies are counted by themselves, without sectors: of them, the stores are left.
  const bool bulk = std::ranges::any_of(
      counts.sites, [](const device::SiteCount& site) { return site.access == "bulk load"; });
  const int loads = problem.is_backward() ? 2 : 1;
  const double array = 4 * static_cast<double>(problem.elements()),
               moved = array * (variant.accesses - (bulk ? loads : 0)),
               asked = kernels::sector *
                       static_cast<double>(
                           kernels::requests_of(counts, "global", "load", "store", "copy").sectors);
  EXPECT_GE(asked, moved);
  // Beside the rows, each row's block reads the parameters, from L1 or L2, and what is kept; or
  // each block has sums of its own, which are read again.
  EXPECT_LE(asked, moved + (problem.is_norm() ? 5.5 * array : 0));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryVariant);  // a build without CUDA has none
INSTANTIATE_TEST_SUITE_P(Rows, EveryVariant, kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

TEST(Problem, CountsEachInputAndOutputOnce) {
  EXPECT_EQ((Problem{Operation::softmax, 10, 100, DType::bf16}.bytes()), 2 * 2 * 1000);
  EXPECT_EQ((Problem{Operation::layer_norm, 10, 100, DType::bf16}.bytes()),
            2 * 2 * 1000 + 2 * 2 * 100 + 2 * 4 * 10);
  EXPECT_EQ((Problem{Operation::rms_norm_backward, 10, 100, DType::f32}.bytes()),
            3 * 4 * 1000 + 4 * 100 + 4 * 10 + 4 * 100);
}

}  // namespace rows_test
}  // namespace ridgeline::rows
