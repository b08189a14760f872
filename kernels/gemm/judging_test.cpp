#include "kernels/judging.hpp"

#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "kernels/gemm/gemm.hpp"
#include "kernels/test_device.hpp"

// What all families share whose oracle on a device judges by a tolerance.

namespace ridgeline::gemm {
namespace judging_test {

/// Stand-ins that differ in their address alone.
void quick(const Problem&, const Operands&, device::Stream&) {
  throw Error(ErrorKind::internal, "1");
}
void slow(const Problem&, const Operands&, device::Stream&) {
  throw Error(ErrorKind::internal, "2");
}
void wrong(const Problem&, const Operands&, device::Stream&) {
  throw Error(ErrorKind::internal, "3");
}

TEST(References, AreRightTheFastestFirstAndTheTestedOneLast) {
  const auto variant = [](auto launch) { return Variant{"", {}, nullptr, launch}; };
  const kernels::Table<Variant> table{{"slow", device::Kind::cuda, variant(slow)},
                                      {"wrong", device::Kind::cuda, variant(wrong)},
                                      {"quick", device::Kind::cuda, variant(quick)},
                                      {"on_cpu", device::Kind::cpu, variant(quick)}};
  int trials = 0;
  const auto names = [&](const Variant& tested, int what = 1, decltype(&slow) unsuited = nullptr) {
    std::string text;
    for (const auto& named : kernels::references(
             device::Kind::cuda, table, tested, what,
             [&](const Variant& one) { return one.launch != unsuited; },
             [&](const Variant& one) -> std::optional<double> {
               ++trials;
               if (one.launch == (what == 1 ? wrong : slow)) return std::nullopt;
               return one.launch == quick ? 0.001 : 0.01;
             }))
      text += std::string(named.name) + " ";
    return text;
  };
  EXPECT_EQ(names(variant(wrong)), "quick slow ");
  EXPECT_EQ(names(variant(quick)), "slow quick ");
  EXPECT_EQ(names(variant(slow)), "quick slow ");
  EXPECT_EQ(trials, 3) << "each is tried once";
  EXPECT_EQ(names(variant(slow), 1, quick), "slow ");
  EXPECT_EQ(names(variant(quick), 2, quick), "wrong ") << "what is right depends on what is tried";
  EXPECT_EQ(trials, 5) << "what is not suited is not tried";
  EXPECT_EQ(names(variant(slow), 2), "quick wrong ");
  EXPECT_EQ(names(variant(slow)), "quick slow ");
  EXPECT_EQ(trials, 6);
}

TEST(Worst, IsNaNThenWhatIsWrongThenTheLargestQuotient) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const kernels::Worst ascending[] = {{},          {0, 0, 1},  {0, 1, 1}, {1, 4, 2},
                                      {3, 4, 3},   {9, 8, 4},  {9, 1, 5}, {1e300, 1, 6},
                                      {0.1, 0, 7}, {nan, 1, 8}};
  for (std::size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_FALSE(kernels::worse(ascending[i - 1], ascending[i])) << i;
    EXPECT_FALSE(kernels::worse(ascending[i], ascending[i])) << i;
  }
  EXPECT_TRUE(kernels::worse(ascending[1], ascending[0])) << "any before none";
  EXPECT_TRUE(kernels::worse(ascending[4], ascending[3]));
  EXPECT_TRUE(kernels::worse(ascending[5], ascending[4])) << "wrong before right";
  EXPECT_TRUE(kernels::worse(ascending[9], ascending[8])) << "NaN before a larger error";
}

/// What is kept of a device that closes, and of one that has too little memory.
class Kept : public testing::TestWithParam<device::Kind> {
 protected:
  struct Bytes {
    device::Buffer<char> memory;
    std::size_t bytes() const { return memory.bytes(); }
  };
  void SetUp() override {
    found = kernels::test_device(GetParam());
    if (!found.device) GTEST_SKIP() << found.reason;
  }
  std::shared_ptr<const Bytes> get(const std::string& key, std::size_t size) {
    return kept.get<Bytes>(key, [&] {
      ++computed;
      return Bytes{{*found.device, size}};
    });
  }
  kernels::TestDevice found;
  kernels::Kept kept{100};
  int computed = 0;
};

TEST_P(Kept, DropsWhatWasUsedLeastRecently) {
  get("a", 40), get("b", 40), get("a", 40);
  EXPECT_EQ(computed, 2);
  get("c", 40);  // in place of b
  EXPECT_EQ(kept.bytes(), 80u);
  get("a", 40), get("c", 40);
  EXPECT_EQ(computed, 3);
  get("b", 40);
  EXPECT_EQ(computed, 4);
}

TEST_P(Kept, DoesNotKeepWhatIsTooLarge) {
  get("a", 40);
  EXPECT_EQ(get("large", 101)->bytes(), 101u);
  EXPECT_EQ(kept.bytes(), 40u);
  get("a", 40);
  EXPECT_EQ(computed, 2);
}

TEST_P(Kept, GivesBackWhatNobodyUses) {
  const auto used = get("a", 40);
  get("b", 40);
  EXPECT_TRUE(kept.give_back());
  EXPECT_FALSE(kept.give_back()) << "nothing is left";
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_EQ(used->memory.download().size(), 40u) << "what is used stays";
}

TEST_P(Kept, LendsTheSameMemoryToOneAfterTheOther) {
  const auto lend = [&](std::size_t bytes) { return kept.scratch(*found.device, bytes); };
  const std::byte* const first = lend(40)->data();
  EXPECT_EQ(lend(40)->data(), first);
  EXPECT_EQ(lend(8)->data(), first);
  EXPECT_EQ(kept.bytes(), 40u);
  EXPECT_GE(lend(41)->bytes(), 41u);
  EXPECT_EQ(kept.bytes(), 41u);
  const auto used = lend(20);
  EXPECT_NE(lend(20)->data(), used->data()) << "two at a time";
  EXPECT_TRUE(kept.give_back());
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_EQ(used->download().size(), 41u) << "what is used stays";
  EXPECT_NE(lend(20)->data(), used->data());
}

TEST_P(Kept, EndsBeforeItsDevice) {
  kernels::Kept& of_device = kernels::Kept::of(*found.device);
  EXPECT_EQ(&kernels::Kept::of(*found.device), &of_device);
  of_device.get<Bytes>("a", [&] { return Bytes{{*found.device, 40}}; });
  found.device.reset();  // or it would be asked to release memory when it is gone
}

INSTANTIATE_TEST_SUITE_P(Judging, Kept, testing::Values(device::Kind::cuda, device::Kind::emulated),
                         [](const auto& info) {
                           return std::string(device::to_string(info.param)) + "_device";
                         });

}  // namespace judging_test
}  // namespace ridgeline::gemm
