// Honest kernels of many kinds, none of which may be accused on a busy machine; and cases that
// cannot be.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/outside/outside_fixture.hpp"

namespace ridgeline::outside {
namespace honest_test {

void expect_right(const Case& one) {
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot}) {
    const record::Measurement found = measured(one, cpu(), cache);
    EXPECT_EQ(found.outcome, record::Outcome::ok) << one.variant << ": " << found.reason;
    EXPECT_FALSE(found.samples_ns.empty());
  }
}

TEST(Honest, LongShortAndTiny) {
  expect_right(doubling([](const float* x, float* y) { doubled(x, y, 256); }));
  expect_right(doubling([](const float* x, float* y) { doubled(x, y, 10'000, 30); }, 10'000));
  expect_right(doubling([](const float* x, float* y) { y[0] = 2 * x[0]; }, 1));
}

TEST(Honest, WithThreads) {
  expect_right(doubling(
      [](const float* x, float* y) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 4096; ++i) doubled(x + i, y + i, 1, 30);
      },
      4096));
  expect_right(doubling([](const float* x, float* y) {
    std::jthread half([=] { doubled(x, y, 128); });
    doubled(x + 128, y + 128, 128);
  }));
}

TEST(Honest, WithAGeneratorOfItsOwn) {
  std::mt19937 chance(7);
  expect_right(doubling([&](const float* x, float* y) {
    for (int i = 0; i < 256; ++i) y[i] = 2 * x[i] + 1e-9f * static_cast<float>(chance() % 100);
  }));
  // A task that is now and then far longer.
  expect_right(doubling(
      [&](const float* x, float* y) { doubled(x, y, 256, chance() % 10 == 0 ? 2000 : 100); }));
  // Or seldom far shorter.
  expect_right(doubling(
      [&](const float* x, float* y) { doubled(x, y, 256, chance() % 8 == 0 ? 200 : 2000); }));
}

TEST(Honest, InPlaceAndInTwoBuffers) {
  expect_right(doubling([](const float* x, float* y) {
    std::copy_n(x, 256, y);
    for (int step = 0; step < 3; ++step)
      for (int i = 0; i < 256; ++i) y[i] = 0.5f * y[i] + x[i] * (step == 2 ? 1.3125f : 0.75f);
  }));
  std::vector<float> kept[2]{std::vector<float>(256), std::vector<float>(256)};
  std::size_t turn = 0;
  expect_right(doubling([&](const float* x, float* y) {
    std::vector<float>& own = kept[turn ^= 1];
    doubled(x, own.data(), 256);
    std::ranges::copy(own, y);
  }));
}

TEST(Honest, ASumInAnyOrder) {
  constexpr std::int64_t n = 4096;
  expect_right({.variant = "atomic_sum",
                .problem = {{"n", n}},
                .inputs = {{n}},
                .outputs = {{1,
                             [](const Inputs& in, std::int64_t) {
                               double all = 0;
                               for (std::int64_t i = 0; i < n; ++i) all += std::abs(in(0, i));
                               return all;
                             },
                             {},
                             1e-4}},
                .launch = [](const Execution& on) {
                  const auto* x = on.in<float>(0);
                  std::atomic<float> sum = 0;
#pragma omp parallel for schedule(dynamic, 64)
                  for (std::int64_t i = 0; i < n; ++i) sum += std::abs(x[i]);
                  *on.out<float>(0) = sum;
                }});
}

