#include "harness/present/gate_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::present {
namespace {

using record::CaseVerdict;
using record::Verdict;

/// A name cut at its first two slashes: suite, variant, rest.
struct Parts {
  std::string_view suite, variant, rest;
};

Parts parts(std::string_view name) {
  const std::size_t first = name.find('/');
  const std::size_t second = first == std::string_view::npos ? first : name.find('/', first + 1);
  if (second == std::string_view::npos) return {name, {}, {}};
  return {name.substr(0, first), name.substr(first + 1, second - first - 1), name.substr(second)};
}

std::string other_case(const CaseVerdict& verdict) {
  if (verdict.baseline_case.empty() || verdict.baseline_case == verdict.case_name) return {};
  const Parts mine = parts(verdict.case_name), other = parts(verdict.baseline_case);
  const bool only_variant =
      !other.variant.empty() && mine.suite == other.suite && mine.rest == other.rest;
  return only_variant ? std::string(other.variant) : verdict.baseline_case;
}

/// The cells of a verdict on counts.
void add_counts(GateRow& row, const CaseVerdict& verdict) {
  const double baseline = verdict.baseline_value.value_or(0),
               candidate = verdict.candidate_value.value_or(0);
  const auto [before, after] = units::counts(baseline, candidate);
  row.metric = verdict.metric;
  if (verdict.baseline_value) row.baseline_value = before;
  if (verdict.candidate_value) row.candidate_value = after;
  if (verdict.ratio) row.ratio = ratio_text(*verdict.ratio);
  row.delta = units::plain(100 * verdict.delta) + "%";
}

std::string interval(const CaseVerdict& verdict) {
  if (!verdict.ratio || (!verdict.ratio_low && !verdict.ratio_high)) return {};
  const auto end = [&](const std::optional<double>& ratio) {
    return ratio ? signed_percent(*ratio, verdict.delta) : "no bound";
  };
  return fmt::format("[{}, {}]", end(verdict.ratio_low), end(verdict.ratio_high));
}

/// What is known of a tail; empty without one.
std::string tail_words(const CaseVerdict& verdict) {
  if (!verdict.tail && !verdict.tail_suspected) return {};
  const auto shares = [&] {
    return fmt::format("slow samples {} -> {}", units::percent(verdict.baseline_slow.value_or(0)),
                       units::percent(verdict.candidate_slow.value_or(0)));
  };
  const auto change = [&](const char* what, const std::optional<double>& ratio) {
    return ratio ? fmt::format("{} {}", what, signed_percent(*ratio, verdict.delta)) : what;
  };
  if (!verdict.tail)
    return fmt::format("a tail is suspected, not proved: {}, {}", shares(),
                       change("mean", verdict.mean_ratio));
  switch (*verdict.tail) {
    case record::Tail::launches:
      return fmt::format("tail: {}, {}", shares(), change("mean", verdict.mean_ratio));
    case record::Tail::processes:
      return fmt::format("tail: more processes are slow, {}", change("mean", verdict.mean_ratio));
    case record::Tail::means:
      return "tail: " + change("mean", verdict.mean_ratio);
    case record::Tail::nineties:
      return "tail: " + change("90th percentile", verdict.ninetieth_ratio);
    case record::Tail::throttles:
      return fmt::format("tail: disturbed alone, the candidate {} and the baseline {}",
                         units::plural(verdict.dropped_candidate, "time"),
                         units::plural(verdict.dropped_baseline, "time"));
  }
  return {};
}

/// Of an undecided case that seems slower.
std::string not_proved(const CaseVerdict& verdict) {
  if (!verdict.more_pairs && !verdict.doubt) return {};
  return verdict.more_pairs ? fmt::format("slower, but not proved: about {}",
                                          units::plural(*verdict.more_pairs, "more pair"))
                            : "slower, but not proved";
}

std::string why(const CaseVerdict& verdict) {
  std::vector<std::string> reasons;
  const auto add = [&](std::string reason) {
    if (!reason.empty()) reasons.push_back(std::move(reason));
  };
  if (!verdict.expectation.empty())
    add((verdict.metric.empty() ? "expected to be slower: " : "expected to be worse: ") +
        verdict.expectation);
  add(not_proved(verdict));
  add(tail_words(verdict));
  add(verdict.reason);
  if (verdict.verdict == Verdict::undecided && verdict.smallest_effect)
    add(fmt::format("a slow-down {} could have been found", effect_text(*verdict.smallest_effect)));
  if (verdict.p_value && verdict.level)
    add(fmt::format("p {:.2g}, level {:.2g}", *verdict.p_value, *verdict.level));
  return fmt::to_string(fmt::join(reasons, "; "));
}

}  // namespace

