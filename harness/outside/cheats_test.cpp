// Kernels that read or write what they must not, invent times, or compute something less.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "harness/device/fake/fake_device.hpp"
#include "harness/outside/cheats_fixture.hpp"

namespace ridgeline::outside {
namespace cheats_test {

TEST(Cheats, InputsAreChanged) {
  expect_caught(doubling([](const float* x, float* y) {
                  doubled(x, y, n);
                  std::fill_n(const_cast<float*>(x), n, 0.0f);  // the next one is easy
                }),
                "input 0 was changed, which a kernel only reads: element 0");
  Case one = doubling([](const float* x, float* y) {
    doubled(x, y, n);
    const_cast<float*>(x)[n] += 1;  // is not even read
  });
  one.inputs[0].count = n + 1;
  expect_caught(one, "input 0 was changed, which a kernel only reads: element 256");
}

TEST(Cheats, MemoryBesideABufferIsWritten) {
  expect_caught(doubling([](const float* x, float* y) { doubled(x, y, n), y[n] = 0; }),
                "memory past its end of output 0 was written");
  expect_caught(doubling([](const float* x, float* y) { doubled(x, y, n), y[-1] = 0; }),
                "memory before its begin of output 0 was written");
  expect_caught(doubling([](const float* x, float* y) {
                  doubled(x, y, n);
                  const_cast<float*>(x)[n + 3] = 0;
                }),
                "memory past its end of input 0 was written");
}

TEST(Cheats, AShapeIsSpecialCased) {
  constexpr std::int64_t large = 20'000;
  const auto without_end = [](const float* x, float* y) { doubled(x, y, large * 95 / 100, 30); };
  expect_caught(doubling(without_end, large), "of output 0 was not written");
}

TEST(Cheats, AnOutputThatDependsOnNoInput) {
  Case one = doubling([](const float*, float* y) { std::fill_n(y, n, 0.0f); });
  one.outputs[0].tolerance = 0.99;
  expect_caught(one, "outputs are the same, bit by bit, for other inputs");
}

TEST(Cheats, ALesserTypePassedOffForF32) {
  expect_caught(doubling([](const float* x, float* y) {
                  for (std::int64_t i = 0; i < n; ++i)
                    y[i] = 2 * std::bit_cast<float>(std::bit_cast<std::uint32_t>(x[i]) & ~0x1FFFu);
                }),
                "before timing the output differed from the oracle's");
}

TEST(Cheats, TimesThatAreInvented) {
  device::FakeScript script;
  script.elapsed_ns = [](std::int64_t) { return 60e3; };
  device::FakeDevice device(script);
  const auto found = measured(doubling([](const float* x, float* y) { doubled(x, y, n, 2000); }),
                              device, measure::Cache::hot);
  EXPECT_EQ(found.outcome, record::Outcome::wrong_result);
  EXPECT_NE(found.reason.find("the times are not those of this machine"), std::string::npos)
      << found.reason;
  EXPECT_TRUE(found.samples_ns.empty());
}

TEST(Cheats, AnExceptionWhereItIsLookedAt) {
  int calls = 0;
  EXPECT_THROW(measured(doubling([&](const float* x, float* y) {
                          if (++calls > 3 && std::isnan(y[0])) throw std::runtime_error("not now");
                          if (calls > 20) throw std::runtime_error("I have enough");
                          doubled(x, y, n);
                        }),
                        cpu()),
               std::runtime_error);
}

}  // namespace cheats_test
}  // namespace ridgeline::outside
