#include "kernels/attention_backward/attention_backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/attention_backward/oracle.hpp"
#include "kernels/test_counts.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_inputs.hpp"

namespace ridgeline::attention_backward {
namespace attention_backward_test {

using kernels::Deviation;

std::string describe(const Problem& problem) {
  return "batch=" + std::to_string(problem.batch) + " heads=" + std::to_string(problem.heads) +
         " kv_heads=" + std::to_string(problem.heads / problem.group()) +
         " seq=" + std::to_string(problem.seq) + " dim=" + std::to_string(problem.dim) + " " +
         std::string(to_string(problem.mask)) + " " +
         std::string(ridgeline::to_string(problem.dtype));
}

/// N(0, 1); that with one element in 500 N(0, 100), so that some softmaxes become one-hot; that
/// with magnitudes from nearly 0 to 16 along the rows of a head, or back, as inputs of the suite
/// have them; scores that are all about -300, so that a key that is not there would stand far above
/// all others.
enum class Values { normal, outliers, growing, falling, low };

std::vector<float> random_values(const Problem& problem, std::int64_t count, Values values,
                                 unsigned seed) {
  std::vector<float> made =
      kernels::normal_values(count, problem.dtype, values == Values::outliers, seed);
  if (values == Values::growing || values == Values::falling)
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = i / problem.dim % problem.seq,
                         size = values == Values::growing ? row + 1 : problem.seq - row;
      float& value = made[static_cast<std::size_t>(i)];
      value = kernels::rounded(
          value * 16 * static_cast<float>(size) / static_cast<float>(problem.seq), problem.dtype);
    }
  return made;
}

/// Inputs of a problem, on the host.
struct Inputs {
  explicit Inputs(const Problem& problem, Values values = Values::normal)
      : q(random_values(problem, problem.elements(), values, 1)),
        k(random_values(problem, problem.kv_elements(), values, 2)),
        v(random_values(problem, problem.kv_elements(), values, 3)),
        d_o(random_values(problem, problem.elements(), values, 4)) {
    if (values != Values::low) return;
    const float level = 300.0f / std::sqrt(static_cast<float>(problem.dim));
    for (float& value : q) value = 1;
    for (float& value : k) value = kernels::rounded(value / 8 - level, problem.dtype);
  }
  Sources sources() const {
    return {kernels::source_of(q), kernels::source_of(k), kernels::source_of(v),
            kernels::source_of(d_o)};
  }
  std::vector<float> q, k, v, d_o;
};

class EveryVariant : public kernels::VariantTest<Variant> {
 protected:
  void SetUp() override {
    VariantTest::SetUp();
    if (IsSkipped()) return;
    const Variant& variant = GetParam().variant;
    const device::Support support =
        variant.supports({1, 1, 64, 128, Mask::full, variant.dtypes.front()}, device->facts());
    if (support.kind() == device::Support::Kind::unavailable) GTEST_SKIP() << support.reason();
  }
  struct Result {
    Deviation deviation;
    std::vector<std::byte> bytes;  // of all outputs
  };
  Result run(const Problem& problem, Values values = Values::normal) {
    const Inputs host(problem, values);
    return run(problem, host, forward(problem, host.sources()));
  }
  Result run(const Problem& problem, const Inputs& host, const Forward& left, bool judged = true) {
    const Variant& variant = GetParam().variant;
    const auto stored = [&](const std::vector<float>& of) {
      return device::Buffer<std::byte>(*device, kernels::stored(of, problem.dtype));
    };
    const device::Buffer<std::byte> q = stored(host.q), k = stored(host.k), v = stored(host.v),
                                    o = stored(left.o), d_o = stored(host.d_o);
    const device::Buffer<float> logarithms(*device, left.logarithms);
    const auto bytes = [&](std::int64_t elements) {
      return static_cast<std::size_t>(elements) * size_of(problem.dtype);
    };
    const kernels::GuardedOutput dq(*device, bytes(problem.elements())),
        dk(*device, bytes(problem.kv_elements())), dv(*device, bytes(problem.kv_elements())),
        workspace(*device, variant.workspace == nullptr ? 0 : variant.workspace(problem));
    variant.launch(problem,
                   {q.data(), k.data(), v.data(), o.data(), d_o.data(), logarithms.data(),
                    dq.data(), dk.data(), dv.data(), workspace.data()},
                   device->stream());
    device->synchronize();
    for (const auto& [output, name] : {std::pair(&dq, "dQ"), {&dk, "dK"}, {&dv, "dV"}})
      EXPECT_TRUE(output->guard_untouched()) << describe(problem) << ": wrote beyond " << name;
    EXPECT_TRUE(workspace.guard_untouched()) << describe(problem) << ": wrote beyond the workspace";
    Result result;
    if (judged)
      result.deviation = deviation(*device, problem, expect(problem, host.sources()),
                                   {dq.data(), dk.data(), dv.data()});
    for (const auto& [output, elements] : {std::pair(&dq, problem.elements()),
                                           {&dk, problem.kv_elements()},
                                           {&dv, problem.kv_elements()}}) {
      const std::size_t before = result.bytes.size();
      result.bytes.resize(before + bytes(elements));
      if (elements != 0) device->download(&result.bytes[before], output->data(), bytes(elements));
    }
    return result;
  }
  /// Whether it is for GPUs of compute capability 9.0 alone: its blocks have one tile after
  /// another, and an emulated device, which follows few accesses of its products, gets through more
  /// sizes.
  bool needs_wgmma() const {
    const Variant& variant = GetParam().variant;
    device::Facts older = device->facts();
    older.capability = 80;
    return !variant.supports({1, 1, 64, 128, Mask::full, variant.dtypes.front()}, older);
  }
  /// Sizes of heads: tiles of one may differ from those of the other.
  std::vector<std::int64_t> dims() const {
    if (kernels::is_emulated(*device) && !needs_wgmma()) return {128};
    return {64, 128};
  }
  void check(const Problem& problem, Values values = Values::normal) {
    const device::Support support = GetParam().variant.supports(problem, device->facts());
    if (!support) {
      EXPECT_EQ(problem.seq, 1) << describe(problem) << ": " << support.reason();
      return;
    }
    const Deviation deviation = run(problem, values).deviation;
    EXPECT_TRUE(deviation.right())
        << describe(problem) << ", values " << static_cast<int>(values) << ": error "
        << deviation.error << ", tolerance " << deviation.tolerance;
  }
};

TEST_P(EveryVariant, IsRightForAnyLength) {
  const std::vector<std::int64_t> all{0,  1,  2,  7,  15,  16,  17,  31,  32,  33,  63,  64,
                                      65, 79, 80, 81, 127, 128, 129, 159, 161, 240, 257, 300},
      tiles{0, 1, 65, 80, 81, 127, 128, 129, 257}, few{0, 1, 65};
  const bool emulated = kernels::is_emulated(*device);
  for (const DType dtype : GetParam().variant.dtypes)
    for (const Mask mask : {Mask::full, Mask::causal})
      for (const std::int64_t dim : {64, 128})
        for (const std::int64_t seq : !emulated ? all : needs_wgmma() ? tiles : few) {
          if (emulated && !needs_wgmma() && dim == 64 && seq != 65) continue;
          check({1, emulated ? 1 : 2, seq, dim, mask, dtype});
        }
}

TEST_P(EveryVariant, KeepsHeadsApart) {
  const DType dtype = GetParam().variant.dtypes.front();
  for (const std::int64_t dim : dims()) {
    check({2, 3, 70, dim, Mask::causal, dtype});
    check({0, 3, 70, dim, Mask::full, dtype});
    check({1, 0, 70, dim, Mask::full, dtype});
  }
}

TEST_P(EveryVariant, GroupsQueries) {
  const DType dtype = GetParam().variant.dtypes.front();
  for (const Mask mask : {Mask::full, Mask::causal})
    for (const std::int64_t dim : dims()) {
      check({1, 2, 65, dim, mask, dtype, /*kv_heads=*/1});
      if (needs_wgmma()) check({1, 4, 150, dim, mask, dtype, /*kv_heads=*/2});
      if (!kernels::is_emulated(*device))
        check({2, 6, GetParam().kind == device::Kind::cuda ? 300 : 130, dim, mask, dtype,
               /*kv_heads=*/2});
    }
  EXPECT_FALSE(GetParam().variant.supports({1, 6, 65, 128, Mask::full, dtype, /*kv_heads=*/4},
                                           device->facts()))
      << "no divisor";
}

/// More tiles than a GPU has SMs, so that blocks have one after another, and long causal columns.
TEST_P(EveryVariant, IsRightForManyTiles) {
  const bool is_gpu = GetParam().kind == device::Kind::cuda;
  const std::vector<DType>& dtypes = GetParam().variant.dtypes;
  for (const Mask mask : {Mask::full, Mask::causal})
    for (const std::int64_t dim : dims()) {
      if (!is_gpu) check({1, 1, 150, dim, mask, dtypes.back()});
      if (!is_gpu && needs_wgmma()) check({1, 1, 400, dim, mask, dtypes.back()});
      for (const DType dtype : dtypes) {
        if (!is_gpu) continue;
        check({5, 14, 130, dim, mask, dtype});
        check({1, 1, 700, dim, mask, dtype});
      }
    }
}

/// On so few SMs that blocks have tiles of several heads one after another, and those of a head are
/// not under way at one time.
TEST_P(EveryVariant, EndsWhereBlocksAreFew) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "GPUs have as many SMs as they have";
  if (!needs_wgmma()) GTEST_SKIP() << "its blocks end after one tile";
  const DType dtype = GetParam().variant.dtypes.front();
  const std::string few = device->facts().id + "/3";
  device.reset();
  device = device::open(few);
  EXPECT_EQ(device->facts().units, 3);
  for (const std::int64_t dim : dims())
    for (const Mask mask : {Mask::full, Mask::causal}) check({1, 3, 241, dim, mask, dtype});
  check({1, 4, 150, 64, Mask::causal, dtype, /*kv_heads=*/2});
}

