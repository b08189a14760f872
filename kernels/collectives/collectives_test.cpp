#include "kernels/collectives/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/device/buffer.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_oracle.hpp"

namespace ridgeline::collectives {
namespace collectives_test {

constexpr Operation operations[] = {
    Operation::all_reduce,     Operation::all_gather, Operation::broadcast,
    Operation::reduce_scatter, Operation::reduce,     Operation::all_to_all,
    Operation::send_recv,      Operation::gather,     Operation::scatter};
constexpr DType dtypes[] = {DType::f32, DType::f16, DType::bf16, DType::i8};
constexpr std::uint64_t seed = 11;
constexpr Inputs inputs{seed};

TEST(Collectives, BusFactorsAreThoseOfNcclTests) {
  const std::map<Operation, std::pair<double, double>> of_2_and_8{
      {Operation::all_reduce, {1, 1.75}}, {Operation::all_gather, {0.5, 0.875}},
      {Operation::broadcast, {1, 1}},     {Operation::reduce_scatter, {0.5, 0.875}},
      {Operation::reduce, {1, 1}},        {Operation::all_to_all, {0.5, 0.875}},
      {Operation::send_recv, {1, 1}},     {Operation::gather, {0.5, 0.875}},
      {Operation::scatter, {0.5, 0.875}}};
  for (const Operation operation : operations) {
    const auto [of_2, of_8] = of_2_and_8.at(operation);
    EXPECT_DOUBLE_EQ((Problem{operation, 2, 1024}).bus_factor().value(), of_2)
        << to_string(operation);
    EXPECT_DOUBLE_EQ((Problem{operation, 8, 1024}).bus_factor().value(), of_8)
        << to_string(operation);
    EXPECT_FALSE((Problem{operation, 1, 1024}).bus_factor());
  }
}

TEST(Collectives, BytesAreTheLargestBuffer) {
  for (const DType dtype : dtypes)
    for (const Operation operation : operations) {
      const Problem problem{operation, 4, 4096, dtype};
      std::int64_t most = 0;
      for (int rank = 0; rank < 4; ++rank)
        most = std::max({most, problem.send_count(rank), problem.receive_count(rank)});
      EXPECT_EQ(most * static_cast<std::int64_t>(size_of(dtype)), 4096) << to_string(operation);
    }
  const Problem scatter{Operation::scatter, 4, 4096};
  EXPECT_EQ(scatter.send_count(0), 1024);
  EXPECT_EQ(scatter.send_count(1), 0);
  EXPECT_EQ(scatter.receive_count(3), 256);
  const Problem large{Operation::all_to_all, 2, std::int64_t{8} << 30, DType::i8};
  EXPECT_EQ(large.receive_count(1), std::int64_t{1} << 33) << "more than an int counts";
  EXPECT_EQ(first_index(large, 1), std::uint64_t{1} << 33);
}

TEST(Collectives, WhatCannotBeDoneOrCheckedIsRefused) {
  EXPECT_TRUE(common_support({Operation::all_gather, 3, 12}));
  EXPECT_FALSE(common_support({Operation::all_gather, 3, 16}));
  EXPECT_TRUE(common_support({Operation::all_reduce, 8, 8}));
  EXPECT_FALSE(common_support({Operation::all_reduce, 2, 6}));
  EXPECT_TRUE(common_support({Operation::all_reduce, 2, 6, DType::i8}));
  EXPECT_FALSE(common_support({Operation::all_reduce, 2, 64, DType::f64}));
  EXPECT_TRUE(common_support({Operation::broadcast, 2, 0}));
  for (const Operation operation : operations)
    EXPECT_EQ(static_cast<bool>(common_support({operation, 1, 64})),
              operation == Operation::all_reduce || operation == Operation::all_gather);
  EXPECT_FALSE(common_support({Operation::reduce, 17, 68}));
  const auto average = [](int ranks, DType dtype) {
    return static_cast<bool>(
        common_support({Operation::all_reduce, ranks, 48, dtype, Reduction::avg}));
  };
  EXPECT_TRUE(average(4, DType::f16));
  EXPECT_FALSE(average(3, DType::f16));
  EXPECT_TRUE(average(3, DType::i8));
  EXPECT_FALSE(common_support({Operation::all_to_all, 2, 64, DType::f32, Reduction::sum, true}));
}

float rounded(DType dtype, float value) {
  return dtype == DType::f16    ? from_f16(to_f16(value))
         : dtype == DType::bf16 ? from_bf16(to_bf16(value))
                                : value;
}

// Whatever a library adds up first, and whether it divides first or last.
TEST(Collectives, ReductionsOfInputsAreExactInAnyOrder) {
  for (const DType dtype : dtypes)
    for (const int ranks : {2, 4, 8, 16})
      for (std::uint64_t element = 0; element < 2000; ++element) {
        const auto input = [&](int rank) {
          const std::int32_t value = inputs(dtype, element * most_exact_ranks + rank);
          return static_cast<float>(value);
        };
        float forwards = 0, backwards = 0, of_parts = 0;
        double exact = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          exact += input(rank);
          forwards = rounded(dtype, forwards + input(rank));
          backwards = rounded(dtype, backwards + input(ranks - 1 - rank));
          of_parts = rounded(dtype, of_parts + rounded(dtype, input(rank) / ranks));
          ASSERT_EQ(rounded(dtype, input(rank)), input(rank));
        }
        ASSERT_EQ(forwards, exact) << to_string(dtype);
        ASSERT_EQ(backwards, exact) << to_string(dtype);
        if (dtype != DType::i8) {
          ASSERT_EQ(of_parts, exact / ranks) << to_string(dtype);
        }
        ASSERT_LE(std::fabs(exact + 0.5), dtype == DType::i8 ? 127.5 : 1e9);
      }
}

TEST(Collectives, InputsAreOfManyKinds) {
  std::set<std::int32_t> values;
  for (std::uint64_t i = 0; i < 10000; ++i) values.insert(inputs(DType::i8, i));
  EXPECT_EQ(values.size(), 16u);
  EXPECT_EQ(*values.begin(), -8);
  values.clear();
  for (std::uint64_t i = 0; i < 10000; ++i) values.insert(inputs(DType::f32, i));
  EXPECT_GT(values.size(), 9900u);
  EXPECT_EQ((Inputs{seed, true}(DType::f32, 3)), 0);
}

using Elements = std::vector<double>;

// The definition once more, in the plainest words: what each rank has, then what `rank` receives.
Elements solve(const Problem& problem, int rank) {
  std::vector<Elements> sent;
  for (int of = 0; of < problem.ranks; ++of) {
    sent.emplace_back();
    for (std::int64_t i = 0; i < problem.send_count(of); ++i)
      sent.back().push_back(
          inputs(problem.dtype, first_index(problem, of) + static_cast<std::uint64_t>(i)));
  }
  const auto part_of = [&](const Elements& all) {
    return Elements(all.begin() + rank * problem.part(), all.begin() + (rank + 1) * problem.part());
  };
  Elements reduced, joined, exchanged;
  for (int of = 0; of < problem.ranks; ++of) {
    joined.insert(joined.end(), sent[of].begin(), sent[of].end());
    if (problem.operation == Operation::all_to_all) {
      const Elements part = part_of(sent[of]);
      exchanged.insert(exchanged.end(), part.begin(), part.end());
    }
  }
  if (problem.reduces()) {
    for (std::int64_t i = 0; i < problem.count(); ++i) {
      double sum = 0, largest = sent[0][i];
      for (const Elements& each : sent) {
        sum += each[i];
        largest = std::max(largest, each[i]);
      }
      if (problem.reduction == Reduction::avg) sum /= problem.ranks;
      if (problem.dtype == DType::i8) sum = static_cast<int>(sum);
      reduced.push_back(problem.reduction == Reduction::max ? largest : sum);
    }
  }
  const Elements nothing;
  switch (problem.operation) {
    case Operation::all_reduce:
      return reduced;
    case Operation::reduce:
      return rank == 0 ? reduced : nothing;
    case Operation::reduce_scatter:
      return part_of(reduced);
    case Operation::all_gather:
      return joined;
    case Operation::gather:
      return rank == 0 ? joined : nothing;
    case Operation::scatter:
      return part_of(sent[0]);
    case Operation::all_to_all:
      return exchanged;
    case Operation::send_recv:
      return sent[rank == 0 ? problem.ranks - 1 : rank - 1];
    case Operation::broadcast:
      break;
  }
  return sent[0];
}

std::vector<std::byte> as_stored(DType dtype, const Elements& elements) {
  std::vector<std::byte> bytes;
  const auto put = [&](auto value) {
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  };
  for (const double element : elements) {
    const auto value = static_cast<float>(element);
    if (dtype == DType::f32) put(value);
    if (dtype == DType::f16) put(to_f16(value));
    if (dtype == DType::bf16) put(to_bf16(value));
    if (dtype == DType::i8) put(static_cast<std::int8_t>(element));
  }
  return bytes;
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

  Deviation check(const Problem& problem, int rank, const Elements& received) {
    return check(problem, rank, as_stored(problem.dtype, received));
  }
  Deviation check(const Problem& problem, int rank, const std::vector<std::byte>& received) {
    const device::Buffer<std::byte> buffer(*found_.device, received);
    const auto judged_by = [&](kernels::Judge judge) {
      const kernels::JudgedBy by(judge);
      return deviation(*found_.device, problem, rank, buffer.data(), inputs, seed);
    };
    const Deviation cpus = judged_by(kernels::Judge::cpu);
    if (kind() == device::Kind::cpu) return cpus;
    const Deviation own = judged_by(kernels::Judge::device);
    EXPECT_EQ(own.checked, Checked::whole);
    EXPECT_EQ(own.tolerance, cpus.tolerance);
    EXPECT_EQ(own.right(), cpus.right());
    if (own.first_wrong && cpus.first_wrong) {
      EXPECT_EQ(to_string(*own.first_wrong), to_string(*cpus.first_wrong));
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
  for (const DType dtype : dtypes)
    for (const int ranks : {1, 2, 3, 8})
      for (const std::int64_t elements : {0, 1, 7, 600}) {
        const auto bytes = elements * ranks * static_cast<std::int64_t>(size_of(dtype));
        for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::avg}) {
          const Problem problem{operation(), ranks, bytes, dtype, reduction};
          if (reduction != Reduction::sum && (!problem.reduces() || elements == 600)) continue;
          if (!common_support(problem)) continue;
          for (const int rank : {0, 1, ranks - 1}) {
            if (rank >= ranks) continue;
            const Deviation found = check(problem, rank, solve(problem, rank));
            EXPECT_TRUE(found.right()) << to_string(dtype) << ' ' << ranks << ' ' << elements;
            EXPECT_FALSE(found.first_wrong);
          }
        }
      }
}

TEST_P(Oracle, NamesOneWrongElementAndAnUnwrittenTail) {
  for (const DType dtype : dtypes) {
    const Problem problem{operation(), 2, 40000, dtype};
    const Elements right = solve(problem, 0);
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, right.size() - 1}) {
      Elements wrong = right;
      wrong[at] += wrong[at] > 0 ? -1 : 1;
      const Deviation found = check(problem, 0, wrong);
      ASSERT_FALSE(found.right()) << to_string(dtype) << at;
      EXPECT_EQ(to_string(*found.first_wrong),
                to_string(WrongElement{0, static_cast<std::int64_t>(at), right[at], wrong[at]}));
    }
    if (dtype == DType::i8) continue;  // poison is a number there
    std::vector<std::byte> unwritten = as_stored(dtype, right);
    for (std::size_t i = 1; i <= size_of(dtype); ++i)
      unwritten[unwritten.size() - i] = std::byte{0xFF};
    const Deviation found = check(problem, 0, unwritten);
    EXPECT_FALSE(found.right());
    EXPECT_TRUE(std::isnan(found.error));
    EXPECT_EQ(found.first_wrong->index, static_cast<std::int64_t>(right.size()) - 1);
  }
}