TEST(Honest, WithATableThatIsMadeOnce) {
  const auto table = std::make_shared<std::vector<float>>();
  expect_right(doubling([table](const float* x, float* y) {
    if (table->empty()) table->assign(100'000, 2.0f);
    for (int i = 0; i < 256; ++i) y[i] = (*table)[static_cast<std::size_t>(i)] * x[i];
  }));
}

TEST(Honest, ASumAndAMean) {
  constexpr std::int64_t n = 2000;
  const auto sum = [](const Inputs& in, std::int64_t) {
    double all = 0;
    for (std::int64_t i = 0; i < n; ++i) all += in(0, i);
    return all;
  };
  expect_right(
      {.variant = "sum",
       .dtype = DType::f64,
       .problem = {{"n", n}},
       .inputs = {{n}},
       .outputs =
           {{1, sum, {}, 1e-12},
            {1, [=](const Inputs& in, std::int64_t i) { return sum(in, i) / n; }, {}, 1e-12}},
       .launch = [](const Execution& on) {
         const auto* x = on.in<double>(0);
         *on.out<double>(0) = std::accumulate(x, x + n, 0.0);
         *on.out<double>(1) = *on.out<double>(0) / n;
       }});
}

TEST(Honest, ARunningSumAtOnce) {
  constexpr std::int64_t n = 5000;
  expect_right({.variant = "scan",
                .dtype = DType::f64,
                .problem = {{"n", n}},
                .inputs = {{n}},
                .outputs = {{n,
                             {},
                             [](const Inputs& in) {
                               std::vector<double> sums;
                               double sum = 0;
                               for (std::int64_t i = 0; i < n; ++i) sums.push_back(sum += in(0, i));
                               return sums;
                             },
                             1e-12}},
                .launch = [](const Execution& on) {
                  const auto* x = on.in<double>(0);
                  std::partial_sum(x, x + n, on.out<double>(0));
                }});
}

// As it is on a busy machine, where others may take the processor each time that inputs are new.
TEST(Honest, KeptWaitingByOthersOnNewInputs) {
  const auto seen = std::make_shared<std::map<const float*, std::vector<float>>>();
  expect_right(doubling([seen](const float* x, float* y) {
    std::vector<float>& before = (*seen)[x];
    if (!std::ranges::equal(before, std::span(x, 256)))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    before.assign(x, x + 256);
    doubled(x, y, 256, 1000);
  }));
}

// Predictors of branches learn what is done to so few elements: on inputs that come again they are
// sorted in a third of the time.
TEST(Honest, SortingWhichTakesBranches) {
  for (const std::int64_t n : {300, 400, 500, 1000})
    expect_right({.variant = "sort",
                  .problem = {{"n", n}},
                  .inputs = {{n}},
                  .outputs = {{n,
                               {},
                               [n](const Inputs& in) {
                                 std::vector<double> all;
                                 for (std::int64_t i = 0; i < n; ++i) all.push_back(in(0, i));
                                 std::ranges::sort(all);
                                 return all;
                               }}},
                  .launch = [n](const Execution& on) {
                    std::copy_n(on.in<float>(0), n, on.out<float>(0));
                    std::sort(on.out<float>(0), on.out<float>(0) + n);
                  }});
}

TEST(Honest, Integers) {
  constexpr std::int64_t n = 300;
  expect_right(
      {.variant = "parity",
       .dtype = DType::i32,
       .problem = {{"n", n}},
       .inputs = {{n}},
       .outputs = {{.count = n,
                    .expected = [](const Inputs& in,
                                   std::int64_t i) { return std::fabs(std::fmod(in(0, i), 2)); },
                    .dtype = DType::u8},
                   {.count = n,
                    .expected = [](const Inputs& in,
                                   std::int64_t i) { return -std::fabs(std::fmod(in(0, i), 2)); },
                    .dtype = DType::i8}},
       .launch = [](const Execution& on) {
         for (std::int64_t i = 0; i < n; ++i) {
           on.out<std::uint8_t>(0)[i] = static_cast<std::uint8_t>(on.in<int>(0)[i] & 1);
           on.out<std::int8_t>(1)[i] = static_cast<std::int8_t>(-(on.in<int>(0)[i] & 1));
         }
       }});
}

TEST(Honest, HalvesAndAWorkspace) {
  constexpr std::int64_t n = 500;
  expect_right(
      {.variant = "halves",
       .dtype = DType::f16,
       .problem = {{"n", n}},
       .inputs = {{n}, {n, DType::f32}},
       .outputs = {{n, [](const Inputs& in, std::int64_t i) { return in(0, i) + in(1, i); }}},
       .launch =
           [](const Execution& on) {
             auto* sums = static_cast<float*>(on.workspace());
             for (std::int64_t i = 0; i < n; ++i)
               sums[i] = from_f16(on.in<std::uint16_t>(0)[i]) + on.in<float>(1)[i];
             for (std::int64_t i = 0; i < n; ++i) on.out<std::uint16_t>(0)[i] = to_f16(sums[i]);
           },
       .workspace = n * sizeof(float)});
}

TEST(Honest, WhatNeedsNoInputs) {
  constexpr std::int64_t n = 300;
  expect_right({.variant = "fill",
                .problem = {{"n", n}},
                .outputs = {{n, [](const Inputs&, std::int64_t i) { return double(i); }}},
                .launch = [](const Execution& on) {
                  std::iota(on.out<float>(0), on.out<float>(0) + n, 0.0f);
                }});
}

TEST(Honest, OutputsThatAreMostlyTheSame) {
  constexpr std::int64_t n = 64;
  expect_right({.variant = "beyond",
                .problem = {{"n", n}},
                .inputs = {{n}},
                .outputs = {{n, [](const Inputs& in,
                                   std::int64_t i) { return in(0, i) > 0.999 ? 1.0 : 0.0; }}},
                .launch = [](const Execution& on) {
                  for (std::int64_t i = 0; i < n; ++i)
                    on.out<float>(0)[i] = on.in<float>(0)[i] > 0.999f ? 1.0f : 0.0f;
                }});
}

std::string refusal(const Case& one, int times = 1) {
  Suite suite;
  try {
    for (int i = 0; i < times; ++i) suite.add(one);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(Suite, SaysWhereACaseStandsThatCannotBe) {
  const Case right = doubling([](const float*, float*) {});
  EXPECT_EQ(refusal(right), "");
  const auto changed = [&](auto change) {
    Case one = right;
    change(one);
    return refusal(one);
  };
  EXPECT_EQ(changed([](Case& one) { one.launch = {}; }).substr(0, 17), "honest_test.cpp:2");
  for (const auto& [said, why] : {
           std::pair(changed([](Case& one) { one.launch = {}; }), "it launches nothing"),
           std::pair(changed([](Case& one) { one.outputs = {}; }), "it has no output"),
           std::pair(changed([](Case& one) { one.problem = {}; }), "it has no problem"),
           std::pair(changed([](Case& one) { one.variant = "a/b"; }), "its variant 'a/b'"),
           std::pair(changed([](Case& one) { one.inputs[0].count = 0; }), "input 0 has 0 elements"),
           std::pair(changed([](Case& one) { one.outputs[0].tolerance = 1; }), "accepts anything"),
           std::pair(changed([](Case& one) { one.outputs[0].expected = {}; }), "needs one of"),
           std::pair(changed([](Case& one) { one.bytes = -1; }), "no amount"),
           std::pair(refusal(right, 2), "has its name"),
       })
    EXPECT_NE(said.find(why), std::string::npos) << said;
}

TEST(Suite, ListsEmulatedCasesOfGpusAlone) {
  Suite suite;
  Case one = doubling([](const float*, float*) {});
  suite.add(one);
  one.device = Kind::cuda;
  suite.add(one);
  const worker::Suite listed = to_worker(suite, "mine", false),
                      emulated = to_worker(suite, "mine", true);
  ASSERT_EQ(listed.cases.size(), 2u);
  EXPECT_EQ(record::name(listed.cases[0].info.id), "mine/doubling/f32/n=256");
  ASSERT_EQ(emulated.cases.size(), 1u);
  EXPECT_EQ(emulated.cases[0].info.device_kind, Kind::emulated);
}

TEST(Suite, WhatIsExpectedReadsNoMoreThanThereIs) {
  Case one = doubling([](const float* x, float* y) { doubled(x, y, 256, 50); });
  one.outputs[0].expected = [](const Inputs& in, std::int64_t i) { return in(0, i + 1); };
  try {
    measured(one, cpu());
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "element 256 of input 0 is expected to matter, which has 256");
  }
}

}  // namespace honest_test
}  // namespace ridgeline::outside