ExpectedWords words_of(Expected state) {
  static constexpr ExpectedWords words[] = {{"nothing", ""},
                                            {"met", " (expected)"},
                                            {"over", " (no longer expected)"},
                                            {"exceeded", " (more than expected)"},
                                            {"unmet", " (regression expected)"},
                                            {"open", " (regression expected)"},
                                            {"untested", ""}};
  return words[static_cast<int>(state)];
}

std::string signed_percent(double ratio, double delta) {
  const double percent = 100 * (ratio - 1);
  const int digits = std::abs(percent) >= 100 ? 0 : delta > 0 && delta < 0.02 ? 2 : 1;
  std::string text = fmt::format("{:+.{}f}%", percent, digits);
  if (text.find_first_of("123456789") == std::string::npos && std::isfinite(percent))
    text.erase(0, 1);  // no "-0.0%"
  return text;
}

std::string effect_text(double effect) {
  return effect < 1 ? "of about " + units::percent(effect)
                    : fmt::format("to about {:.2g} times", 1 + effect);
}

GateRow gate_row(const CaseVerdict& verdict) {
  GateRow row;
  row.case_name = verdict.case_name;
  row.baseline = other_case(verdict);
  row.verdict = std::string(record::to_string(verdict.verdict)) + words_of(expected(verdict)).mark;
  row.why = why(verdict);
  if (!verdict.metric.empty()) {
    add_counts(row, verdict);
    return row;
  }
  if (verdict.ratio) row.change = signed_percent(*verdict.ratio, verdict.delta);
  row.interval = interval(verdict);
  if (verdict.baseline_ns) row.baseline_value = units::time(*verdict.baseline_ns);
  if (verdict.candidate_ns) row.candidate_value = units::time(*verdict.candidate_ns);
  const bool compared = verdict.pairs > 0 || verdict.dropped > 0;
  if (compared) row.delta = units::plain(100 * verdict.delta) + "%";
  if (compared) row.pairs = std::to_string(verdict.pairs);
  if (verdict.dropped > 0) row.pairs += fmt::format(" ({} dropped)", verdict.dropped);
  if (verdict.noise) row.noise = units::percent(*verdict.noise);
  return row;
}

GateRow gate_row(const GateReport& report, const CaseVerdict& verdict) {
  GateRow row = gate_row(verdict);
  const auto found = report.beside.find(verdict.case_name);
  if (found == report.beside.end()) return row;
  if (const std::string words = analysis::beside_words(found->second); !words.empty())
    row.why += fmt::format("{}beside times: {}", row.why.empty() ? "" : "; ", words);
  return row;
}

std::string ratio_text(double ratio) {
  int digits = 4;
  std::string text = fmt::format("{:.{}g}", ratio, digits);
  while (text == "1" && ratio != 1) text = fmt::format("{:.{}g}", ratio, ++digits);
  return text;
}

std::string change_with_interval(const GateRow& row) {
  if (row.metric.empty())
    return row.interval.empty() ? row.change : fmt::format("{} {}", row.change, row.interval);
  const auto value = [](const std::string& text) { return text.empty() ? "none" : text.c_str(); };
  return fmt::format("{} {} -> {}{}", row.metric, value(row.baseline_value),
                     value(row.candidate_value), row.ratio.empty() ? "" : ", ratio " + row.ratio);
}

std::string change_and_delta(const GateRow& row) {
  const std::string change = change_with_interval(row);
  if (change.empty()) return {};
  if (row.metric.empty()) return fmt::format("{}, delta {}", change, row.delta);
  return row.delta == "0%" ? change : fmt::format("{}, {} allowed", change, row.delta);
}

std::string counted(const record::Gate& gate) {
  return gate.mode == record::GateMode::runs ? "processes" : "pairs";
}

bool compares_counts(const GateReport& report) {
  return analysis::gives_counts(report.device.kind);
}

std::vector<record::CaseVerdict> with_rows(const GateReport& report) {
  std::vector<record::CaseVerdict> verdicts = report.verdicts;
  std::erase_if(verdicts, [](const record::CaseVerdict& each) {
    return each.verdict == record::Verdict::same_code;
  });
  return verdicts;
}

bool compares_variants(const GateReport& report) {
  return std::ranges::any_of(report.verdicts,
                             [](const CaseVerdict& v) { return !other_case(v).empty(); });
}

}  // namespace ridgeline::present
