#include "harness/run/selection.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::run {
namespace {

/// Whether a glob can match a name that begins with `beginning`. Holds the places in the glob that
/// can be reached so far.
bool may_match_below(std::string_view glob, std::string_view beginning) {
  std::vector<bool> reached(glob.size() + 1, false);
  const auto reach = [&](std::vector<bool>& places, std::size_t place) {
    places[place] = true;
    for (; place < glob.size() && glob[place] == '*'; ++place) places[place + 1] = true;
  };
  reach(reached, 0);
  for (const char c : beginning) {
    std::vector<bool> next(glob.size() + 1, false);
    for (std::size_t place = 0; place < glob.size(); ++place) {
      if (!reached[place]) continue;
      if (glob[place] == '*') reach(next, place);
      if (glob[place] == '?' || glob[place] == c) reach(next, place + 1);
    }
    reached = next;
  }
  return std::find(reached.begin(), reached.end(), true) != reached.end();
}

/// Whether `pattern` speaks of `each`. An unavailable worker's suite stands for cases that nobody
/// can list, so whatever may match one of them does.
bool picks(const std::string& pattern, const Selected& each) {
  if (matches(pattern, each.name)) return true;
  return !each.worker->unavailable.empty() && may_match_below(pattern, each.name + '/');
}

/// All cases for a kind of device, with why they cannot be measured on `device` when one is given.
std::vector<Selected> candidates(const std::vector<Worker>& workers, DeviceKind kind,
                                 const std::string& device = {}) {
  std::vector<Selected> all;
  std::set<std::string> names;
  for (const Worker& worker : workers) {
    const auto& served = worker.devices.devices;
    const bool serves = device.empty() ||
                        std::any_of(served.begin(), served.end(),
                                    [&](const record::Device& each) { return each.id == device; });
    for (const record::Case& info : worker.cases) {
      if (info.device_kind != kind) continue;
      const std::string name = record::name(info.id);
      if (!names.insert(name).second)
        throw Error(
            ErrorKind::usage,
            fmt::format("two workers list the case {}; one of them is {}", name, worker.name),
            "leave one of them out");
      std::string unavailable = worker.unavailable;
      if (unavailable.empty() && !serves)
        unavailable = fmt::format("{} does not serve {}", worker.name, device);
      all.push_back({&worker, info, name, unavailable});
    }
  }
  return all;
}

/// A case's name cut after its suite, variant and dtype as well: people mistype the beginning.
std::string nearest_name(const std::string& pattern, const std::vector<std::string>& names) {
  std::set<std::string> beginnings;
  for (const std::string& name : names) {
    beginnings.insert(name);
    for (std::size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1))
      beginnings.insert(name.substr(0, slash));
  }
  std::string near = nearest(pattern, {beginnings.begin(), beginnings.end()});
  if (near.empty())
    near = nearest(pattern.substr(0, pattern.find('/')), {beginnings.begin(), beginnings.end()});
  return near;
}

[[noreturn]] void nothing_matches(const std::string& where, const std::string& pattern,
                                  const std::vector<std::string>& names) {
  const std::string near = nearest_name(pattern, names);
  throw Error(ErrorKind::usage, fmt::format("{}no case matches \"{}\"", where, printable(pattern)),
              near.empty() ? "ridgeline list shows all cases"
                           : fmt::format("did you mean {}? ridgeline list shows all cases", near));
}

std::vector<std::string> names_of(const std::vector<Selected>& cases) {
  std::vector<std::string> names;
  for (const Selected& each : cases) names.push_back(each.name);
  return names;
}

void check_section(const Profile& profile, const std::vector<Pattern>& patterns,
                   const std::vector<Selected>& all) {
  for (const Pattern& pattern : patterns)
    if (std::none_of(all.begin(), all.end(),
                     [&](const Selected& each) { return picks(pattern.text, each); }))
      nothing_matches(fmt::format("{}:{}: ", profile.file.string(), pattern.line), pattern.text,
                      names_of(all));
}

bool takes_away(const Profile& profile, DeviceKind kind, const std::string& name) {
  const auto section = profile.cases.find(kind);
  return section != profile.cases.end() &&
         std::ranges::any_of(section->second, [&](const Pattern& pattern) {
           return pattern.takes_away && matches(pattern.text, name);
         });
}

