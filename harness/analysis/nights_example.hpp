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
};

inline std::string day(int night) {
  const std::chrono::year_month_day date =
      std::chrono::sys_days(std::chrono::year(2026) / 1 / 1) + std::chrono::days(night);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

inline std::string case_name(int of) {
  return record::name(store::examples::gemm_case("naive", 64 * (of + 1)).id);
}

/// Begins the run of a night, and returns the id of its only process.
inline std::int64_t begin_night(store::Store& store, const Nights& nights, int night,
                                const std::string& suffix = "") {
  record::Run run =
      store::examples::run(fmt::format("night{:04}{}", night, suffix), day(night) + "T02:00:00Z");
  run.profile = nights.profile;
  record::Environment environment = store::examples::environment();
  environment.comparable["power_limit_w"] = nights.power_limit(night);
  environment.hash = "e" + nights.power_limit(night);
  environment.recorded["driver"] = nights.driver(night);
  environment.recorded["load_average"] = fmt::format("{}.{}", night % 7, night);
  environment.recorded["chassis_fan_rpm"] = fmt::format("{}", 900 + night * 37 % 101);
  store::begin(store, run, store::examples::device(), environment);
  record::Process process = store::examples::process(0, run.id);
  process.build = {"ridgeline-suites",  nights.commit(night), false, "g++ 12.2", "-O3", "",
                   nights.commit(night)};
  return store::add(store, process);
}

/// Adds nights [begin, end).
inline void add_nights(store::Store& store, const Nights& nights, int begin, int end) {
  for (int night = begin; night < end; ++night) {
    const std::int64_t process = begin_night(store, nights, night);
    for (int of = 0; of < nights.cases; ++of) {
      const std::optional<double> level = nights.level(of, night);
      if (!level) continue;
      std::seed_seq seed{of, night};
      std::mt19937_64 random(seed);
      const double ns =
          1000 * (of + 1) *
          std::exp(*level + nights.noise * std::normal_distribution<double>()(random));
      const record::Case info = store::examples::gemm_case("naive", 64 * (of + 1));
      store::add(store, process, info, store::examples::measurement(info, {ns}));
    }
  }
}

}  // namespace ridgeline::analysis::examples
