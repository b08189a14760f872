#include "harness/gate/forecast.hpp"

#include <cstdint>

namespace ridgeline::gate {
namespace {

constexpr std::int64_t most = 1'000'000;  // cases, and rounds
constexpr double most_s = 1e9;

/// Throws json::Errors, also for what cannot be true.
GateForecast parsed(const json::Value& stored) {
  const auto number = [&](const char* key) {
    const double value = stored.at(key).number();
    if (!(value >= 0 && value <= most_s)) throw json::Error("a forecast's number out of range");
    return value;
  };
  const auto count = [&](const char* key) {
    const std::int64_t value = stored.at(key).integer();
    if (value < 0 || value > most) throw json::Error("a forecast's count out of range");
    return static_cast<int>(value);
  };
  GateForecast forecast;
  forecast.cases = count("cases");
  forecast.taken = count("taken");
  forecast.enough = stored.at("enough").boolean();
  forecast.round_s = number("round_s");
  forecast.all_round_s = number("all_round_s");
  forecast.rounds = count("rounds");
  forecast.all_rounds = count("all_rounds");
  forecast.least_rounds = count("least_rounds");
  forecast.wanted_s = number("wanted_s");
  if (stored.find("smallest_effect") != nullptr)
    forecast.smallest_effect = number("smallest_effect");
  return forecast;
}

}  // namespace

json::Value to_json(const GateForecast& forecast) {
  json::Value object{{"cases", forecast.cases},           {"taken", forecast.taken},
                     {"enough", forecast.enough},         {"round_s", forecast.round_s},
                     {"rounds", forecast.rounds},         {"all_round_s", forecast.all_round_s},
                     {"all_rounds", forecast.all_rounds}, {"least_rounds", forecast.least_rounds},
                     {"wanted_s", forecast.wanted_s}};
  json::put(object, "smallest_effect", forecast.smallest_effect);
  return object;
}

std::string with_forecast(const std::string& options, const GateForecast& forecast) {
  json::Value all = json::parse(options);
  all["forecast"] = to_json(forecast);
  return all.dump();
}

std::optional<GateForecast> stored_forecast(const std::string& options) {
  const std::optional<json::Value> all = json::try_parse(options);
  const json::Value* stored = all ? all->find("forecast") : nullptr;
  if (stored == nullptr) return std::nullopt;
  try {
    return parsed(*stored);
  } catch (const json::Error&) {
    return std::nullopt;  // written by another version, or by nobody of ours
  }
}

}  // namespace ridgeline::gate
