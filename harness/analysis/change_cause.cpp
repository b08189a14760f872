#include "harness/analysis/change_cause.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/stats/median.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::analysis {
namespace {

std::string joined(const std::set<std::string>& values) {
  std::string text;
  for (const std::string& one : values) text += (text.empty() ? "" : ", ") + printable(one);
  return text;
}

/// "flops of the case 100 -> 200", when they are 1% apart or more: inputs are drawn anew each
/// night.
void add_work(std::vector<std::string>& to, const char* what, const std::optional<double>& before,
              const std::optional<double>& after) {
  const double old_work = before.value_or(0), new_work = after.value_or(0);
  if (std::abs(old_work - new_work) <= 0.01 * std::max(old_work, new_work)) return;
  to.push_back(
      fmt::format("{} of the case {} -> {}", what, units::plain(old_work), units::plain(new_work)));
}

/// What is known of the code on both sides; `changed` says whether it may have changed.
std::string code_words(const NightChanges& changes, bool& changed) {
  const char* commit = changes.commit_changed() ? "the commit changed" : "the commit is the same";
  if (changes.code_known()) {
    changed = changes.before_code != changes.after_code;
    if (!changed)
      return fmt::format("{}, and the workers' code is the same byte for byte ({})", commit,
                         printable(changes.after_code));
    return fmt::format("{}, and the workers' code is another ({} -> {})", commit,
                       printable(changes.before_code), printable(changes.after_code));
  }
  if (changes.before_commit.empty() || changes.after_commit.empty()) {
    changed = false;
    return "no commit is known on one side";
  }
  changed = changes.commit_changed() || changes.before_dirty || changes.after_dirty;
  if (changes.commit_changed()) return commit;
  return fmt::format("{}{}", commit, changed ? ", with local changes" : "");
}

constexpr std::size_t beside = 3;  // values of a median on each side of a move

/// How far apart noise alone sets two medians in one place of two thousand.
double reach_of_noise(std::span<const double> values) {
  // The standard deviation of a median is up to 1.25 times that of a mean.
  return 3.5 * 1.25 * spread_by_steps(values) * std::sqrt(2.0 / beside);
}

}  // namespace

double spread_by_steps(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::vector<double> steps;
  for (std::size_t i = 1; i < values.size(); ++i)
    steps.push_back(std::abs(std::log(values[i] / values[i - 1])));
  return stats::median(steps) / 0.954;  // half of the differences of two normal values are below
}

Habit habit_before(std::span<const double> values, std::size_t at, const KnownChange& change) {
  constexpr std::size_t most = 120;
  constexpr double large = 1.25;
  const std::size_t begin = at - std::min(at, most);
  const double is = std::log(change.after), step = is - std::log(change.before);
  Habit habit;
  habit.large = std::abs(step) > std::log(large);
  habit.nights = at - begin;
  if (habit.nights < 2 * beside) return habit;
  std::vector<double> logs;
  for (std::size_t i = begin; i < at; ++i) logs.push_back(std::log(values[i]));
  const double enough =
      std::max(reach_of_noise(values.subspan(begin, at - begin)), std::abs(step) / 4);
  const std::span<const double> all = logs;
  double largest = 0, squares = 0;  // of the move that goes on; of all that ended
  const auto end_move = [&] {
    habit.moves += largest > 0 ? 1 : 0;
    squares += largest * largest;
    largest = 0;
  };
  for (std::size_t i = beside; i + beside <= all.size(); ++i) {
    const double was = stats::median(all.subspan(i - beside, beside));
    const double distance = std::abs(stats::median(all.subspan(i, beside)) - was);
    if (distance >= enough)
      largest = std::max(largest, distance);
    else
      end_move();
  }
  end_move();
  // What comes for two nights now and then excuses no level that stays for a week.
  const std::size_t stay = std::max(beside, change.nights);
  for (std::size_t i = 0; i + stay + beside <= all.size(); ++i) {
    const double was = stats::median(all.subspan(i, stay));
    // A tenth of the step short of the new level is at it.
    habit.had_level |= (was - is) * std::copysign(1.0, step) >= -0.1 * std::abs(step);
  }
  if (habit.moves > 0) habit.usual = std::sqrt(squares / static_cast<double>(habit.moves));
  habit.far = std::abs(step) > 2 * habit.usual;
  return habit;
}

