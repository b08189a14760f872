#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/half.hpp"
#include "harness/emulated/machine.hpp"
#include "kernels/ptx/mutations/mma_gemm.hpp"

// Do the emulated device's checks bite? Each mutation of a kernel that is right is found by the
// check that is named for it, some by nothing else: their results are right all the same.
namespace ridgeline::ptx::mutations {
namespace mutations_test {

using emulated::Act;
using emulated::Finding;
using emulated::Report;
using emulated::Space;

constexpr int m = 128, n = 64, k = 128;
constexpr std::size_t bytes_of_c = std::size_t{m} * n * sizeof(float);

/// Small whole numbers, whose products and sums are exact.
std::vector<unsigned short> numbers(int count, std::uint32_t seed) {
  std::vector<unsigned short> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto value = static_cast<float>(static_cast<int>((i * 2654435761u + seed) >> 20 & 7) - 3);
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    made[i] = static_cast<unsigned short>(bits >> 16);
  }
  return made;
}

float value_of(unsigned short bfloat) {
  const std::uint32_t bits = std::uint32_t{bfloat} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

struct Result {
  Report report;
  bool right = true;

  bool found(const std::string& check) const {
    for (const Finding& finding : report.findings)
      if (finding.check.find(check) != std::string::npos) return true;
    return false;
  }
  std::string checks() const {
    std::string all;
    for (const Finding& finding : report.findings)
      all += finding.check + " (" + finding.detail + "); ";
    return all;
  }
  double wavefronts_per_load() const {
    const auto loads = emulated::total(report, Space::shared, Act::read);
    return static_cast<double>(loads.wavefronts) / static_cast<double>(loads.requests);
  }
};

Result run(Mutation mutation, std::uint64_t seed = 1) {
  emulated::Machine machine({.threads = 1024, .shared_bytes = 227 << 10}, {.seed = seed});
  device::Stream stream{&machine};
  const auto upload = [&](const std::vector<unsigned short>& values, const char* name) {
    const std::size_t bytes = values.size() * sizeof values[0];
    auto* const memory = static_cast<unsigned short*>(machine.memory().allocate(bytes, name));
    std::memcpy(memory, values.data(), bytes);
    machine.memory().mark(memory, bytes, true);
    return memory;
  };
  const std::vector<unsigned short> a = numbers(m * k, 7), b = numbers(n * k, 99);
  const unsigned short *const left = upload(a, "a"), *const right = upload(b, "b");
  auto* const c = static_cast<float*>(machine.memory().allocate(bytes_of_c, "c"));
  std::memset(c, 0xFF, bytes_of_c);

  multiply(stream, mutation, left, right, c, m, n, k);
  Result result{machine.take_reports().at(0)};
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      float sum = 0;
      for (std::size_t i = 0; i < k; ++i)
        sum += value_of(a[row * k + i]) * value_of(b[column * k + i]);
      if (c[row * n + column] != sum) result.right = false;
    }
  return result;
}

TEST(Mutations, TheKernelItselfIsRightWhateverTheOrder) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const Result whole = run(Mutation::none, seed);
    EXPECT_TRUE(whole.right);
    EXPECT_TRUE(whole.report.findings.empty()) << whole.checks();
    EXPECT_EQ(whole.wavefronts_per_load(), 4) << "four matrices a request, no conflicts";
  }
}

TEST(Mutations, WithoutABarrierBehindTheWaitOthersCopiesAreTouched) {
  const Result result = run(Mutation::no_barrier_after_wait);
  EXPECT_TRUE(result.found("race")) << result.checks();
  EXPECT_TRUE(result.found("touched while a copy is under way")) << result.checks();
}

TEST(Mutations, WithoutATrailingBarrierTheNextCopiesRaceWithReads) {
  const Result result = run(Mutation::no_trailing_barrier);
  EXPECT_TRUE(result.found("race") || result.found("touched while a copy is under way"))
      << result.checks();
}

TEST(Mutations, WithoutAWaitNothingHasCome) {
  const Result result = run(Mutation::no_wait);
  EXPECT_FALSE(result.right);
  EXPECT_TRUE(result.found("touched while a copy is under way")) << result.checks();
  EXPECT_TRUE(result.found("copy never waited for")) << result.checks();
}

TEST(Mutations, WithoutACommitThereIsNoGroupToWaitFor) {
  const Result result = run(Mutation::no_commit);
  EXPECT_FALSE(result.right);
  EXPECT_TRUE(result.found("touched while a copy is under way")) << result.checks();
  EXPECT_TRUE(result.found("copy never waited for")) << result.checks();
}

TEST(Mutations, AnIndexThatIsAChunkTooLargeIsOutOfBounds) {
  const Result result = run(Mutation::one_chunk_too_far);
  EXPECT_FALSE(result.right);
  EXPECT_TRUE(result.found("out of bounds")) << result.checks();
}

TEST(Mutations, AnotherSwizzleIsFoundByTheResultAlone) {
  const Result result = run(Mutation::another_swizzle_to_read);
  EXPECT_FALSE(result.right);
  EXPECT_TRUE(result.report.findings.empty()) << result.checks();
}

TEST(Mutations, WithoutSwizzleOnlyTheCountsTell) {
  const Result result = run(Mutation::no_swizzle);
  EXPECT_TRUE(result.right);
  EXPECT_TRUE(result.report.findings.empty()) << result.checks();
  EXPECT_EQ(result.wavefronts_per_load(), 16) << "four rows of each matrix share banks";
}

TEST(Mutations, CountsDependNeitherOnTheSeedNorOnTheCores) {
  const auto counts = [](const emulated::Settings& settings) {
    emulated::Machine machine({.threads = 1024, .shared_bytes = 227 << 10, .l2_bytes = 8 << 10},
                              settings);
    device::Stream stream{&machine};
    const auto filled = [&](int count, std::uint32_t seed) {
      const std::vector<unsigned short> values = numbers(count, seed);
      auto* const made =
          static_cast<unsigned short*>(machine.memory().allocate(2 * values.size(), "factor"));
      std::memcpy(made, values.data(), 2 * values.size());
      machine.memory().mark(made, 2 * values.size(), true);
      return made;
    };
    auto* const c =
        static_cast<float*>(machine.memory().allocate(sizeof(float) * m * n, "product"));
    multiply(stream, Mutation::none, filled(m * k, 1), filled(n * k, 2), c, m, n, k);
    const std::vector<Report> reports = machine.take_reports();
    std::vector<std::uint64_t> all = {reports.at(0).barriers, reports[0].dram_read_bytes,
                                      reports[0].dram_written_bytes, reports[0].in_flight_bytes};
    for (const auto& site : reports[0].sites)
      all.insert(all.end(), {site.pc, site.requests, site.lanes, site.sectors, site.wavefronts});
    return all;
  };
  const std::vector<std::uint64_t> plain = counts({.workers = 1});
  EXPECT_GT(plain[1], 0u);
  for (const std::uint64_t seed : {0u, 5u, 77u})
    for (const int workers : {1, 2})
      EXPECT_EQ(counts({.workers = workers, .seed = seed}), plain) << seed << workers;
}

}  // namespace mutations_test
}  // namespace ridgeline::ptx::mutations
