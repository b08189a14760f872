// Kernels that remember an output, or leave executions out.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/outside/cheats_fixture.hpp"

namespace ridgeline::outside {
namespace left_out_test {

using Kernel = std::function<void(const float*, float*)>;

TEST(LeftOut, OneOutputForAll) {
  const auto kept = std::make_shared<std::vector<float>>();
  expect_caught(doubling([kept](const float* x, float* y) {
                  if (kept->empty()) {
                    kept->resize(n);
                    doubled(x, kept->data(), n);
                  }
                  std::ranges::copy(*kept, y);
                }),
                "while timing the output differed");
}

/// Remembers an output for each address of inputs, as long as `same` says that they are the same.
Kernel remembering(
    const std::function<bool(const float* x, const std::vector<float>& kept)>& same) {
  const auto kept = std::make_shared<std::map<const float*, std::vector<float>>>();
  return [kept, same](const float* x, float* y) {
    std::vector<float>& known = (*kept)[x];
    if (known.empty() || !same(x, known)) {
      known.resize(n);
      doubled(x, known.data(), n);
    }
    std::ranges::copy(known, y);
  };
}

TEST(LeftOut, OutputsByTheAddressOfTheInputs) {
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught(doubling(remembering([](const float*, const auto&) { return true; })),
                  "on inputs that were new after timing the output differed", cache);
}

TEST(LeftOut, OutputsByTheAddressAndAnElementOfTheInputs) {
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught(doubling(remembering([](const float* x, const std::vector<float>& kept) {
                    return 2 * x[n / 2] == kept[n / 2];
                  })),
                  "on inputs that were new after timing the output differed", cache);
}

TEST(LeftOut, OutputsByAllElementsOfTheInputs) {
  const auto one = [] {
    return doubling(remembering([](const float* x, const std::vector<float>& kept) {
      for (std::int64_t i = 0; i < n; ++i)
        if (2 * x[i] != kept[static_cast<std::size_t>(i)]) return false;
      return true;
    }));
  };
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught_by_time(one, "it remembers outputs: on inputs that it has not seen", cache);
}

TEST(LeftOut, RepeatedExecutionsAreLeftOut) {
  // Of each experiment its own: memory that one gives back, the next may get.
  struct Seen {
    const float* x = nullptr;
    float* y = nullptr;
    float there = 0;
  };
  const auto unless_changed = [] {
    return doubling([seen = std::make_shared<Seen>()](const float* x, float* y) {
      if (x != seen->x || y != seen->y || y[0] != seen->there) doubled(x, y, n);
      *seen = {x, y, y[0]};
    });
  };
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught_by_time(unless_changed, "it leaves executions out: one takes", cache);
  expect_caught(doubling([seen = std::make_shared<Seen>()](const float* x, float* y) {
                  if (x != seen->x || y != seen->y) doubled(x, y, n);
                  *seen = {x, y, 0};
                }),
                "timing the output differed", measure::Cache::hot);
}

TEST(LeftOut, RightOnTheFirstCallsAlone) {
  for (const int first : {1, 8}) {
    int calls = 0;
    expect_caught(doubling([&](const float* x, float* y) {
                    if (++calls <= first) doubled(x, y, n);
                  }),
                  "while timing the output");
  }
}

TEST(LeftOut, NothingUnlessTheOutputIsLookedAt) {
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught(doubling([](const float* x, float* y) {
                    if (std::isnan(y[0])) doubled(x, y, n);
                  }),
                  "while timing the output", cache);
}

TEST(LeftOut, NothingWhereTheOutputIsLookedAt) {
  expect_caught(doubling([](const float* x, float* y) {
                  if (!std::isnan(y[0])) doubled(x, y, n);
                }),
                "before timing the output was not written");
}

TEST(LeftOut, AnEarlierOutputIsCopied) {
  float* earlier = nullptr;
  expect_caught(doubling([&](const float* x, float* y) {
                  if (earlier == nullptr) doubled(x, earlier = y, n);
                  if (y != earlier) std::copy_n(earlier, n, y);
                }),
                "timing the output differed");
}

TEST(LeftOut, AThirdOfAllExecutions) {
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot}) {
    const auto unless = [&](const auto& left_out) {
      expect_caught(doubling([&](const float* x, float* y) {
                      if (!left_out()) doubled(x, y, n);
                    }),
                    "timing the output", cache);
    };
    int calls = 0;
    unless([&] { return ++calls % 3 == 0; });
    unless([&] { return ++calls % 30 > 20; });
    std::mt19937 chance(7);
    unless([&] { return chance() % 3 == 0; });
  }
}

}  // namespace left_out_test
}  // namespace ridgeline::outside
