#include "harness/analysis/night_runs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::analysis {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::sys_seconds;

/// By so much the clocks of two machines may differ before one of them must be wrong.
constexpr hours clocks_differ{24};
constexpr days long_apart{366};  // from all others
constexpr std::size_t few_runs = 2;

/// How many of the first starts lie far before the rest, when they are few.
std::size_t far_before(const std::vector<sys_seconds>& starts) {
  for (std::size_t count = std::min(few_runs, starts.size() - 1); count > 0; --count)
    if (starts.size() > 2 * count && starts[count] - starts[count - 1] > long_apart) return count;
  return 0;
}

/// How many of the last starts lie far behind the rest, when they are few.
std::size_t far_behind(const std::vector<sys_seconds>& starts) {
  for (std::size_t count = std::min(few_runs, starts.size() - 1); count > 0; --count) {
    const std::size_t first = starts.size() - count;
    if (first > count && starts[first] - starts[first - 1] > long_apart) return count;
  }
  return 0;
}

}  // namespace

sys_seconds start_of(const store::StoredRun& run, const std::filesystem::path& file) {
  const auto time = parse_point_in_time(run.run.started);
  if (!time)
    throw Error(ErrorKind::store,
                fmt::format("run {} of {} started at no time: {}", printable(run.run.id),
                            file.string(), printable(run.run.started)));
  return *time;
}

OutOfTime leave_out_of_time(std::span<const store::StoredRun* const> runs,
                            std::optional<sys_seconds> now) {
  OutOfTime sorted;
  std::vector<sys_seconds> starts;
  for (const store::StoredRun* run : runs) starts.push_back(start_of(*run, {}));
  if (runs.empty()) return sorted;
  const auto after_now = [&](sys_seconds time) { return now && time > *now + clocks_differ; };
  const auto future = static_cast<std::size_t>(std::ranges::count_if(starts, after_now));
  sorted.behind = future * 2 > runs.size();
  const std::size_t first = far_before(starts),
                    last = sorted.behind || !now ? far_behind(starts) : future;
  const auto leave_out = [&](std::size_t count, const char* why) {
    if (count > 0) sorted.left_out[why] = static_cast<std::int64_t>(count);
  };
  leave_out(first, "a year or more before all others (a clock was wrong)");
  leave_out(last, "of the future (a clock was wrong)");
  sorted.kept.assign(runs.begin() + static_cast<std::ptrdiff_t>(first),
                     runs.end() - static_cast<std::ptrdiff_t>(last));
  return sorted;
}

std::vector<std::string> oddities_of(std::span<const store::StoredRun> runs,
                                     const std::unordered_map<std::string, std::int64_t>& order,
                                     const std::filesystem::path& file) {
  std::vector<std::string> said;
  std::map<std::string, std::int64_t> ended;
  std::vector<std::pair<std::int64_t, sys_seconds>> stored;
  for (const store::StoredRun& one : runs) {
    if (one.run.status == record::RunStatus::running)
      ++ended["killed or still running"];
    else if (one.run.status != record::RunStatus::finished)
      ++ended[std::string(to_string(one.run.status))];
    if (const auto found = order.find(one.run.id); found != order.end())
      stored.emplace_back(found->second, start_of(one, file));
  }
  std::vector<std::string> parts;
  std::int64_t unfinished = 0, late = 0;
  for (const auto& [how, count] : ended) {
    parts.push_back(fmt::format("{} {}", count, how));
    unfinished += count;
  }
  if (unfinished > 0)
    said.push_back(fmt::format("{} did not finish ({}): what they lack has not stopped",
                               units::plural(unfinished, "run"), fmt::join(parts, ", ")));
  std::ranges::sort(stored);
  sys_seconds latest = sys_seconds::min();
  for (const auto& [place, start] : stored) {
    late += latest != sys_seconds::min() && latest - start > clocks_differ ? 1 : 0;
    latest = std::max(latest, start);
  }
  if (late > 0)
    said.push_back(
        fmt::format("{} stored after later ones: results were merged, or a clock was set back",
                    late == 1 ? "1 run was" : fmt::format("{} runs were", late)));
  return said;
}

}  // namespace ridgeline::analysis
