#include "harness/imported/gathering.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/imported/names.hpp"
#include "harness/record/fields.hpp"
#include "harness/record/rules.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::imported {
namespace {

/// Repeated results of one case are kept one by one up to so many; of more, medians.
constexpr std::size_t most_kept = 100;

std::string cut(std::string_view text, std::size_t most) {
  return text.size() <= most && is_utf8(text) ? std::string(text) : printable(text, most - 16);
}

/// The key of `name` in `facts` under which `text` is, or can be put: names that say something else
/// already get a number.
std::string free_key(const record::Facts& facts, const std::string& name, std::string_view text,
                     std::size_t number) {
  const auto found = facts.find(name);
  if (found == facts.end() || found->second == text) return name;
  return fmt::format("{}.{}", name, number);
}

}  // namespace

void refuse(const std::string& file, std::size_t line, const std::string& said,
            const std::string& advice) {
  const std::string what = printable(said, 2000);  // names of columns and the like are in it
  throw Error(ErrorKind::store,
              line == 0
                  ? fmt::format("cannot import {}: {}", printable(file, 4000), what)
                  : fmt::format("cannot import {}, line {}: {}", printable(file, 4000), line, what),
              advice);
}

Gathering::Gathering(std::string file, std::string program) : file_(std::move(file)) {
  contents.program = std::move(program);
}

void Gathering::refuse(std::size_t line, const std::string& what, const std::string& advice) const {
  imported::refuse(file_, line, what, advice);
}

bool Gathering::has(const std::string& key, int execution) const {
  return places_.contains(fmt::format("{} {}", execution, key));
}

std::size_t Gathering::row(std::size_t line, const std::string& key, int execution) {
  const auto [place, is_new] =
      places_.try_emplace(fmt::format("{} {}", execution, key), contents.rows.size());
  if (!is_new) return place->second;
  if (contents.rows.size() == max_rows)
    refuse(line, fmt::format("it holds more than {} cases", max_rows));
  Row& made = contents.rows.emplace_back();
  made.line = line;
  made.execution = execution;
  made.measurement.outcome = record::Outcome::unverified;
  values_.emplace_back();
  return place->second;
}

std::size_t Gathering::sample(std::size_t row, std::size_t line, double ns,
                              std::int64_t executions) {
  if (!record::time.allows(ns))
    refuse(line, fmt::format("a time of {} ns; times go from {:g} ns to {:g} ns", ns,
                             record::shortest_ns, record::longest_ns));
  if (executions < 1 || executions > record::largest_count)
    refuse(line, fmt::format("a time over {} executions", executions));
  record::Measurement& m = contents.rows[row].measurement;
  const std::size_t before = m.samples_ns.size();
  if (static_cast<std::int64_t>(before) == record::samples.most)
    refuse(line, fmt::format("more than {} times of one case", record::samples.most));
  m.samples_ns.push_back(ns);
  if (before == 0)
    m.executions_per_sample = executions;
  else if (m.executions_per_sample != executions)
    say(row, fmt::format("executions.{}", before), std::to_string(executions));
  return before;
}

void Gathering::metric(std::size_t row, std::size_t line, std::string_view name, double value,
                       const std::string& unit, record::Direction direction) {
  if (!record::amount.allows(value)) {
    flag(line, fmt::format("{} is {}, which is kept as text", printable(name, 80), value));
    say(row, name, fmt::format("{}", value));
    return;
  }
  std::vector<record::Metric>& metrics = contents.rows[row].measurement.metrics;
  record::Metric made{word(name), value, unit, direction};
  if (!record::broken_rule(made).empty()) made.name = "imported." + made.name;
  if (made.name.size() > record::max_name_bytes)
    refuse(line, fmt::format("a name of {} bytes", made.name.size()));
  const auto found = std::ranges::find(metrics, made.name, &record::Metric::name);
  const auto place = static_cast<std::size_t>(found - metrics.begin());
  if (found == metrics.end()) {
    if (metrics.size() == 200) refuse(line, "more than 200 quantities of one case");
    metrics.push_back(std::move(made));
    values_[row].emplace_back();
  }
  values_[row][place].push_back(value);
}

