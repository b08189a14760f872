#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/gate_words.hpp"

namespace ridgeline::present {
namespace {

using record::CaseVerdict;

/// `text` inside an element or an attribute. Control characters are made visible by printable();
/// the two characters that UTF-8 can say and XML 1.0 cannot become U+FFFD.
std::string escaped(std::string_view text) {
  constexpr std::pair<char, const char*> entities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
  std::string out;
  const std::string shown = printable(text, 20'000);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view left = std::string_view(shown).substr(i);
    if (left.starts_with("\xEF\xBF\xBE") || left.starts_with("\xEF\xBF\xBF")) {
      out += "\xEF\xBF\xBD";
      i += 2;
      continue;
    }
    const auto* found = std::ranges::find(entities, shown[i], &std::pair<char, const char*>::first);
    if (found == std::end(entities))
      out += shown[i];
    else
      out += found->second;
  }
  return out;
}

/// The element that says how a test case ended; null for one that passed.
const char* element(const CaseVerdict& verdict) {
  if (record::is_failure(verdict.verdict)) return "error";
  if (fails(verdict)) return "failure";
  return is_decided(verdict.verdict) ? nullptr : "skipped";
}

std::string sentence(const GateRow& row, const record::Gate& gate, int count) {
  std::string text = row.verdict;
  if (!row.baseline.empty()) text += " against " + row.baseline;
  const std::string change = change_and_delta(row);
  if (!change.empty()) text += ": " + change;
  if (!row.change.empty())
    text += fmt::format(", {} {}", row.pairs,
                        count != 1                            ? counted(gate)
                        : gate.mode == record::GateMode::runs ? "process"
                                                              : "pair");
  return row.why.empty() ? text : text + "; " + row.why;
}

/// What is counted of test cases.
struct Tests {
  std::ptrdiff_t all = 0, failures = 0, errors = 0, skipped = 0;
  void add(const Tests& more) {
    all += more.all;
    failures += more.failures;
    errors += more.errors;
    skipped += more.skipped;
  }
};

std::string attributes(const Tests& tests) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests.all,
                     tests.failures, tests.errors, tests.skipped);
}

/// How the test case of the whole gate ends; empty where there is none.
std::string_view whole_gate(const GateReport& report) {
  if (report.exit_code == fine) return "";
  return report.exit_code == regression || report.exit_code == undecided ? "failure" : "error";
}

Tests tests_of(const GateReport& report) {
  const auto count = [&](std::string_view kind) {
    return std::ranges::count_if(report.verdicts,
                                 [&](const CaseVerdict& verdict) {
                                   const char* said = element(verdict);
                                   return said && said == kind;
                                 }) +
           (whole_gate(report) == kind ? 1 : 0);
  };
  return {std::ssize(report.verdicts) + (whole_gate(report).empty() ? 0 : 1), count("failure"),
          count("error"), count("skipped")};
}

std::string suite(const GateReport& report) {
  const std::string_view whole = whole_gate(report);
  std::string text = fmt::format("<testsuite name=\"{}\" timestamp=\"{}\" {}>\n",
                                 escaped(gate_title(report.gate, report.device)),
                                 escaped(report.gate.started), attributes(tests_of(report)));
  if (!whole.empty())
    text += fmt::format(
        "<testcase classname=\"ridgeline gate\" name=\"gate\"><{} message=\"{}\" type=\"exit code "
        "{}\"/></testcase>\n",
        whole, escaped(conclusions(report).back()), report.exit_code);
  for (const CaseVerdict& verdict : report.verdicts) {
    const GateRow row = gate_row(report, verdict);
    const std::string said = escaped(sentence(row, report.gate, verdict.pairs));
    text +=
        fmt::format("<testcase classname=\"ridgeline gate\" name=\"{}\">", escaped(row.case_name));
    if (const char* kind = element(verdict))
      text += fmt::format("<{} message=\"{}\"{}/>", kind, said,
                          kind == std::string_view("skipped")
                              ? ""
                              : fmt::format(" type=\"{}\"", escaped(row.verdict)));
    else
      text += fmt::format("<system-out>{}</system-out>", said);
    text += "</testcase>\n";
  }
  text += "<system-out>";
  for (const std::string& note : report.notes) text += escaped(note) + '\n';
  for (const std::string& line : conclusions(report)) text += escaped(line) + '\n';
  if (!report.repeat.empty()) text += "repeat: " + escaped(report.repeat) + '\n';
  const std::string resume = resume_command(report);
  if (!resume.empty()) text += "resume: " + escaped(resume) + '\n';
  return text + "</system-out>\n</testsuite>\n";
}

}  // namespace

std::string gate_junit(std::span<const GateReport> reports) {
  Tests tests;
  std::string suites;
  for (const GateReport& report : reports) {
    tests.add(tests_of(report));
    suites += suite(report);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n",
      attributes(tests), suites);
}

std::string gate_junit(const GateReport& report) { return gate_junit(std::span(&report, 1)); }

}  // namespace ridgeline::present
