#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/device_kind.hpp"

namespace ridgeline::run {

/// A case pattern and where it stands. One that is written with a '!' before it takes away what
/// others have picked.
struct Pattern {
  std::string text;  // without the '!'
  int line = 0;
  bool takes_away = false;
};

/// How closely each case is measured.
struct Sampling {
  double target = 0.01;  // half width of the process's interval over its median, at which sampling
                         // stops
  double unstable = 0.05;  // above this the measurement counts as unstable
  int min_samples = 10, max_samples = 1000;
  double warmup_s = 0.2;
  double sample_floor_s = 200e-6;  // a sample executes often enough to last this long
  double energy_s = 0;             // wall time that a case is executed for its energy
  int energy_processes = 1;        // in so many of its processes, the first ones
};

/// How much is measured: suites/profiles/<name>.toml.
struct Profile {
  std::string name;
  std::filesystem::path file;
  std::string text;  // the whole file
  std::string description;
  int processes = 1;
  double budget_s = 0;        // of the whole run, wall clock
  double case_timeout_s = 0;  // of one case in one process, preparing included
  Sampling sampling;
  std::map<DeviceKind, std::vector<Pattern>> cases;  // by kind of device
};

/// Reads a profile. Strict: an unknown key, a wrong type or a value out of range throws a usage
/// Error with file and line.
Profile parse_profile(std::string_view text, const std::filesystem::path& file);

/// `name` as a profile of `home`, or as a file when it has a '/' or ends in ".toml".
Profile load_profile(const std::string& name, const std::filesystem::path& home);

/// Names of the profiles of `home`, sorted.
std::vector<std::string> profile_names(const std::filesystem::path& home);

}  // namespace ridgeline::run