void Gathering::say(std::size_t row, std::string_view name, std::string_view text) {
  record::Measurement& m = contents.rows[row].measurement;
  const std::size_t sample = m.samples_ns.empty() ? 0 : m.samples_ns.size() - 1;
  if (sample >= most_kept || m.said.size() >= max_facts) {
    medians_only_ = true;
    return;
  }
  const std::string said = cut(text, record::max_text_bytes);
  m.said[free_key(m.said, cut(name, record::max_name_bytes), said, sample)] = said;
}

void Gathering::fact(std::string_view name, std::string_view text) {
  if (contents.facts.size() < max_facts)
    contents.facts[cut(name, record::max_name_bytes)] = cut(text, record::max_text_bytes);
  else
    ++more_facts_;
}

void Gathering::flag(std::size_t line, const std::string& what) {
  if (contents.flags.size() < max_flags)
    contents.flags.push_back({line, printable(what, 2000)});
  else
    ++more_flags_;
}

void Gathering::put_metrics(std::size_t row) {
  record::Measurement& m = contents.rows[row].measurement;
  const std::size_t named = m.metrics.size();
  for (std::size_t i = 0; i < named; ++i) {
    const std::vector<double>& values = values_[row][i];
    m.metrics[i].value = stats::median(values);
    if (values.size() < 2 || std::ranges::count(values, values.front()) == std::ssize(values))
      continue;
    if (values.size() > most_kept) {
      medians_only_ = true;
      continue;
    }
    for (std::size_t j = 0; j < values.size(); ++j)
      m.metrics.push_back({fmt::format("{}.{}", m.metrics[i].name, j), values[j], m.metrics[i].unit,
                           m.metrics[i].direction});
  }
  std::ranges::sort(m.metrics, {}, &record::Metric::name);
  const auto twice = std::ranges::adjacent_find(m.metrics, {}, &record::Metric::name);
  if (twice != m.metrics.end())
    refuse(contents.rows[row].line,
           fmt::format("two quantities of one case are called {}", twice->name));
  values_[row] = {};
}

void Gathering::finish(std::size_t row) {
  Row& made = contents.rows[row];
  record::Measurement& m = made.measurement;
  m.case_name = record::name(made.case_info.id);
  if (m.case_name.size() > record::max_name_bytes)
    refuse(made.line,
           fmt::format("the name of its case has {} bytes, and {} are the most: {}",
                       m.case_name.size(), record::max_name_bytes, printable(m.case_name, 80)));
  put_metrics(row);
  if (record::has_samples(m.outcome)) {
    if (m.samples_ns.empty()) refuse(made.line, fmt::format("no time of {}", m.case_name));
    m.median_ns = stats::median(m.samples_ns);
    m.timed_ns = std::min(record::wall_time.greatest,
                          std::accumulate(m.samples_ns.begin(), m.samples_ns.end(), 0.0) *
                              static_cast<double>(m.executions_per_sample));
    m.reason = "imported: nobody compared its output with an oracle";
  }
  m.reason = cut(m.reason, record::max_text_bytes);
}

Contents Gathering::take() {
  if (contents.rows.empty()) refuse(0, "it holds no results");
  std::unordered_map<std::string, std::size_t> lines;
  for (std::size_t i = 0; i < contents.rows.size(); ++i) {
    finish(i);
    const Row& made = contents.rows[i];
    const auto [found, is_new] = lines.try_emplace(
        fmt::format("{} {}", made.execution, made.measurement.case_name), made.line);
    if (!is_new)
      refuse(made.line, fmt::format("the case {} stands in line {} already",
                                    made.measurement.case_name, found->second));
  }
  if (medians_only_)
    contents.flags.push_back({0, fmt::format("of cases with more than {} results, quantities "
                                             "beside the time are kept as medians",
                                             most_kept)});
  if (more_facts_ > 0)
    contents.flags.push_back({0, units::plural(static_cast<std::int64_t>(more_facts_), "fact") +
                                     " of the file found no room"});
  if (more_flags_ > 0)
    contents.flags.push_back(
        {0, units::plural(static_cast<std::int64_t>(more_flags_), "more doubt")});
  return std::move(contents);
}

}  // namespace ridgeline::imported