/// `picks` says which names a pattern that adds speaks of.
template <class Picks>
bool has(const Profile& profile, DeviceKind kind, const std::string& name, Picks&& picks) {
  const auto section = profile.cases.find(kind);
  return section != profile.cases.end() && !takes_away(profile, kind, name) &&
         std::ranges::any_of(section->second, [&](const Pattern& pattern) {
           return !pattern.takes_away && picks(pattern.text);
         });
}

bool has(const Profile& profile, DeviceKind kind, const Selected& each) {
  return has(profile, kind, each.name,
             [&](const std::string& pattern) { return picks(pattern, each); });
}

/// Whether it is of a worker of others that can measure it.
bool is_of_others(const Selected& each) {
  return each.worker->of_others && each.unavailable.empty();
}

/// The suites of workers of others of which no section of the profile picks a case: it does not
/// know them.
std::set<std::string> unknown_suites(const Profile& profile, const std::vector<Selected>& all) {
  std::set<std::string> unknown, known;
  for (const Selected& each : all) {
    if (!is_of_others(each)) continue;
    unknown.insert(each.info.id.suite);
    for (const auto& [kind, patterns] : profile.cases)
      if (has(profile, kind, each)) known.insert(each.info.id.suite);
  }
  for (const std::string& suite : known) unknown.erase(suite);
  return unknown;
}

/// Which of `all` cases for a kind of device count as those of the profile. A suite that it does
/// not know does, but for what it takes away.
std::function<bool(const Selected&)> profile_filter(const Profile& profile, DeviceKind kind,
                                                    const std::vector<Selected>& all,
                                                    Workers which) {
  auto picked = [&profile, kind, unknown = unknown_suites(profile, all)](const Selected& each) {
    if (has(profile, kind, each)) return true;
    return is_of_others(each) && unknown.contains(each.info.id.suite) &&
           !takes_away(profile, kind, each.name);
  };
  if (which == Workers::some && std::none_of(all.begin(), all.end(), picked))
    return [](const Selected&) { return true; };
  return picked;
}

std::vector<std::string> profiles_with(const std::vector<Selected>& wanted, DeviceKind kind,
                                       const std::filesystem::path& home) {
  std::vector<std::string> found;
  for (const std::string& name : profile_names(home)) {
    try {
      const Profile profile = load_profile(name, home);
      if (std::any_of(wanted.begin(), wanted.end(),
                      [&](const Selected& each) { return has(profile, kind, each); }))
        found.push_back(name);
    } catch (const Error&) {
      continue;  // a broken profile that was not asked for is no help, and no matter
    }
  }
  return found;
}

}  // namespace

bool has(const Profile& profile, const record::Case& info) {
  const std::string name = record::name(info.id);
  return has(profile, info.device_kind, name,
             [&](const std::string& pattern) { return matches(pattern, name); });
}

std::set<std::string> names_in(const Profile& profile, const std::vector<Worker>& workers,
                               DeviceKind kind) {
  const std::vector<Selected> all = candidates(workers, kind);
  const auto in_profile = profile_filter(profile, kind, all, Workers::all);
  std::set<std::string> names;
  for (const Selected& each : all)
    if (in_profile(each)) names.insert(each.name);
  return names;
}

void check_profile(const std::vector<Worker>& workers, const Profile& profile) {
  for (const auto& [kind, patterns] : profile.cases) {
    const std::vector<Selected> all = candidates(workers, kind);
    const bool built = std::any_of(all.begin(), all.end(),
                                   [](const Selected& each) { return each.unavailable.empty(); });
    if (built) check_section(profile, patterns, all);
  }
}

void check_patterns(const std::vector<std::string>& patterns,
                    const std::vector<std::string>& names) {
  for (const std::string& pattern : patterns)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches(pattern, name); }))
      nothing_matches("", pattern, names);
}

std::vector<Selected> all_cases(const std::vector<Worker>& workers, const record::Device& device) {
  return candidates(workers, device.kind, device.id);
}

