#include "harness/gate/forecast.hpp"

#include <gtest/gtest.h>

namespace ridgeline::gate {
namespace forecast_test {

const GateForecast forecast{102, 31, false, 45, 148, 18, 4, 14, 2664, .025};

TEST(Forecast, ComesBackFromAGatesOptions) {
  const std::string options = R"({"strict":true})";
  EXPECT_FALSE(stored_forecast(options));
  const std::string with = with_forecast(options, {});
  EXPECT_EQ(stored_forecast(with), GateForecast());
  EXPECT_EQ(stored_forecast(with_forecast(with, forecast)), forecast);
  EXPECT_TRUE(json::parse(with).at("strict").boolean());
}

TEST(Forecast, OfAStrangerIsNoneUnlessItCanBeTrue) {
  EXPECT_FALSE(stored_forecast("no JSON"));
  EXPECT_FALSE(stored_forecast("[]"));
  EXPECT_FALSE(stored_forecast(R"({"forecast":7})"));
  EXPECT_FALSE(stored_forecast(R"({"forecast":{"cases":1}})"));
  const auto with = [](const char* key, const json::Value& value) {
    json::Value all = json::parse(with_forecast("{}", forecast)), changed = all.at("forecast");
    changed[key] = value;
    all["forecast"] = changed;
    return stored_forecast(all.dump());
  };
  EXPECT_TRUE(with("rounds", 5));
  EXPECT_FALSE(with("rounds", -1));
  EXPECT_FALSE(with("rounds", 1e9));
  EXPECT_FALSE(with("taken", 1.5));
  EXPECT_FALSE(with("round_s", 1e300));
  EXPECT_FALSE(with("round_s", "long"));
  EXPECT_FALSE(with("enough", 1));
  EXPECT_FALSE(with("smallest_effect", -1));
}

}  // namespace forecast_test
}  // namespace ridgeline::gate
