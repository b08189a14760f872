#include "kernels/collectives/collectives.hpp"

#include <cmath>
#include <limits>
#include <tuple>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::collectives {
namespace {

constexpr Operation operations[] = {Operation::all_reduce, Operation::all_gather,
                                    Operation::broadcast};
constexpr auto uniform = device::Distribution::uniform;
constexpr std::uint64_t seed = 11;

TEST(Collectives, BusFactorsAreThoseOfNcclTests) {
  struct Row {
    Operation operation;
    int ranks;
    double factor;
  };
  const Row rows[] = {{Operation::all_reduce, 2, 1},   {Operation::all_reduce, 8, 1.75},
                      {Operation::all_gather, 2, 0.5}, {Operation::all_gather, 8, 0.875},
                      {Operation::broadcast, 2, 1},    {Operation::broadcast, 8, 1}};
  for (const auto& [operation, ranks, factor] : rows)
    EXPECT_DOUBLE_EQ((Problem{operation, ranks, 1024}).bus_factor().value(), factor)
        << to_string(operation) << ranks;
  for (const Operation operation : operations)
    EXPECT_FALSE((Problem{operation, 1, 1024}).bus_factor());
}

TEST(Collectives, BytesAreTheLargerBuffer) {
  const Problem gather{Operation::all_gather, 4, 4096};
  EXPECT_EQ(gather.receive_count(), 1024);
  EXPECT_EQ(gather.send_count(), 256);
  const Problem reduce{Operation::all_reduce, 4, 4096};
  EXPECT_EQ(reduce.receive_count(), 1024);
  EXPECT_EQ(reduce.send_count(), 1024);
}

TEST(Collectives, SizesMustComeOutEven) {
  EXPECT_TRUE(common_support({Operation::all_gather, 3, 12}));
  EXPECT_FALSE(common_support({Operation::all_gather, 3, 16}));
  EXPECT_FALSE(common_support({Operation::all_reduce, 2, 6}));
  EXPECT_FALSE(common_support({Operation::all_reduce, 2, 64, DType::bf16}));
  EXPECT_TRUE(common_support({Operation::broadcast, 2, 0}));
  EXPECT_FALSE(common_support({Operation::broadcast, 1, 64}));
}

// The definition once more, in the plainest words: what each rank has, then what all receive.
std::vector<float> solve(const Problem& problem) {
  const auto sends = [&](int rank, std::int64_t i) {
    const auto index = static_cast<std::uint64_t>(rank * problem.send_count() + i);
    return static_cast<float>(device::random_element(DType::f32, uniform, seed, index));
  };
  std::vector<float> received(static_cast<std::size_t>(problem.receive_count()));
  for (std::size_t i = 0; i < received.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (problem.operation == Operation::broadcast) received[i] = sends(0, at);
    if (problem.operation == Operation::all_gather)
      received[i] = sends(static_cast<int>(at / problem.send_count()), at % problem.send_count());
    if (problem.operation == Operation::all_reduce)
      for (int rank = 0; rank < problem.ranks; ++rank) received[i] += sends(rank, at);
  }
  return received;
}

/// The CPU's oracle, and that of a device on a GPU or on the emulated device.
class Oracle : public testing::TestWithParam<std::tuple<device::Kind, Operation>> {
 protected:
  void SetUp() override {
    found_ = kernels::test_device(kind());
    if (!found_.device) GTEST_SKIP() << found_.reason;
  }
  static device::Kind kind() { return std::get<0>(GetParam()); }
  static Operation operation() { return std::get<1>(GetParam()); }

