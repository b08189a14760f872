#include "harness/gate/rules.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/strict_toml.hpp"

namespace ridgeline::gate {
namespace {

using analysis::CaseRule;
using analysis::Looking;
using Rule = GateRules::Rule;

/// A text that a person must have written: what it explains would otherwise go unexplained.
std::string words(run::StrictTable& table, const std::string& key) {
  const std::string text = table.text(key);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    table.refuse(table.need(key).source(), key + " must not be empty");
  return text;
}

Looking looking(run::StrictTable& table) {
  const std::string text = table.text("direction");
  if (text == "both") return Looking::both;
  if (text == "slower") return Looking::slower;
  table.refuse(table.need("direction").source(), "direction must be \"both\" or \"slower\"");
}

analysis::Tails tails(run::StrictTable& table) {
  const std::string text = table.text("tails");
  if (text == "fail") return analysis::Tails::fail;
  if (text == "tell") return analysis::Tails::tell;
  table.refuse(table.need("tails").source(), "tails must be \"fail\" or \"tell\"");
}

Rule::Expectation expectation(run::StrictTable& table) {
  if (table.text("expect") != "regression")
    table.refuse(table.need("expect").source(), "expect must be \"regression\"");
  Rule::Expectation made{words(table, "reason"), table.date("until"), {}};
  if (table.find("at_most")) made.at_most = table.fraction("at_most");
  return made;
}

/// A number for all counts, or numbers by metric.
void read_counts(run::StrictTable& table, Rule& rule) {
  if (!table.need("counts").is_table()) {
    rule.counts = table.share("counts");
    return;
  }
  table.entries("counts", [&](run::StrictTable& metrics, const std::string& name) {
    rule.metric_counts[name] = metrics.share(name);
  });
  if (rule.metric_counts.empty())
    table.refuse(table.need("counts").source(), "counts names no metric",
                 "write counts = { atomics = \"1%\" }");
}

Rule rule(run::StrictTable& table, int line) {
  Rule rule;
  rule.line = line;
  rule.pattern = table.text("cases");
  if (rule.pattern.empty())
    table.refuse(table.need("cases").source(), "cases must be a case pattern");
  if (table.find("delta")) rule.delta = table.fraction("delta");
  // To the picosecond, so that "1us" and "1000ns" are the same value.
  if (table.find("floor")) rule.floor_ns = std::round(table.duration("floor") * 1e12) / 1e3;
  if (table.find("alpha")) rule.alpha = table.fraction("alpha");
  if (rule.alpha.value_or(0) > analysis::most_alpha)
    table.refuse(table.need("alpha").source(),
                 fmt::format("alpha {:.4g} is not a share above 0 and at most {}", *rule.alpha,
                             analysis::most_alpha),
                 "write 3% or 0.03");
  if (table.find("counts")) read_counts(table, rule);
  if (table.find("direction")) rule.looking = looking(table);
  if (table.find("tails")) rule.tails = tails(table);
  if (table.find("skip")) rule.skip = words(table, "skip");
  if (table.find("expect")) rule.expect = expectation(table);
  for (const char* key : {"reason", "until", "at_most"})
    if (const toml::node* node = table.find(key); node && !rule.expect)
      table.refuse(
          node->source(),
          fmt::format("{} belongs to expect = \"regression\", which this rule has not", key));
  if (!rule.delta && !rule.floor_ns && !rule.alpha && !rule.counts && rule.metric_counts.empty() &&
      !rule.looking && !rule.tails && !rule.skip && !rule.expect) {
    table.done();  // a misspelt key is the better explanation
    table.refuse(table.source(), "the rule sets nothing",
                 "give it a delta, floor, alpha, counts, direction, tails, skip or expect");
  }
  return rule;
}

std::string percent(double share) { return units::plain(100 * share) + '%'; }

/// Characters of a pattern that stand for themselves.
std::size_t literal_characters(const std::string& pattern) {
  return static_cast<std::size_t>(std::ranges::count_if(
      pattern, [](char c) { return c != '*' && c != '?' && (c & 0xC0) != 0x80; }));
}

[[noreturn]] void refuse(const GateRules& rules, int line, const std::string& failure,
                         const std::string& advice) {
  throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", rules.file.string(), line, failure),
              advice);
}

/// The rule that decides `key` of a case; null when none of those that match it does. `value` is
/// what a rule says of the key, which may be nothing.
template <class Value>
const Rule* deciding(const GateRules& rules, const std::vector<const Rule*>& matching,
                     const std::string& name, const std::string& key, Value value) {
  const auto of = [&](const Rule* rule) { return std::invoke(value, *rule); };
  const Rule* best = nullptr;
  for (const Rule* each : matching)
    if (of(each) &&
        (!best || literal_characters(each->pattern) > literal_characters(best->pattern)))
      best = each;
  if (!best) return nullptr;
  for (const Rule* each : matching)
    if (of(each) && literal_characters(each->pattern) == literal_characters(best->pattern) &&
        of(each) != of(best))
      refuse(rules, each->line,
             fmt::format(
                 "the rules of lines {} and {} set a different {} for {}, and are equally specific",
                 best->line, each->line, key, printable(name, 400)),
             "the pattern with more literal characters wins: make one of them longer");
  return best;
}

std::vector<const Rule*> matching_rules(const GateRules& rules, const std::string& name) {
  std::vector<const Rule*> matching;
  for (const Rule& each : rules.rules)
    if (matches(each.pattern, name)) matching.push_back(&each);
  return matching;
}

/// What each metric that a matching rule names may grow by.
std::map<std::string, double> metric_counts(const GateRules& rules,
                                            const std::vector<const Rule*>& matching,
                                            const std::string& name) {
  std::map<std::string, double> found;
  for (const Rule* each : matching)
    found.insert(each->metric_counts.begin(), each->metric_counts.end());
  for (auto& [metric, growth] : found) {
    const auto value = [&metric = metric](const Rule& rule) {
      const auto own = rule.metric_counts.find(metric);
      return own == rule.metric_counts.end() ? std::nullopt : std::optional(own->second);
    };
    growth = *value(*deciding(rules, matching, name,
                              fmt::format("growth of {}", printable(metric, 100)), value));
  }
  return found;
}

CaseRule rule_of(const GateRules& rules, const std::string& name, const CaseRule& otherwise,
                 const std::string& today) {
  const std::vector<const Rule*> matching = matching_rules(rules, name);
  const auto decides = [&](const char* key, auto value) {
    return deciding(rules, matching, name, key, value);
  };
  CaseRule result = otherwise;
  if (const Rule* rule = decides("delta", &Rule::delta)) result.delta = *rule->delta;
  if (const Rule* rule = decides("floor", &Rule::floor_ns)) result.floor_ns = *rule->floor_ns;
  if (const Rule* rule = decides("alpha", &Rule::alpha)) result.alpha = *rule->alpha;
  if (const Rule* rule = decides("growth of counts", &Rule::counts)) result.counts = *rule->counts;
  result.metric_counts = metric_counts(rules, matching, name);
  if (const Rule* rule = decides("direction", &Rule::looking)) result.looking = *rule->looking;
  if (const Rule* rule = decides("choice of tails", &Rule::tails)) result.tails = *rule->tails;
  const Rule* skip = decides("reason to skip", &Rule::skip);
  if (skip) result.skip = *skip->skip;
  if (const Rule* rule = decides("expectation", &Rule::expect)) {
    if (skip)
      refuse(rules, rule->line,
             fmt::format("the rules of lines {} and {} expect a regression of {} and skip it",
                         rule->line, skip->line, printable(name, 400)),
             "what is skipped cannot show a regression: take one of them away");
    result.expected = true;
    result.expectation_over = today > rule->expect->until;
    result.at_most = rule->expect->at_most;
    if (result.at_most && *result.at_most <= result.delta)
      refuse(rules, rule->line,
             fmt::format("at_most {} is no larger than the delta of {}, {}",
                         percent(*result.at_most), printable(name, 400), percent(result.delta)),
             "a regression is at least delta, so none could be the expected one");
    result.expectation =
        fmt::format("{} ({}until {}{})", rule->expect->reason,
                    result.at_most ? fmt::format("at most {}, ", percent(*result.at_most)) : "",
                    rule->expect->until, result.expectation_over ? ", which is over" : "");
  }
  return result;
}

void check_matched(const GateRules& rules, const std::vector<std::string>& names,
                   const std::vector<std::string>& known) {
  std::vector<std::string> all = names;
  all.insert(all.end(), known.begin(), known.end());
  for (const Rule& each : rules.rules) {
    try {
      run::check_patterns({each.pattern}, all);
    } catch (const Error& error) {
      refuse(rules, each.line, error.what(), error.advice());
    }
  }
}

}  // namespace

