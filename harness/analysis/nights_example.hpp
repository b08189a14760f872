#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

/// A results file of made-up nights, of a model that no device has.
namespace ridgeline::analysis::examples {

struct Nights {
  int cases = 3;
  double noise = 0.003;
  std::string profile = "nightly";
  /// Log of the time of a case on a night, beside its noise; absent when it is not measured.
  std::function<std::optional<double>(int of, int night)> level = [](int, int) { return 0.0; };
  std::function<std::string(int night)> driver = [](int) { return "580.1"; };
  std::function<std::string(int night)> power_limit = [](int) { return "300"; };  // comparable
  std::function<std::string(int night)> commit = [](int night) {
    return fmt::format("{:04x}c0ffee", night);
  };
  std::function<std::string(int night)> code = {};  // hash of the worker's; else the commit
  std::function<std::string(int night)> compiler = [](int) { return "g++ 12.2"; };
  std::function<std::string(int night)> profile_text = [](int) { return ""; };
  std::function<std::string(int night)> cache = [](int) { return "cold"; };
  std::function<record::Facts(int night)> facts = [](int) { return record::Facts(); };  // recorded
  std::function<std::string(int night)> start = [](int) { return "02:00:00"; };
};

inline std::string day(int night) {
  const std::chrono::year_month_day date =
      std::chrono::sys_days(std::chrono::year(2026) / 1 / 1) + std::chrono::days(night);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

/// When the job of a night starts.
inline std::string after(int night) { return day(night) + "T03:00:00Z"; }

inline std::string case_name(int of) {
  return record::name(store::examples::gemm_case("naive", 64 * (of + 1)).id);
}

/// Begins the run of a night, and returns the id of its only process.
inline std::int64_t begin_night(store::Store& store, const Nights& nights, int night,
                                const std::string& suffix = "") {
  record::Run run = store::examples::run(fmt::format("night{:04}{}", night, suffix),
                                         fmt::format("{}T{}Z", day(night), nights.start(night)));
  run.profile = nights.profile;
  run.profile_text = nights.profile_text(night);
  record::Environment environment = store::examples::environment();
  environment.comparable["power_limit_w"] = nights.power_limit(night);
  environment.hash = "e" + nights.power_limit(night);
  environment.recorded["driver"] = nights.driver(night);
  environment.recorded["load_average"] = fmt::format("{}.{}", night % 7, night);
  environment.recorded["chassis_fan_rpm"] = fmt::format("{}", 900 + night * 37 % 101);
  for (const auto& [key, value] : nights.facts(night)) environment.recorded[key] = value;
  store::begin(store, run, store::examples::device(), environment);
  store::finish(store, run.id, record::RunStatus::finished, run.started);
  record::Process process = store::examples::process(0, run.id);
  process.build = {"ridgeline-suites",
                   nights.commit(night),
                   false,
                   nights.compiler(night),
                   "-O3",
                   "",
                   nights.code ? nights.code(night) : nights.commit(night)};
  return store::add(store, process);
}

/// Adds what the process of a night measured.
inline void add_times(store::Store& store, const Nights& nights, int night, std::int64_t process) {
  for (int of = 0; of < nights.cases; ++of) {
    const std::optional<double> level = nights.level(of, night);
    if (!level) continue;
    std::seed_seq seed{of, night};
    std::mt19937_64 random(seed);
    const double ns = 1000 * (of + 1) *
                      std::exp(*level + nights.noise * std::normal_distribution<double>()(random));
    const record::Case info = store::examples::gemm_case("naive", 64 * (of + 1));
    record::Measurement measured = store::examples::measurement(info, {ns});
    measured.cache = nights.cache(night);
    store::add(store, process, info, measured);
  }
}

/// Adds nights [begin, end).
inline void add_nights(store::Store& store, const Nights& nights, int begin, int end) {
  for (int night = begin; night < end; ++night)
    add_times(store, nights, night, begin_night(store, nights, night));
}

}  // namespace ridgeline::analysis::examples