Why why_of(const NightChanges& changes, const Habit& habit, const Company& company) {
  Why why;
  bool code_changed = false;
  const std::string code = code_words(changes, code_changed);
  for (const auto& [area, cause] :
       {std::pair(Area::method, TrendCause::method), std::pair(Area::machine, TrendCause::machine),
        std::pair(Area::toolkit, TrendCause::toolkit)}) {
    if (std::ranges::find(changes.areas, area) == changes.areas.end()) continue;
    const bool told_apart = std::ranges::count(changes.facts, true, &SwitchedFact::told_apart) > 0;
    if (area == Area::machine && code_changed && company.is_small() && !told_apart) continue;
    why.cause = cause;
    why.evidence = changes.environment;
    why.evidence.push_back(code);
    return why;
  }
  if (habit.mode) {
    why.cause = TrendCause::noise;
    why.excused = true;
    why.evidence.emplace_back("it goes to and fro between the same two levels");
  } else if (habit.is_noise()) {
    why.cause = TrendCause::noise;
    why.excused = habit.had_level && !habit.large;
    why.evidence.push_back(
        fmt::format("it moved by itself {} in the {} before, usually by {}",
                    units::plural(static_cast<std::int64_t>(habit.moves), "time"),
                    units::plural(static_cast<std::int64_t>(habit.nights), "night"),
                    units::percent(std::expm1(habit.usual))));
    why.evidence.emplace_back(habit.had_level ? "it has been at this level before"
                                              : "it has not been at this level before");
    if (habit.large) why.evidence.emplace_back("so large a change is told all the same");
  } else {
    why.cause = code_changed ? TrendCause::code : TrendCause::unexplained;
  }
  why.evidence.push_back(code);
  if (changes.areas.empty())
    why.evidence.emplace_back("nothing else that is recorded changed");
  else
    why.evidence.push_back(fmt::format("of {}, {} moved with what changed of the machine",
                                       units::plural(company.cases, "case"), company.moved));
  return why;
}

const std::map<std::string, store::SeriesMethod>& Methods::of(const std::string& run) {
  const auto [found, is_new] = read_.try_emplace(run);
  if (is_new && !device_.file.empty())
    found->second = store::series_methods(store::Store::open(device_.file), run);
  return found->second;
}

bool Methods::has(const std::string& case_name, const std::string& run) {
  return of(run).contains(case_name);
}

std::set<std::string> Methods::workers(const std::string& case_name, const std::string& run) {
  const auto found = of(run).find(case_name);
  return found == of(run).end() ? std::set<std::string>() : found->second.workers;
}

std::vector<std::string> Methods::changes(const std::string& case_name,
                                          const std::string& before_run,
                                          const std::string& after_run) {
  std::vector<std::string> words;
  const auto &old_cases = of(before_run), &new_cases = of(after_run);
  const auto before = old_cases.find(case_name), after = new_cases.find(case_name);
  if (before == old_cases.end() || after == new_cases.end()) return words;
  const auto add = [&](const char* what, const std::set<std::string>& old_values,
                       const std::set<std::string>& new_values) {
    if (old_values != new_values)
      words.push_back(
          fmt::format("{} of the case {} -> {}", what, joined(old_values), joined(new_values)));
  };
  const store::SeriesMethod &was = before->second, &is = after->second;
  add("launch", was.launch, is.launch);
  add("cache", was.cache, is.cache);
  add("sets of buffers", was.buffer_sets, is.buffer_sets);
  add_work(words, "flops", was.flops, is.flops);
  add_work(words, "bytes", was.bytes, is.bytes);
  return words;
}

}  // namespace ridgeline::analysis