  kernels::Deviation check(const Problem& problem, const std::vector<float>& received) {
    const device::Buffer<float> buffer(*found_.device, received);
    const auto judged_by = [&](kernels::Judge judge) {
      const kernels::JudgedBy by(judge);
      return deviation(*found_.device, problem, buffer.data(), uniform, seed);
    };
    const kernels::Deviation cpus = judged_by(kernels::Judge::cpu);
    if (kind() == device::Kind::cpu) return cpus;
    const kernels::Deviation own = judged_by(kernels::Judge::device);
    EXPECT_EQ(own.checked, Checked::whole);
    EXPECT_EQ(own.tolerance, cpus.tolerance);
    if (cpus.checked == Checked::whole && !std::isnan(cpus.error)) {
      EXPECT_EQ(own.error, cpus.error);
    }
    return own;
  }
  kernels::TestDevice found_;
};

INSTANTIATE_TEST_SUITE_P(Collectives, Oracle,
                         testing::Combine(testing::Values(device::Kind::cpu, device::Kind::cuda,
                                                          device::Kind::emulated),
                                          testing::ValuesIn(operations)),
                         [](const auto& info) {
                           return std::string(device::to_string(std::get<0>(info.param))) + "_" +
                                  std::string(to_string(std::get<1>(info.param)));
                         });

TEST_P(Oracle, AcceptsWhatIsRight) {
  for (const int ranks : {1, 2, 3, 8})
    for (const std::int64_t elements : {0, 1, 7, 4096, 5000}) {
      const Problem problem{operation(), ranks, elements * ranks * 4};
      const kernels::Deviation found = check(problem, solve(problem));
      EXPECT_TRUE(found.right()) << ranks << ' ' << elements << ' ' << found.error;
    }
}

TEST_P(Oracle, RejectsOneWrongElementAndAnUnwrittenTail) {
  const Problem problem{operation(), 2, 40000};
  const std::vector<float> right = solve(problem);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{4095}, std::size_t{5000}, right.size() - 1}) {
    for (const float wrong : {right[at] + 1e-4f, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(), 0.0f}) {
      std::vector<float> received = right;
      received[at] = wrong;
      EXPECT_FALSE(check(problem, received).right()) << at << ' ' << wrong;
    }
  }
}

TEST_P(Oracle, RejectsARankThatOnlyHasItsOwn) {
  const Problem problem{operation(), 2, 4096};
  Problem alone = problem;
  alone.ranks = 1;
  std::vector<float> received = solve(alone);
  if (operation() == Operation::broadcast) {  // rank 1's own elements instead of rank 0's
    for (std::size_t i = 0; i < received.size(); ++i)
      received[i] = static_cast<float>(
          device::random_element(DType::f32, uniform, seed, first_index(problem, 1) + i));
  }
  if (operation() == Operation::all_gather)
    std::rotate(received.begin(), received.begin() + 1, received.end());
  EXPECT_FALSE(check(problem, received).right());
}

TEST_P(Oracle, SamplesLargeOutputsAndStillSeesTheTail) {
  // An emulated device follows every access.
  const Problem problem{operation(), 2, kind() == device::Kind::emulated ? 5 << 20 : 16 << 20};
  std::vector<float> received = solve(problem);
  EXPECT_TRUE(check(problem, received).right());
  received.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check(problem, received).right());
}

TEST(Variants, SayWhatTheyNeedBeforeAnythingIsAllocated) {
  device::Facts cpu, gpu;
  cpu.units = 2;
  gpu.kind = device::Kind::cuda;
  bool mpi = false;
  for (const auto& [name, kind, variant] : variants()) {
    EXPECT_FALSE(variant.idea.empty());
    mpi = mpi || name == "mpi";
    if (name == "mpi") {
      EXPECT_TRUE(variant.supports({Operation::all_reduce, 2, 4096}, cpu));
      EXPECT_EQ(variant.supports({Operation::all_reduce, 4, 4096}, cpu).reason(),
                "4 ranks need as many cores, and 2 are used here");
      EXPECT_FALSE(variant.supports({Operation::all_reduce, 2, std::int64_t{1} << 40}, cpu));
      EXPECT_FALSE(variant.supports({Operation::all_reduce, 2, 4096}, gpu));
      EXPECT_THROW(variant.connect({}), Error) << "no launcher started MPI";
    } else {
      EXPECT_FALSE(variant.supports({Operation::all_reduce, 2, 4096}, cpu));
      const device::Support support = variant.supports({Operation::all_reduce, 1024, 4096}, gpu);
      EXPECT_FALSE(support);
      EXPECT_FALSE(support.reason().empty());
    }
  }
  EXPECT_TRUE(mpi);
}

}  // namespace
}  // namespace ridgeline::collectives