TEST_P(Oracle, RejectsWhatAnotherRankShouldHave) {
  const Problem problem{operation(), 4, 4096};
  const Elements own = solve(problem, 0), others = solve(problem, 2);
  if (others.empty()) {
    EXPECT_TRUE(check(problem, 2, others).right()) << "it receives nothing";
    return;
  }
  const bool all_alike = operation() == Operation::all_reduce ||
                         operation() == Operation::all_gather ||
                         operation() == Operation::broadcast;
  EXPECT_EQ(check(problem, 0, others).right(), all_alike);
  EXPECT_TRUE(check(problem, 2, others).right());
  // What a rank has if nothing is exchanged.
  Elements alone;
  for (std::size_t i = 0; i < own.size(); ++i)
    alone.push_back(inputs(DType::f32, first_index(problem, 2) + 5000 + i));
  EXPECT_FALSE(check(problem, 2, alone).right());
}

TEST_P(Oracle, SamplesLargeOutputsAndStillSeesTheTail) {
  // What is sampled does not depend on the operation, and what it takes to solve one does.
  if (operation() != Operation::all_gather && operation() != Operation::scatter) return;
  // An emulated device follows every access.
  const Problem problem{operation(), 2, kind() == device::Kind::emulated ? 1 << 16 : 5 << 19,
                        DType::i8};
  std::vector<std::byte> received = as_stored(problem.dtype, solve(problem, 0));
  EXPECT_TRUE(check(problem, 0, received).right());
  received.back() ^= std::byte{1};
  EXPECT_FALSE(check(problem, 0, received).right());
}

