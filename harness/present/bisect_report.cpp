#include "harness/present/bisect_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/repeat.hpp"

namespace ridgeline::present {
namespace {

using analysis::Tested;
using json::put;

constexpr std::size_t most_listed = 20;  // left in words; --json has all

const TestedCommit* known_of(const BisectReport& report, std::size_t commit) {
  const auto known = std::ranges::find(report.tested, commit, &TestedCommit::commit);
  return known == report.tested.end() ? nullptr : &*known;
}

/// What each commit of the list is measured against: the one before it.
std::string before(const BisectReport& report, std::size_t commit) {
  const std::vector<std::size_t>& parents = report.range.parents[commit];
  return parents.empty() ? report.good.hash : report.range.commits[parents.front()].hash;
}

std::string how_sure(const BisectReport& report) {
  if (report.error == 0) return fmt::format("exact, by the counts of {}", printable(report.metric));
  return fmt::format("wrong in at most {} of such searches", units::percent(report.error));
}

std::string confirming(const BisectReport& report, std::size_t commit) {
  std::vector<std::string> rest{report.case_name};
  if (report.slowdown)  // half of which tells it apart from nothing
    rest.insert(rest.begin(), {"--delta", units::percent(*report.slowdown / 2)});
  return gate_of_commits(before(report, commit), report.range.commits[commit].hash,
                         report.device.id, rest);
}

std::string_view word_of(Tested tested) {
  switch (tested) {
    case Tested::good:
      return "good";
    case Tested::bad:
      return "bad";
    case Tested::untestable:
      return "untestable";
    case Tested::open:
      break;
  }
  return "undecided";
}

json::Value commit_json(const gate::Commit& commit) {
  return {{"commit", commit.hash}, {"subject", commit.subject}};
}

}  // namespace

std::string in_words(const gate::Commit& commit) {
  return fmt::format("{} ({})", commit.hash.substr(0, 12), printable(commit.subject, 72));
}

std::string in_words(const TestedCommit& one) {
  const std::string why = one.why.empty() ? "" : ": " + one.why;
  const std::string ratio = one.ratio ? fmt::format(" ({}{})", *one.ratio < 1 ? "-" : "+",
                                                    units::percent(std::abs(*one.ratio - 1)))
                                      : "";
  switch (one.tested) {
    case Tested::good:
      return "as the good one" + ratio + why;
    case Tested::bad:
      return "slower" + ratio + why;
    case Tested::untestable:
      return "cannot be tested" + why;
    case Tested::open:
      break;
  }
  return "undecided" + ratio + why;
}

std::string bisect_text(const BisectReport& report) {
  std::string text;
  if (report.left.empty()) return fmt::format("{}\n", report.ended);
  const std::string gates = units::plural(report.gates, "gate");
  if (report.left.size() == 1) {
    const std::size_t commit = report.left.front();
    text += fmt::format("{} is slower since {}\n", printable(report.case_name, 400),
                        in_words(report.range.commits[commit]));
    text += fmt::format("  {}, {}\n", gates, how_sure(report));
    return text + fmt::format("  confirm: {}\n", confirming(report, commit));
  }
  text += fmt::format("{} is slower since one of these {} commits, oldest first\n",
                      printable(report.case_name, 400), report.left.size());
  text += fmt::format("  {}, {}\n", gates, how_sure(report));
  for (std::size_t i = 0; i < std::min(report.left.size(), most_listed); ++i) {
    const std::size_t commit = report.left[i];
    const TestedCommit* known = known_of(report, commit);
    text += fmt::format("  {}{}\n", in_words(report.range.commits[commit]),
                        known ? "  " + in_words(*known) : "");
  }
  if (report.left.size() > most_listed)
    text += fmt::format("  and {} more, which --json lists\n", report.left.size() - most_listed);
  return text;
}

json::Value to_json(const BisectReport& report) {
  json::Value object{{"case", report.case_name},
                     {"device", report.device.id},
                     {"device_uuid", report.device.uuid},
                     {"good", commit_json(report.good)},
                     {"bad", commit_json(report.range.commits.back())},
                     {"commits", report.range.commits.size()},
                     {"gates", report.gates},
                     {"exact", report.error == 0},
                     {"exit_code", report.exit_code},
                     {"tested", json::Value::array()},
                     {"left", json::Value::array()}};
  put(object, "metric", report.metric);
  if (report.error > 0) object["error"] = report.error;
  put(object, "proven_slowdown", report.slowdown);
  put(object, "ended", report.ended);
  for (const TestedCommit& one : report.tested) {
    json::Value each = commit_json(report.range.commits[one.commit]);
    each["answer"] = word_of(one.tested);
    put(each, "why", one.why);
    put(each, "gate", one.gate);
    each["stored"] = one.stored;
    put(each, "ratio", one.ratio);
    object["tested"].push_back(std::move(each));
  }
  for (const std::size_t commit : report.left)
    object["left"].push_back(commit_json(report.range.commits[commit]));
  if (report.left.size() == 1) object["confirm"] = confirming(report, report.left.front());
  return object;
}

}  // namespace ridgeline::present