/// With so many long heads that no block could do without several tiles: they take a while to fill
/// on a host, so that zeros do here. It is wrong where it does not end.
TEST_P(EveryVariant, EndsWithManyLongHeads) {
  if (GetParam().kind != device::Kind::cuda) GTEST_SKIP() << "too much for a host";
  const Variant& variant = GetParam().variant;
  for (const auto& [heads, dim] :
       {std::pair<std::int64_t, std::int64_t>(8, 128), {64, 128}, {64, 64}}) {
    const Problem problem{1, heads, 4096, dim, Mask::causal, variant.dtypes.front()};
    if (!variant.supports(problem, device->facts())) continue;
    const std::size_t bytes = static_cast<std::size_t>(problem.elements()) * size_of(problem.dtype);
    const device::Buffer<std::byte> in(*device, std::vector<std::byte>(bytes));
    const device::Buffer<float> logarithms(
        *device, std::vector<float>(static_cast<std::size_t>(problem.rows())));
    const kernels::GuardedOutput dq(*device, bytes), dk(*device, bytes), dv(*device, bytes),
        workspace(*device, variant.workspace == nullptr ? 0 : variant.workspace(problem));
    for (int again = 0; again < 20; ++again)
      variant.launch(problem,
                     {in.data(), in.data(), in.data(), in.data(), in.data(), logarithms.data(),
                      dq.data(), dk.data(), dv.data(), workspace.data()},
                     device->stream());
    device->synchronize();
    EXPECT_TRUE(workspace.guard_untouched()) << describe(problem);
  }
}