TEST_P(Oracle, FillsInputsOfAnyRank) {
  for (const DType dtype : dtypes)
    for (const int rank : {0, 2}) {
      const Problem problem{operation(), 3, 3000, dtype};
      const auto count = static_cast<std::size_t>(problem.send_count(rank));
      const device::Buffer<std::byte> buffer(*found_.device, count * size_of(dtype));
      fill_inputs(*found_.device, problem, rank, inputs, buffer.data());
      found_.device->synchronize();
      Elements right;
      for (std::size_t i = 0; i < count; ++i)
        right.push_back(inputs(dtype, first_index(problem, rank) + i));
      EXPECT_EQ(buffer.download(), as_stored(dtype, right)) << to_string(dtype) << rank;
    }
}

TEST(Variants, SayWhatTheyNeedBeforeAnythingIsAllocated) {
  device::Facts cpu, gpu;
  gpu.kind = device::Kind::cuda;
  bool mpi = false;
  for (const auto& [name, kind, variant] : variants()) {
    EXPECT_FALSE(variant.idea.empty());
    mpi = mpi || name == "mpi";
    if (name == "mpi") {
      EXPECT_TRUE(variant.supports({Operation::all_reduce, 2, 4096}, cpu));
      EXPECT_FALSE(variant.supports({Operation::all_reduce, 2, std::int64_t{1} << 40}, cpu));
      EXPECT_FALSE(variant.supports({Operation::all_reduce, 2, 4096}, gpu));
      EXPECT_EQ(
          variant.supports({Operation::reduce, 2, 4096, DType::f32, Reduction::avg}, cpu).reason(),
          "MPI has no average");
      EXPECT_TRUE(variant.supports({Operation::gather, 2, 4096, DType::bf16}, cpu));
      EXPECT_FALSE(variant.supports(
          {Operation::reduce_scatter, 2, 4096, DType::f32, Reduction::sum, true}, cpu));
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

}  // namespace collectives_test
}  // namespace ridgeline::collectives
