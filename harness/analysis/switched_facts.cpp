#include "harness/analysis/switched_facts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/analysis/stored_side.hpp"
#include "harness/stats/distributions.hpp"

namespace ridgeline::analysis {

using store::StoredRun;

bool is_reading(const std::string& key) {
  return key == "load_average" || key.find("_at_rest_") != std::string::npos ||
         key.ends_with("_lifetime");
}

std::vector<const StoredRun*> runs_of(const NightlyDevice& device, const NightlyTimes* times,
                                      std::size_t night) {
  std::vector<const StoredRun*> runs;
  for (const std::size_t run : device.nights.at(night).runs)
    if (!times || device.runs[run].environment.hash == times->environment)
      runs.push_back(&device.runs[run]);
  return runs;
}

std::size_t count_before(const NightlyTimes& times, std::size_t night) {
  return static_cast<std::size_t>(std::ranges::lower_bound(times.nights, night) -
                                  times.nights.begin());
}

Past past_of(const NightlyDevice& device, const NightlyTimes* times, std::size_t before,
             const std::optional<KnownChange>& known) {
  Past past;
  const auto add = [&](std::size_t night, std::optional<bool> there) {
    const std::vector<const StoredRun*> runs = runs_of(device, times, night);
    if (runs.empty()) return;
    past.runs.push_back(runs.back());
    past.there.push_back(there);
  };
  if (!times) {
    for (std::size_t night = before + 1 - std::min(before + 1, past_nights); night <= before;
         ++night)
      add(night, {});
    return past;
  }
  const auto there = [&](double ns) -> std::optional<bool> {
    if (!known) return {};
    return std::abs(std::log(ns / known->after)) < std::abs(std::log(ns / known->before));
  };
  const std::size_t end = count_before(*times, before + 1);
  for (std::size_t i = end - std::min(end, past_nights); i < end; ++i)
    add(times->nights[i], there(times->median_ns[i]));
  return past;
}

namespace {

bool is_library(const std::string& key) {
  return key.starts_with("cudnn") || key.starts_with("cublas") || key.starts_with("nccl") ||
         key.starts_with("openblas") || key.starts_with("mpi");
}

using Value = std::optional<std::string>;

Value value_of(const StoredRun& run, record::Facts record::Environment::*facts,
               const std::string& key) {
  const auto found = (run.environment.*facts).find(key);
  if (found == (run.environment.*facts).end()) return {};
  return found->second;
}

/// Nights on which a fact had one value, and how many of them were nearer to the new level.
struct Nights {
  std::size_t all = 0, there = 0;
};

/// How a fact was on the nights before a change.
struct Course {
  std::size_t changes = 0, values = 0;
  std::size_t as_now = 0;        // nights
  Nights with_now, with_before;  // of which the level is known

  /// Its values change so often that one of them changes with anything.
  bool is_restless(std::size_t nights) const {
    return changes > 3 && changes * 5 > nights && values >= 4;
  }
  /// Four of five nights with each value were nearer to the level of that side.
  bool told_apart() const {
    const std::size_t here = with_before.all - with_before.there;
    return with_now.all > 0 && with_now.there * 5 >= with_now.all * 4 &&
           here * 5 >= with_before.all * 4;
  }
  /// The same, and that so many are comes by chance once in a hundred times.
  bool surely_told_apart() const {
    constexpr double once_in_a_hundred = 0.01;
    const std::size_t all = with_now.all + with_before.all,
                      there = with_now.there + with_before.there;
    return told_apart() &&
           stats::drawn_at_least(with_now.there, with_now.all, there, all) < once_in_a_hundred;
  }
};

Course course_of(const Past& past, record::Facts record::Environment::*facts,
                 const SwitchedFact& fact) {
  Course course;
  std::set<Value> values;
  Value previous;
  for (std::size_t i = 0; i < past.runs.size(); ++i) {
    const Value here = value_of(*past.runs[i], facts, fact.key);
    values.insert(here);
    course.changes += i > 0 && here != previous ? 1 : 0;
    previous = here;
    course.as_now += here == fact.after ? 1 : 0;
    if (!past.there[i] || (here != fact.after && here != fact.before)) continue;
    Nights& nights = here == fact.after ? course.with_now : course.with_before;
    ++nights.all;
    nights.there += *past.there[i] ? 1 : 0;
  }
  course.values = values.size();
  return course;
}

}  // namespace

std::vector<SwitchedFact> switched_facts(const Past& past, const StoredRun& before,
                                         const StoredRun& after,
                                         record::Facts record::Environment::*facts, FactsOf of) {
  std::set<std::string> keys;
  for (const StoredRun* run : {&before, &after})
    for (const auto& [key, value] : run->environment.*facts)
      if (!is_reading(key) && is_library(key) == (of == FactsOf::libraries)) keys.insert(key);
  std::vector<SwitchedFact> switched;
  for (const std::string& key : keys) {
    const auto only = [&](const Value& value) {
      return value ? record::Facts{{key, *value}} : record::Facts{};
    };
    SwitchedFact fact{key, value_of(before, facts, key), value_of(after, facts, key), {}};
    const std::vector<std::string> words = fact_changes(only(fact.before), only(fact.after));
    if (words.empty()) continue;
    const Course course = course_of(past, facts, fact);
    const bool is_restless = course.is_restless(past.runs.size());
    fact.told_apart =
        course.as_now >= 2 && (is_restless ? course.surely_told_apart() : course.told_apart());
    if (!fact.told_apart && (is_restless || course.as_now >= 2)) continue;
    fact.words = words.front();
    switched.push_back(std::move(fact));
  }
  return switched;
}

FactSide side_of(const NightlyDevice& device, const NightlyTimes* times, std::size_t night,
                 const std::vector<SwitchedFact>& facts) {
  const std::vector<const StoredRun*> runs = runs_of(device, times, night);
  if (runs.empty()) return FactSide::neither;
  const auto is_all = [&](Value SwitchedFact::*side) {
    return std::ranges::all_of(facts, [&](const SwitchedFact& fact) {
      return value_of(*runs.back(), &record::Environment::recorded, fact.key) == fact.*side;
    });
  };
  if (is_all(&SwitchedFact::after)) return FactSide::after;
  return is_all(&SwitchedFact::before) ? FactSide::before : FactSide::neither;
}

}  // namespace ridgeline::analysis
