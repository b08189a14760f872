#include "harness/run/profile.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/run/strict_toml.hpp"

namespace ridgeline::run {
namespace {

std::vector<Pattern> patterns(StrictTable& section, const std::string& key) {
  const toml::array* list = section.need(key).as_array();
  if (!list || list->empty())
    section.refuse(section.need(key).source(), key + " must be a list of case patterns");
  std::vector<Pattern> patterns;
  for (const toml::node& each : *list) {
    const auto text = each.value_exact<std::string>();
    const bool takes_away = text && text->starts_with('!');
    if (!text || text->size() == (takes_away ? 1u : 0u))
      section.refuse(each.source(), "a case pattern must be a text that is not empty");
    patterns.push_back(
        {text->substr(takes_away ? 1 : 0), static_cast<int>(each.source().begin.line), takes_away});
  }
  return patterns;
}

}  // namespace

Profile parse_profile(std::string_view text, const std::filesystem::path& file) {
  const toml::table table = parse_toml(text, file);
  StrictTable top(table, file, "");
  Profile profile;
  profile.name = file.stem().string();
  profile.file = file;
  profile.text = text;
  profile.description = top.text("description");
  profile.processes = top.count("processes", 1, 1000);
  profile.budget_s = top.duration("budget");
  profile.case_timeout_s = top.duration("case_timeout");
  top.section("sampling", [&](StrictTable& sampling) {
    Sampling& options = profile.sampling;
    options.target = sampling.fraction("target");
    options.unstable = sampling.fraction("unstable");
    options.min_samples = sampling.count("min_samples", 1, 1'000'000);
    options.max_samples = sampling.count("max_samples", 1, 1'000'000);
    options.warmup_s = sampling.duration("warmup");
    if (sampling.find("sample_floor")) options.sample_floor_s = sampling.duration("sample_floor");
    if (sampling.find("energy")) options.energy_s = sampling.duration("energy");
    if (sampling.find("energy_processes"))
      options.energy_processes = sampling.count("energy_processes", 1, 1000);
    if (options.max_samples < options.min_samples)
      sampling.refuse(sampling.need("max_samples").source(), "max_samples is below min_samples");
    if (options.unstable < options.target)
      sampling.refuse(sampling.need("unstable").source(),
                      "unstable is below target: what stops sampling cannot be unstable");
  });
  for (const Name<DeviceKind>& kind : names(DeviceKind{}))
    top.section(std::string(kind.name), [&](StrictTable& section) {
      profile.cases[kind.value] = patterns(section, "cases");
    });
  top.done();
  return profile;
}

std::vector<std::string> profile_names(const std::filesystem::path& home) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry :
       std::filesystem::directory_iterator(home / "suites" / "profiles", unreadable))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Profile load_profile(const std::string& name, const std::filesystem::path& home) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml"))
    return parse_profile(read_toml_file(name, "profile"), name);
  const std::vector<std::string> names = profile_names(home);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = nearest(name, names);
    throw Error(ErrorKind::usage, fmt::format("there is no profile \"{}\"", printable(name)),
                near.empty() ? fmt::format("there are {}; a file is named with its ending .toml",
                                           fmt::join(names, ", "))
                             : fmt::format("did you mean {}?", near));
  }
  const std::filesystem::path file = home / "suites" / "profiles" / (name + ".toml");
  return parse_profile(read_toml_file(file, "profile"), file);
}

}  // namespace ridgeline::run