std::vector<ForOtherDevice> for_other_devices(const std::vector<Worker>& workers,
                                              const record::Device& device, const Profile& profile,
                                              const std::vector<std::string>& patterns) {
  std::vector<ForOtherDevice> others;
  bool heard_of = false;
  const auto in_profile = [&](const Selected& each) {
    return has(profile, each.info.device_kind, each);
  };
  std::set<DeviceKind> seen{device.kind};
  std::vector<std::vector<Selected>> by_kind;
  for (const Worker& worker : workers)
    for (const record::Device& other : worker.devices.devices) {
      if (!seen.insert(other.kind).second) continue;
      others.push_back({other});
      by_kind.push_back(candidates(workers, other.kind, other.id));
    }
  by_kind.push_back(candidates(workers, device.kind, device.id));
  for (const std::vector<Selected>& cases : by_kind)
    heard_of = heard_of || std::ranges::any_of(cases, in_profile);
  for (std::size_t i = 0; i < others.size(); ++i)
    others[i].cases = static_cast<int>(std::ranges::count_if(by_kind[i], [&](const Selected& each) {
      const bool named = std::ranges::any_of(
          patterns, [&](const std::string& pattern) { return picks(pattern, each); });
      const bool exactly = std::ranges::find(patterns, each.name) != patterns.end();
      return each.unavailable.empty() && (patterns.empty() || named) &&
             (exactly || !heard_of || in_profile(each));
    }));
  std::erase_if(others, [](const ForOtherDevice& other) { return other.cases == 0; });
  return others;
}

bool chooses(const std::vector<Worker>& workers, const record::Device& device,
             const Profile& profile, const std::string& pattern, Workers which) {
  const std::vector<Selected> all = candidates(workers, device.kind, device.id);
  const auto in_profile = profile_filter(profile, device.kind, all, which);
  return std::ranges::any_of(all, [&](const Selected& each) {
    return picks(pattern, each) && (pattern == each.name || in_profile(each));
  });
}

std::vector<Selected> select(const std::vector<Worker>& workers, const record::Device& device,
                             const Profile& profile, const std::vector<std::string>& patterns,
                             const std::filesystem::path& home, Workers which) {
  const std::vector<Selected> all = candidates(workers, device.kind, device.id);
  const auto section = profile.cases.find(device.kind);
  const auto in_profile = profile_filter(profile, device.kind, all, which);
  if (section != profile.cases.end()) {
    if (which == Workers::all) check_section(profile, section->second, all);
  } else if (which == Workers::all && std::ranges::none_of(all, in_profile)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: the profile has no section [{}]", profile.file.string(),
                            to_string(device.kind)),
                fmt::format("choose another device than {}, or another profile", device.id));
  }

  std::vector<bool> chosen(all.size(), false);
  for (std::size_t i = 0; patterns.empty() && i < all.size(); ++i) chosen[i] = in_profile(all[i]);
  for (const std::string& pattern : patterns) {
    std::vector<Selected> left_out;
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!picks(pattern, all[i])) continue;
      if (pattern == all[i].name || in_profile(all[i]))
        chosen[i] = any = true;
      else
        left_out.push_back(all[i]);
    }
    if (any) continue;
    if (left_out.empty()) {
      std::set<std::string_view> kinds;
      for (const Worker& worker : workers)
        for (const record::Case& info : worker.cases)
          if (matches(pattern, record::name(info.id))) kinds.insert(to_string(info.device_kind));
      if (!kinds.empty())
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" matches no case for {}, only for {}", printable(pattern),
                                to_string(device.kind), fmt::join(kinds, ", ")),
                    "choose the device with --device");
      nothing_matches("", pattern, names_of(all));
    }
    const std::vector<std::string> others = profiles_with(left_out, device.kind, home);
    throw Error(
        ErrorKind::usage,
        fmt::format("\"{}\" matches {}, but the profile {} leaves {} out", printable(pattern),
                    units::plural(std::ssize(left_out), "case"), profile.name,
                    left_out.size() == 1 ? "it" : "them all"),
        fmt::format(
            "{}a case's full name is always measured: {}",
            others.empty() ? "" : fmt::format("choose --profile {}; ", fmt::join(others, " or ")),
            left_out.front().name));
  }
  std::vector<Selected> selected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) selected.push_back(all[i]);
  if (selected.empty())
    throw Error(ErrorKind::usage,
                fmt::format("the profile {} picks none of these workers' {} cases for {}",
                            profile.name, all.size(), to_string(device.kind)),
                "give patterns, or another profile");
  return selected;
}

}  // namespace ridgeline::run