TEST_P(EveryVariant, IsRightWhateverTheValues) {
  const bool emulated = kernels::is_emulated(*device);
  for (const DType dtype : GetParam().variant.dtypes)
    for (const Values values : {Values::outliers, Values::growing, Values::falling, Values::low})
      for (const Mask mask : {Mask::full, Mask::causal})
        for (const std::int64_t dim : dims()) {
          if (emulated && !needs_wgmma() && mask == Mask::causal) continue;
          check({1, 1, !emulated ? 300 : needs_wgmma() ? 150 : 65, dim, mask, dtype}, values);
        }
}

/// With more tiles than a GPU has SMs, several times: which block comes first differs.
TEST_P(EveryVariant, GivesTheSameBitsWhereItSaysSo) {
  if (!GetParam().variant.deterministic) GTEST_SKIP() << "it does not say so";
  const DType dtype = GetParam().variant.dtypes.front();
  const bool small = GetParam().kind != device::Kind::cuda;
  for (const Mask mask : {Mask::full, Mask::causal})
    for (const std::int64_t dim : dims()) {
      // Sums over tiles of keys need three of them: two give the same bits in either order. Of keys
      // that are all about as low, tiles take each other away, so that another order shows in bf16.
      const std::int64_t seq = !small ? 2100 : needs_wgmma() ? 401 : 161;
      const Problem problem{1, small ? 1 : 12, seq, dim, mask, dtype};
      if (small && mask == Mask::causal && !needs_wgmma()) continue;
      // What is slow on a host is found once.
      const Inputs inputs(problem, Values::low);
      const Forward left = forward(problem, inputs.sources());
      std::vector<std::byte> first;
      for (int again = 0; again < (small ? 3 : 4); ++again) {
        reorder(again);
        std::vector<std::byte> bytes = run(problem, inputs, left, /*judged=*/false).bytes;
        if (again == 0)
          first = std::move(bytes);
        else
          EXPECT_EQ(bytes == first, true) << describe(problem) << ", time " << again;
      }
    }
}

