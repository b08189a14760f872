#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"

/// Causes of changes on machines of a pool, which take turns.
namespace ridgeline::analysis {
namespace trend_pools_test {

using examples::Nights;

constexpr int planted_night = 80;

auto switched(const std::string& before, const std::string& after) {
  return [=](int night) { return night < planted_night ? before : after; };
}

TrendRules last(std::size_t nights) {
  TrendRules rules;
  rules.new_nights = rules.shown_nights = nights;
  return rules;
}

/// A pool whose other machine, on which case 1 is slower and case 2 faster, is there for six nights
/// now and then.
TEST_F(Trend, AMachineThatStaysForDaysIsToBlameForAsLongAsItIsTold) {
  Nights nights;
  nights.commit = [](int) { return "aaaaaaaa"; };
  nights.code = [](int) { return "c0dec0de"; };
  const auto elsewhere = [](int night) {
    return (night >= 50 && night < 56) || (night >= 80 && night < 86);
  };
  nights.facts = [=](int night) {
    return record::Facts{{"host", elsewhere(night) ? "there" : "here"}};
  };
  nights.level = [=](int of, int night) {
    return !elsewhere(night) || of == 0 ? 0.0 : of == 1 ? .4 : -.4;
  };
  std::size_t there = 0, back = 0;
  add(nights, 0, 84);
  for (int night = 84; night < 105; ++night) {
    add(nights, night, night + 1);
    for (const TrendChange& change : trend(last(90)).changes) {
      if (change.night < 80) continue;
      const bool is_back = change.night >= 86;
      ++(is_back ? back : there);
      EXPECT_EQ(change.kind, TrendKind::environment) << change.case_name << " on night " << night;
      EXPECT_EQ(change.why->cause, TrendCause::machine);
      EXPECT_EQ(change.changes.environment,
                std::vector<std::string>{is_back ? "host there -> here" : "host here -> there"})
          << night;
      EXPECT_FALSE(fails(change));
    }
  }
  EXPECT_GE(there, 2 * 20u);
  EXPECT_GE(back, 2 * 12u);
}

/// Nights of a pool of machines that each have times of their own, 10% apart, and stay 2 to 9
/// nights; the code changes every night.
Nights pool(unsigned machines, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> hosts;
  for (unsigned host = 0; hosts.size() < 150;) {
    host = (host + 1 + random() % (machines - 1)) % machines;
    hosts.insert(hosts.end(), 2 + random() % 8, std::to_string(host));
  }
  Nights nights;
  nights.cases = 8;
  nights.facts = [=](int night) {
    return record::Facts{{"host", hosts.at(static_cast<std::size_t>(night))}};
  };
  nights.level = [=](int of, int night) {
    std::seed_seq own{of, std::stoi(hosts.at(static_cast<std::size_t>(night))), 7};
    std::mt19937 random_level(own);
    return std::normal_distribution<double>(0, .1)(random_level);
  };
  return nights;
}

TEST_F(Trend, TheMachinesOfAPoolAreToBlame) {
  for (const unsigned machines : {3u, 6u}) {
    std::size_t right = 0, all = 0;
    for (unsigned seed = 0; seed < 4; ++seed) {
      add(pool(machines, seed), 0, 150);
      for (const TrendChange& change : trend(last(60)).changes) {
        ++all;
        right += change.why->cause == TrendCause::machine ? 1 : 0;
      }
      std::filesystem::remove(file);
    }
    EXPECT_GE(all, 50u);
    EXPECT_GE(right * 100, all * 95) << right << " of " << all << ", machines: " << machines;
  }
}

/// The other machine is the reason, as it was before, also for a single case of many.
TEST_F(Trend, AMachineOnWhichOneCaseOfManyIsSlowerIsToBlame) {
  Nights nights;
  nights.cases = 40;
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  nights.code = switched("c0dec0de", "ab1eab1e");
  const auto elsewhere = [](int night) {
    return night >= planted_night || (night >= 50 && night < 62);
  };
  nights.facts = [=](int night) {
    return record::Facts{{"host", elsewhere(night) ? "there" : "here"}};
  };
  nights.level = [=](int of, int night) { return of == 1 && elsewhere(night) ? .1 : 0.0; };
  add(nights, 0, 90);
  const std::vector<TrendChange> found = trend(last(15)).changes;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].why->cause, TrendCause::machine);
  EXPECT_FALSE(fails(found[0]));
}

/// Of machines that take turns, a fortnight says nothing of how far a case moves by itself: a new
/// one is compared with the one before it.
TEST_F(Trend, ANewMachineOfAPoolIsToBlameForManyCases) {
  Nights nights;
  nights.cases = 40;
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  nights.code = switched("c0dec0de", "ab1eab1e");
  const auto host = [](int night) { return night < planted_night ? night / 2 % 3 : 3; };
  nights.facts = [=](int night) { return record::Facts{{"host", std::to_string(host(night))}}; };
  nights.level = [=](int of, int night) {
    constexpr double own[] = {.05, -.05, 0, .12};
    return own[of % 3 == 0 || host(night) < 3 ? host(night) : 0];
  };
  add(nights, 0, 95);
  std::size_t seen = 0;
  DeviceTrend found = trend(last(20));
  for (const FleetEvent& event : found.fleet)
    std::ranges::copy(event.members, std::back_inserter(found.changes));
  for (const TrendChange& change : found.changes) {
    ++seen;
    EXPECT_EQ(change.why->cause, TrendCause::machine) << change.case_name;
  }
  EXPECT_GE(seen, 10u);
}

}  // namespace trend_pools_test
}  // namespace ridgeline::analysis
