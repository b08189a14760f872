#include <fmt/core.h>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/base/day.hpp"
#include "harness/gate/rules.hpp"

/// gate.toml, and the rules that gates have stored.
namespace ridgeline::fuzzing::targets {

namespace {

const std::vector<std::string> cases{"gemm/naive/f32/n=512", "gemm/naive/f64/n=512",
                                     "gemm/tiled/f32/n=512", "scan/naive/f32/n=512"};

void check_share(double share) {
  expect(share >= 0 && share < 1, fmt::format("a share of {}", share));
}

void check_rule(const gate::GateRules::Rule& rule) {
  expect(!rule.pattern.empty() && rule.line >= 1, "a rule for nothing, or from nowhere");
  for (const auto& share : {rule.delta, rule.alpha, rule.counts})
    if (share) check_share(*share);
  for (const auto& [metric, growth] : rule.metric_counts) check_share(growth);
  if (rule.floor_ns) expect(*rule.floor_ns >= 0 && *rule.floor_ns < 1e16, "a floor of nothing");
  if (rule.expect) {
    expect(rule.expect->until.size() == 10 && parse_day(rule.expect->until).has_value(),
           "an expectation until no day: " + rule.expect->until);
  }
}

void read_rules(std::string_view input) {
  gate::GateRules rules;
  if (!accepts({ErrorKind::usage}, [&] { rules = gate::parse_gate_rules(input, "gate.toml"); }))
    return;
  for (const gate::GateRules::Rule& rule : rules.rules) check_rule(rule);
  gate::unknown_metrics(rules, {"barriers", "global_load_sectors"});
  for (const std::string& name : cases)
    accepts({ErrorKind::usage}, [&] { gate::alpha_of(rules, name, 0.01); });
  accepts({ErrorKind::usage}, [&] {
    const std::vector<analysis::CaseRule> resolved =
        gate::resolve(rules, cases, {}, "2026-11-20", {"known/naive/f32/n=1"});
    expect(resolved.size() == cases.size(), "a case has lost its rule");
    for (const analysis::CaseRule& one : resolved) check_share(one.delta);
  });
}

std::vector<std::string> rule_seeds() {
  return {R"([[rule]]
cases = "*"
delta = "3%"
floor = "1us"
alpha = 0.01

[[rule]]
cases = "gemm"
delta = 0.02
counts = { barriers = 0, global_load_sectors = "1%" }
direction = "slower"

[[rule]]
cases = "gemm/naive/*"
expect = "regression"
reason = "checked for overflow now"
until = 2026-12-31
at_most = "90%"

[[rule]]
cases = "scan"
skip = "too noisy here"
)",
          "rule = [{cases = '*', counts = 0.5}]\n"};
}

}  // namespace

Target gate_rules() {
  return {read_rules,
          rule_seeds,
          4096,
          {"[[rule]]",   "cases = \"", "delta = ",   "floor = ",
           "alpha = ",   "counts = ",  "skip = ",    "expect = \"regression\"",
           "reason = ",  "until = ",   "at_most = ", "direction = ",
           "0000-01-01", "9999-12-31", "2026-02-30", "\\u0000",
           "inf",        "nan",        "1e-320",     "\"5%\"",
           "'''"}};
}

}  // namespace ridgeline::fuzzing::targets
