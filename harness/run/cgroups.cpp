#include "harness/run/cgroups.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ridgeline::run {
namespace {

namespace fs = std::filesystem;

struct Group {
  fs::path folder;
  bool second = false;  // of cgroup v2
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// The group of this process by controller, "" for the one hierarchy of v2. Lines of
/// /proc/self/cgroup are "4:cpu,cpuacct:/a/b" and "0::/a/b".
std::map<std::string, fs::path> own_groups(const fs::path& root) {
  std::map<std::string, fs::path> own;
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = line.substr(second + 1);
    if (controllers.empty()) own.emplace("", path);
    for (const std::string& each : split(controllers, ',')) own.emplace(each, path);
  }
  return own;
}

/// What is mounted at `point`: a hierarchy from its group `top` downwards.
struct Mount {
  fs::path point, top;
  std::string type;
  std::vector<std::string> options;
};

/// Those of cgroups. A line of /proc/self/mountinfo is
/// "32 31 0:29 /top /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu".
std::vector<Mount> mounts(const fs::path& root) {
  std::vector<Mount> found;
  std::ifstream lines(root / "proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto place = split(line.substr(0, dash), ' '), what = split(line.substr(dash + 3), ' ');
    if (place.size() < 5 || what.size() < 3 || !what[0].starts_with("cgroup")) continue;
    found.push_back(
        {root / fs::path(place[4]).relative_path(), place[3], what[0], split(what[2], ',')});
  }
  return found;
}

/// The way from `top` down to `group`; empty where `group` is not below, or nobody can tell. What a
/// container is told of its own place may lie above what it sees, or beside that. Both begin with
/// ".." where they lie above the group that is the namespace's "/": no ".." is taken away, since
/// nothing says what that group is called there.
fs::path below(const fs::path& top, const fs::path& group) {
  const auto [end, first] = std::mismatch(top.begin(), top.end(), group.begin(), group.end());
  if (end != top.end() || std::find(first, group.end(), "..") != group.end()) return {};
  fs::path way;
  for (auto part = first; part != group.end(); ++part) way /= *part;
  return way;
}

/// All groups with limits of `controller` that hold for this process.
std::vector<Group> groups(const fs::path& root, const std::string& controller) {
  std::vector<Group> found;
  const auto own = own_groups(root);
  for (const Mount& mount : mounts(root)) {
    const bool second = mount.type == "cgroup2";
    if (!second && std::ranges::find(mount.options, controller) == mount.options.end()) continue;
    const auto group = own.find(second ? "" : controller);
    if (group == own.end()) continue;
    for (fs::path inside = below(mount.top, group->second); !inside.empty();
         inside = inside.parent_path())
      found.push_back({mount.point / inside, second});
    found.push_back({mount.point, second});
  }
  return found;
}

/// The number that a file begins with; absent where it is a word ("max"), or there is no file.
std::optional<double> number_in_file(const fs::path& file) {
  std::ifstream stream(file);
  double number = 0;
  if (!(stream >> number)) return std::nullopt;
  return number;
}

/// "50000 100000", in us; with "max" in place of the first, there is none.
std::optional<double> second_quota(const fs::path& folder) {
  std::ifstream stream(folder / "cpu.max");
  double quota = 0, period = 0;
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

/// What v1 writes for none is that of all memory in pages, 2^63 - 1 rounded down to one.
constexpr double least_unlimited_bytes = 0x1p62;

std::optional<double> limit_in_bytes(const Group& group) {
  const auto limit =
      number_in_file(group.folder / (group.second ? "memory.max" : "memory.limit_in_bytes"));
  return limit && *limit < least_unlimited_bytes ? limit : std::nullopt;
}

/// A quota of -1 is none.
std::optional<double> first_quota(const fs::path& folder) {
  const auto quota = number_in_file(folder / "cpu.cfs_quota_us");
  const auto period = number_in_file(folder / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

}  // namespace

std::optional<double> processor_quota(const fs::path& root) {
  std::optional<double> least;
  for (const Group& group : groups(root, "cpu")) {
    const auto quota = group.second ? second_quota(group.folder) : first_quota(group.folder);
    if (quota) least = std::min(least.value_or(*quota), *quota);
  }
  return least;
}

std::optional<MemoryLimit> memory_limit(const fs::path& root) {
  std::optional<MemoryLimit> least;
  for (const Group& group : groups(root, "memory")) {
    const auto limit = limit_in_bytes(group);
    const auto used =
        number_in_file(group.folder / (group.second ? "memory.current" : "memory.usage_in_bytes"));
    if (!limit || !used) continue;
    const double free = std::max(0.0, *limit - *used);
    if (!least || free < least->free) least = {*limit, free};
  }
  return least;
}

}  // namespace ridgeline::run