GateRules parse_gate_rules(std::string_view text, const std::filesystem::path& file) {
  const toml::table table = run::parse_toml(text, file);
  GateRules rules{file, std::string(text), {}};
  run::StrictTable top(table, file, "");
  top.sections("rule", [&](run::StrictTable& section, int line) {
    rules.rules.push_back(rule(section, line));
  });
  top.done();
  return rules;
}

GateRules load_gate_rules(const std::filesystem::path& file) {
  return parse_gate_rules(run::read_toml_file(file, "rules of the gate"), file);
}

std::vector<CaseRule> resolve(const GateRules& rules, const std::vector<std::string>& names,
                              const CaseRule& otherwise, const std::string& today,
                              const std::vector<std::string>& known) {
  check_matched(rules, names, known);
  std::vector<CaseRule> resolved;
  for (const std::string& name : names) resolved.push_back(rule_of(rules, name, otherwise, today));
  return resolved;
}

std::vector<std::string> unknown_metrics(const GateRules& rules,
                                         const std::set<std::string>& counted) {
  std::vector<std::string> lines;
  for (const Rule& rule : rules.rules)
    for (const auto& [metric, growth] : rule.metric_counts) {
      if (counted.contains(metric)) continue;
      const std::string near = nearest(metric, {counted.begin(), counted.end()});
      lines.push_back(
          fmt::format("{}:{}: no case that was compared counts {}{}", rules.file.string(),
                      rule.line, printable(metric, 100),
                      near.empty() ? "" : fmt::format("; did you mean {}?", printable(near, 100))));
    }
  return lines;
}

double alpha_of(const GateRules& rules, const std::string& name, double otherwise) {
  const Rule* rule = deciding(rules, matching_rules(rules, name), name, "alpha", &Rule::alpha);
  return rule ? *rule->alpha : otherwise;
}

}  // namespace ridgeline::gate