/// A seed of the emulated device is an order of everything, also for those that do not say so.
TEST_P(EveryVariant, GivesTheSameBitsForOneSeed) {
  if (GetParam().variant.deterministic || !needs_wgmma() || !kernels::is_emulated(*device))
    GTEST_SKIP() << "it is deterministic, or has its orders from a GPU";
  const Problem problem{1, 1, 401, 64, Mask::full, GetParam().variant.dtypes.front()};
  const Inputs inputs(problem, Values::low);
  const Forward left = forward(problem, inputs.sources());
  std::vector<std::vector<std::byte>> found;
  for (const int seed : {1, 1, 1, 2}) {
    reorder(seed);
    found.push_back(run(problem, inputs, left, /*judged=*/false).bytes);
  }
  EXPECT_EQ(found[0] == found[1], true);
  EXPECT_EQ(found[0] == found[2], true);
  EXPECT_EQ(found[0] == found[3], false) << "blocks came in the same order for another seed";
}

TEST_P(EveryVariant, SaysNoToWhatItCannotDo) {
  const DType dtype = GetParam().variant.dtypes.front();
  EXPECT_FALSE(GetParam().variant.supports({1, 1, 64, 80, Mask::full, dtype}, device->facts()));
  EXPECT_FALSE(
      GetParam().variant.supports({1, 1, 64, 128, Mask::full, DType::i32}, device->facts()));
  if (needs_wgmma()) {
    EXPECT_FALSE(
        GetParam().variant.supports({1 << 14, 1, 1 << 17, 64, Mask::full, dtype}, device->facts()));
  }
}

TEST_P(EveryVariant, KeepsItsBudget) {
  if (!kernels::is_emulated(*device)) GTEST_SKIP() << "only the emulated device counts";
  check({1, 1, 160, 128, Mask::full, GetParam().variant.dtypes.front()});
  kernels::expect_within(GetParam().variant.budget, device->take_counts());
}

INSTANTIATE_TEST_SUITE_P(AttentionBackward, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

}  // namespace attention_backward_test
}  // namespace ridgeline::attention_backward
