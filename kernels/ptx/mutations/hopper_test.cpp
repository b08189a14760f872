#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/half.hpp"
#include "harness/emulated/machine.hpp"
#include "kernels/ptx/test/hopper_gemm.hpp"

// The same question of Hopper's asynchronous instructions: which check finds which mistake.
namespace ridgeline::ptx::test {
namespace hopper_test {

using emulated::Act;
using emulated::Finding;
using emulated::Report;
using emulated::Site;
using emulated::Space;

struct Result {
  Report report;
  bool right = true;

  const Finding* found(const std::string& check) const {
    const auto at = std::ranges::find(report.findings, check, &Finding::check);
    return at == report.findings.end() ? nullptr : &*at;
  }
  std::string checks() const {
    std::string all;
    for (const Finding& finding : report.findings)
      all += finding.check + " (" + finding.detail + "); ";
    return all;
  }
};

constexpr int m = 64, n = 128, k = 320;
constexpr std::size_t bytes_of_c = std::size_t{m} * n * sizeof(float);

Result run(Mutation mutation, std::uint64_t seed = 1) {
  emulated::Machine machine({.threads = 1024, .shared_bytes = 227 << 10, .l2_bytes = 50 << 20},
                            {.seed = seed});
  device::Stream stream{&machine};
  const auto number = [](int i, int of) {
    return static_cast<float>(((i * 31 + of) * 7 & 15) - 8);
  };
  const auto upload = [&](int count, int of, const char* name) {
    const std::size_t bytes = static_cast<std::size_t>(count) * 2;
    auto* const memory = static_cast<unsigned short*>(machine.memory().allocate(bytes, name));
    for (int i = 0; i < count; ++i) memory[i] = to_bf16(number(i, of));
    machine.memory().mark(memory, bytes, true);
    return memory;
  };
  const unsigned short *const a = upload(m * k, 3, "a"), *const b = upload(n * k, 8, "b");
  auto* const c = static_cast<float*>(machine.memory().allocate(bytes_of_c, "c"));
  std::memset(c, 0xFF, bytes_of_c);
  multiply_tiles(stream, mutation, a, b, c, m, n, k);
  Result result{machine.take_reports().at(0)};
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += number(row * k + i, 3) * number(column * k + i, 8);
      if (c[row * n + column] != sum) result.right = false;
    }
  return result;
}

TEST(HopperMutations, TheKernelItselfIsRightAndCountsTheSameWhateverTheOrder) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const Result whole = run(Mutation::none, seed);
    EXPECT_TRUE(whole.right);
    EXPECT_TRUE(whole.report.findings.empty()) << whole.checks();
    const Site loads = emulated::total(whole.report, Space::bulk, Act::read);
    EXPECT_EQ(loads.requests, 10u) << "two boxes for each of five chunks";
    EXPECT_EQ(loads.sectors, (m + n) * k * 2 / 32u);
    const Site stores = emulated::total(whole.report, Space::bulk, Act::write);
    EXPECT_EQ(stores.requests, 4u);
    EXPECT_EQ(stores.sectors, m * n * 4 / 32u);
    EXPECT_EQ(loads.lanes, (m + n) * k * 2u) << "bytes";
    EXPECT_EQ(stores.lanes, m * n * 4u) << "bytes";
    EXPECT_EQ(whole.report.dram_read_bytes, (m + n) * k * 2u) << "each factor once";
    EXPECT_EQ(whole.report.dram_written_bytes, m * n * 4u);
    EXPECT_TRUE(whole.report.has_unit);
    EXPECT_EQ(emulated::total(whole.report, Space::tensor, Act::collective).requests, 5 * 4 * 4u)
        << "of each warp";
  }
}

struct Case {
  Mutation mutation;
  const char* check;
  const char* detail;  // part of it
};

TEST(HopperMutations, EachMistakeIsFoundByTheCheckThatIsMeantForIt) {
  using enum Mutation;
  const Case cases[] = {
      {no_fence_after_init, "missing fence (mbarrier)", "full"},
      {no_full_wait, "too many arrivals at an mbarrier",
       "full + 0: 0 of 1 are outstanding in this phase"},
      {no_empty_wait, "too many arrivals at an mbarrier",
       "full + 0: 0 of 1 are outstanding in this phase"},
      {gives_back_too_early, "race (write after read)", "dynamic shared memory"},
      {wrong_parity, "touched while a copy is under way", "dynamic shared memory"},
      {expects_too_much, "deadlock",
       "thread 0 and 127 more wait at full + 0 for parity 0, in phase 0: 0 arrivals and 16 bytes "
       "are outstanding"},
      {never_arrives, "deadlock",
       "thread 128 waits at empty + 0 for parity 0, in phase 0: 128 arrivals and 0 bytes are "
       "outstanding"},
      {no_product_wait, "product never waited for", ""},
      {sums_before_wait, "touched while a product is under way", "sum 0 of the thread's"},
      {no_product_fence, "missing fence (wgmma)", "wgmma.fence"},
      {no_fence_before_store, "missing fence.proxy.async", "dynamic shared memory"},
      {no_barrier_before_store, "race (read after write)", "dynamic shared memory"},
      {no_store_wait, "copy never waited for", "from shared memory"},
      {half_a_warpgroup, "deadlock",
       "thread 128 waits at empty + 0 for parity 0, in phase 0: 64 arrivals and 0 bytes are "
       "outstanding"},
  };
  for (const Case& each : cases)
    for (const std::uint64_t seed : {0, 1, 2}) {
      const Result result = run(each.mutation, seed);
      const Finding* const finding = result.found(each.check);
      EXPECT_NE(finding, nullptr) << static_cast<int>(each.mutation) << ": not " << each.check
                                  << " but " << result.checks();
      if (finding == nullptr) continue;
      EXPECT_NE(finding->detail.find(each.detail), std::string::npos) << finding->detail;
    }
}

TEST(HopperMutations, WithoutABarrierMbarriersAreUsedBeforeTheyAreThere) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Result result = run(Mutation::no_barrier_after_init, seed);
    // By the order in which warps run, the mistake shows or is but a race.
    EXPECT_TRUE(result.found("mbarrier without initialisation") ||
                result.found("race (write after write)"))
        << result.checks();
  }
}

TEST(HopperMutations, ADescriptorWithoutSwizzleIsFoundByTheResultAlone) {
  const Result result = run(Mutation::no_swizzle_in_descriptor);
  EXPECT_FALSE(result.right);
  EXPECT_TRUE(result.report.findings.empty()) << result.checks();
}

}  // namespace hopper_test
}  // namespace ridgeline::ptx::test
