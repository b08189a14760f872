#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/workers.hpp"

namespace ridgeline::run {

/// A case to measure, and who measures it. The worker outlives it.
struct Selected {
  const Worker* worker = nullptr;
  record::Case info;
  std::string name;
  std::string unavailable;  // why it cannot be measured here; empty when it can
};

/// Who measures a case: a worker, as so many processes under its launcher if it has one.
struct Team {
  const Worker* worker = nullptr;
  int ranks = 1;
  bool operator==(const Team&) const = default;
};
inline Team team_of(const Selected& selected) {
  return {selected.worker, selected.worker->hello.launcher.empty() ? 1 : selected.info.ranks};
}

/// All cases for the kind of `device`, with why they cannot be measured on it. A suite of an
/// unavailable worker stands for its cases, which nobody can list. Throws a usage Error when two
/// workers list one case.
std::vector<Selected> all_cases(const std::vector<Worker>& workers, const record::Device& device);

/// Whether the workers are all of Ridgeline's, so that a pattern of the profile which matches
/// nothing is a mistake. Of workers that a profile knows nothing of, every case counts as one of
/// the profile's.
enum class Workers { all, some };

/// Cases of `profile` for `device`, narrowed by the user's `patterns` when there are any; a pattern
/// that is the full name of a case picks it also when the profile leaves it out. Throws a usage
/// Error with file and line for a pattern of the profile that matches nothing, when nothing is
/// chosen, and for one of the user's with the nearest name, or with the profiles that have what it
/// matches.
std::vector<Selected> select(const std::vector<Worker>& workers, const record::Device& device,
                             const Profile& profile, const std::vector<std::string>& patterns,
                             const std::filesystem::path& home, Workers which = Workers::all);

/// Whether select() would find a case by `pattern`, one of the user's.
bool chooses(const std::vector<Worker>& workers, const record::Device& device,
             const Profile& profile, const std::string& pattern, Workers which = Workers::all);

/// Cases of a profile that another device would measure.
struct ForOtherDevice {
  record::Device device;  // the first of its kind
  int cases = 0;
};
/// What select() passes over because it is for other kinds of device than that of `device`, of
/// those that the workers see a device of: by kind.
std::vector<ForOtherDevice> for_other_devices(const std::vector<Worker>& workers,
                                              const record::Device& device, const Profile& profile,
                                              const std::vector<std::string>& patterns);

/// Whether `profile` measures this case: a pattern of its kind of device picks it and none takes it
/// away.
bool has(const Profile& profile, const record::Case& info);

/// The names of the cases for a kind of device that `profile` measures: a pattern of it picks them,
/// or they are of a suite of others that it does not know, and none takes them away.
std::set<std::string> names_in(const Profile& profile, const std::vector<Worker>& workers,
                               DeviceKind kind);

/// Throws a usage Error with file and line for a pattern of the profile that matches nothing.
/// Sections for kinds of device that these workers were not built for are not looked at.
void check_profile(const std::vector<Worker>& workers, const Profile& profile);

/// Throws a usage Error with the nearest name for the first of `patterns` that matches none of
/// `names`.
void check_patterns(const std::vector<std::string>& patterns,
                    const std::vector<std::string>& names);

}  // namespace ridgeline::run
