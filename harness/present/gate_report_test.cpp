#include "harness/present/gate_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/base/json_reread_fixture.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/gate_examples.hpp"
#include "harness/present/gate_words.hpp"

namespace ridgeline::present {
namespace gate_report_test {

using examples::judged;
using examples::said;
using record::CaseVerdict;
using record::RunStatus;
using record::Verdict;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Compares with golden/NAME. With RIDGELINE_WRITE_GOLDEN in the environment that file is written
/// instead; read what changed before you commit it.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string file = std::string(RIDGELINE_PRESENT_FOLDER) + "/golden/" + name;
  if (std::getenv("RIDGELINE_WRITE_GOLDEN")) std::ofstream(file, std::ios::binary) << text;
  std::ifstream stream(file, std::ios::binary);
  const std::string golden{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text, golden) << file;
}

TEST(GateReport, IsTheSameInEveryFormat) {
  const GateReport report = examples::report();
  expect_golden("gate.txt", gate_text(report));
  expect_golden("gate.md", gate_markdown(report));
  expect_golden("gate.xml", gate_junit(report));
  expect_golden("gate.github", gate_github(report));
  expect_golden("gate.json", to_json(report).dump(2) + '\n');
}

TEST(GateReport, ExitCodes) {
  const CaseVerdict pass = judged("a", Verdict::pass, 0, -1, 1),
                    slow = judged("b", Verdict::regression, 5, 4, 6);
  const auto expecting = [](CaseVerdict verdict, bool met) {
    verdict.expectation = "why (until 2026-12-31)";
    verdict.expected = met;
    return verdict;
  };
  const auto without = [](Verdict verdict) { return said("c", verdict, "why"); };
  const CaseVerdict unsure = without(Verdict::undecided);
  CaseVerdict no_room = without(Verdict::skipped);
  no_room.no_room = true;
  CaseVerdict doubted = unsure;
  doubted.doubt = record::Doubt::large;
  CaseVerdict suspected = pass;
  suspected.tail_suspected = true;
  struct Row {
    std::vector<CaseVerdict> verdicts;
    int code, strict;
  };
  const Row table[] = {
      {{pass}, 0, 0},
      {{pass, judged("c", Verdict::improvement, -5, -6, -4)}, 0, 0},
      {{pass, without(Verdict::new_case), without(Verdict::skipped)}, 0, 0},
      {{pass, no_room}, 0, 3},
      {{pass, slow}, 1, 1},
      {{pass, expecting(slow, true)}, 0, 0},
      {{expecting(slow, true)}, 0, 0},
      {{pass, expecting(slow, false)}, 1, 1},  // its date has passed
      {{expecting(pass, false)}, 1, 1},
      {{pass, expecting(judged("c", Verdict::improvement, -5, -6, -4), false)}, 1, 1},
      {{pass, expecting(unsure, false)}, 0, 3},  // which does not say that it is gone
      {{pass, expecting(without(Verdict::skipped), false)}, 0, 0},
      {{pass, unsure}, 0, 3},
      {{pass, without(Verdict::no_baseline)}, 0, 3},
      {{pass, without(Verdict::invalid_environment)}, 0, 3},
      {{unsure, without(Verdict::new_case)}, 3, 3},
      {{without(Verdict::skipped)}, 3, 3},
      {{without(Verdict::no_baseline)}, 3, 3},
      {{}, 3, 3},
      {{pass, doubted}, 3, 3},
      {{slow, doubted}, 1, 1},
      {{pass, judged("c", Verdict::tail, 0, -1, 1)}, 1, 1},
      {{pass, without(Verdict::same_code)}, 0, 0},
      {{without(Verdict::same_code)}, 0, 0},  // nothing that could be slower
      {{expecting(without(Verdict::same_code), false)}, 0, 0},
      {{without(Verdict::same_code), unsure}, 3, 3},
      {{without(Verdict::same_code), without(Verdict::not_measured)}, 3, 3},
      {{without(Verdict::same_code), without(Verdict::invalid_environment)}, 3, 3},
      {{without(Verdict::same_code), pass, unsure}, 0, 3},
      {{pass, expecting(judged("c", Verdict::tail, 0, -1, 1), false)}, 1, 1},
      {{pass, expecting(judged("c", Verdict::tail, 0, -1, 1), true)}, 0, 0},
      {{pass, suspected}, 0, 3},
      {{without(Verdict::same_code), suspected}, 0, 3},
      {{pass, without(Verdict::not_measured)}, 0, 3},
      {{without(Verdict::not_measured)}, 3, 3},
      {{slow, without(Verdict::wrong_result)}, 2, 2},
      {{slow, without(Verdict::crashed)}, 2, 2},
      {{pass, without(Verdict::timeout)}, 2, 2},
      {{pass, without(Verdict::missing)}, 2, 2},
  };
  for (const Row& row : table) {
    const std::string what = verdict_counts(row.verdicts);
    EXPECT_EQ(gate_exit_code(RunStatus::finished, row.verdicts, false), row.code) << what;
    EXPECT_EQ(gate_exit_code(RunStatus::finished, row.verdicts, true), row.strict) << what;
    EXPECT_EQ(gate_exit_code(RunStatus::interrupted, row.verdicts, false), 130) << what;
    EXPECT_EQ(gate_exit_code(RunStatus::failed, row.verdicts, false), 2) << what;
  }
}

/// The last line that a finished gate with these verdicts says, in every format that has one.
std::string conclusion(const std::vector<CaseVerdict>& verdicts, bool strict = false) {
  GateReport report = examples::report();
  report.verdicts = verdicts;
  report.exit_code = gate_exit_code(report.gate.status, verdicts, strict);
  const std::string last = conclusions(report).back();
  for (const std::string& text : {gate_text(report), gate_markdown(report), gate_junit(report)})
    EXPECT_TRUE(contains(text, last)) << text;
  return last;
}

TEST(GateReport, TheConclusionSaysWhatIsTheCase) {
  const CaseVerdict pass = judged("a", Verdict::pass, 0, -1, 1),
                    slow = judged("b", Verdict::regression, 5, 4, 6);
  const auto of = [](Verdict verdict) { return said("c", verdict, "why"); };
  EXPECT_EQ(conclusion({pass}), "the gate passes");
  EXPECT_EQ(conclusion({pass, of(Verdict::undecided), of(Verdict::skipped)}),
            "the gate passes; 2 of 3 cases were not judged");
  EXPECT_EQ(conclusion({pass, of(Verdict::undecided)}, true),
            "the gate is strict and does not pass: 1 of 2 cases was not judged");
  for (const bool strict : {false, true}) {
    EXPECT_EQ(conclusion({of(Verdict::undecided)}, strict),
              "the gate does not pass: too little could be decided");
    EXPECT_EQ(conclusion({of(Verdict::same_code), of(Verdict::undecided)}, strict),
              "the gate does not pass: too little could be decided");
  }
  EXPECT_EQ(conclusion({of(Verdict::same_code)}), "the gate passes");
  CaseVerdict suspected = pass;
  suspected.tail_suspected = true;
  EXPECT_EQ(conclusion({pass, suspected}), "the gate passes; 1 case may have a tail");
  EXPECT_EQ(conclusion({pass, suspected}, true),
            "the gate is strict and does not pass: 1 case may have a tail");
  EXPECT_EQ(conclusion({pass, suspected, of(Verdict::undecided)}, true),
            "the gate is strict and does not pass: 1 of 3 cases was not judged; 1 case may have a "
            "tail");
  EXPECT_EQ(conclusion({pass, slow}), "the gate fails: the candidate is slower");
  CaseVerdict doubted = of(Verdict::undecided);
  doubted.doubt = record::Doubt::exact;
  EXPECT_EQ(conclusion({pass, doubted}),
            "the gate does not pass: 1 case seems slower, which is not proved yet");
  EXPECT_EQ(conclusion({pass, doubted, doubted}, true),
            "the gate does not pass: 2 cases seem slower, which is not proved yet");
  EXPECT_EQ(conclusion({judged("c", Verdict::tail, 0, -1, 1), slow}),
            "the gate fails: the candidate is slower; a tail became slower");
  EXPECT_EQ(conclusion({of(Verdict::wrong_result), slow}),
            "the gate fails: a case does not compute what it should; the candidate is slower");
  EXPECT_EQ(conclusion({pass, of(Verdict::crashed)}), "the gate fails: a worker crashed");
  EXPECT_EQ(conclusion({of(Verdict::crashed), of(Verdict::crashed), of(Verdict::timeout),
                        of(Verdict::missing)}),
            "the gate fails: 2 cases crashed a worker; a case timed out; a case is missing");
}

TEST(GateReport, ALargerRegressionThanExpectedFailsInWords) {
  GateReport report = examples::report();
  report.verdicts = {judged("a", Verdict::regression, 9, 8, 10)};
  report.verdicts[0].expectation = "checks now, which is over) (at most 5%, until 2026-12-31)";
  EXPECT_EQ(expected(report.verdicts[0]), Expected::exceeded);
  EXPECT_EQ(gate_exit_code(RunStatus::finished, report.verdicts, false), ExitCode::regression);
  EXPECT_TRUE(contains(gate_text(report), "regression (more than expected)"));
  EXPECT_TRUE(contains(gate_text(report), "1 regression is larger than the rules expect\n"));
  EXPECT_EQ(json::reread(to_json(report.verdicts[0]))["expectation"]["state"], "exceeded");
}

TEST(GateReport, ATailThatIsAnExpectedRegressionDoesNotFail) {
  GateReport report = examples::report();
  CaseVerdict met = judged("a", Verdict::tail, 2.5, 2, 3);
  met.tail = record::Tail::means;
  met.expected = true;
  met.expectation = "checks now (until 2026-12-31)";
  report.verdicts = {met, judged("b", Verdict::regression, 9, 8, 10)};
  EXPECT_EQ(expected(met), Expected::met);
  EXPECT_FALSE(fails(met));
  EXPECT_EQ(gate_row(met).verdict, "tail (expected)");
  EXPECT_EQ(verdict_counts(report.verdicts), "1 regression, 1 tail");
  report.exit_code = gate_exit_code(report.gate.status, report.verdicts, false);
  EXPECT_EQ(conclusions(report).back(), "the gate fails: the candidate is slower");
}

TEST(GateReport, APassThatMayHaveATailIsAnnotated) {
  GateReport report = examples::report();
  report.verdicts = {judged("a", Verdict::pass, 0, -1, 1)};
  EXPECT_EQ(gate_github(report), "");
  report.verdicts[0].tail_suspected = true;
  EXPECT_TRUE(gate_github(report).starts_with("::warning title=pass%3A a::a: "))
      << gate_github(report);
}

TEST(GateReport, NumbersThatAreNoneAreLeftOut) {
  CaseVerdict verdict = judged("a", Verdict::pass, 0, -1, 1);
  verdict.ratio_high = std::numeric_limits<double>::infinity();
  verdict.noise = std::numeric_limits<double>::quiet_NaN();
  const auto object = json::reread(to_json(verdict));
  EXPECT_EQ(object["ratio_low"], 0.99);
  for (const char* key : {"ratio_high", "noise", "smallest_effect"})
    EXPECT_FALSE(object.contains(key)) << key;
  const std::string nothing = to_json(CaseVerdict()).dump();
  EXPECT_TRUE(
      contains(nothing, R"("delta":0.0,"pairs":0,"dropped":0,"words":{"verdict":"undecided"}})"))
      << nothing;
}

TEST(GateReport, ProgramsAreToldWhatItComesTo) {
  GateReport report = examples::report();
  const auto told = [&](RunStatus status, std::vector<CaseVerdict> verdicts, bool strict = false) {
    report.gate.status = status;
    report.exit_code = gate_exit_code(status, verdicts, strict);
    report.verdicts = std::move(verdicts);
    const auto object = json::reread(to_json(report));
    EXPECT_EQ(object["conclusions"].back(), conclusions(report).back());
    EXPECT_EQ(object.contains("exit_code"), status != RunStatus::running);
    return std::pair(object["fails"].get<bool>(), object["doubtful"].get<bool>());
  };
  const CaseVerdict pass = judged("a", Verdict::pass, 0, -1, 1),
                    slow = judged("b", Verdict::regression, 5, 4, 6);
  CaseVerdict no_room = said("c", Verdict::skipped, "why");
  no_room.no_room = true;
  constexpr std::pair good(false, false), doubtful(false, true), bad(true, false);
  EXPECT_EQ(told(RunStatus::finished, {pass, said("c", Verdict::skipped, "why")}), good);
  EXPECT_EQ(told(RunStatus::finished, {pass, said("c", Verdict::undecided, "why")}), doubtful);
  EXPECT_EQ(told(RunStatus::finished, {pass, no_room}), doubtful);
  EXPECT_EQ(told(RunStatus::finished, {pass, no_room}, true), doubtful);
  EXPECT_EQ(told(RunStatus::finished, {}), doubtful);
  EXPECT_EQ(told(RunStatus::finished, {pass, slow}), bad);
  EXPECT_EQ(told(RunStatus::interrupted, {pass}), bad);
  EXPECT_EQ(told(RunStatus::running, {pass}), doubtful);
  EXPECT_EQ(told(RunStatus::running, {slow}), std::pair(true, true));
}

TEST(GateReport, RulesThatRaiseAlphaAreSaid) {
  GateReport report = examples::report();
  report.verdicts = {
      judged("gemm/a", Verdict::pass, 0, -1, 1), judged("gemm/b", Verdict::pass, 0, -1, 1),
      judged("scan/c", Verdict::pass, 0, -1, 1), said("gemm/d", Verdict::skipped, "why")};
  const auto says = [&](const char* rules) {
    report.gate.rules_text = rules;
    return gate_text(report);
  };
  EXPECT_TRUE(contains(says("[[rule]]\ncases = \"gemm\"\nalpha = \"5%\"\n"),
                       "\nalpha is 1%, and by the rules 5% for 2 cases\n"));
  EXPECT_FALSE(contains(says("[[rule]]\ncases = \"gemm\"\nalpha = \"0.1%\"\n"), "alpha is"));
  EXPECT_FALSE(contains(says("[[rule]]\ncases = \"sort\"\nalpha = \"5%\"\n"), "alpha is"))
      << "it is of no case here";
  EXPECT_FALSE(contains(says("not = TOML of today"), "alpha is"))
      << "what cannot be read is no reason to show nothing";
}

TEST(GateReport, JUnitIsGreenForNothingButExitCode0) {
  GateReport report = examples::report();
  report.verdicts = {judged("a", Verdict::pass, 0, -1, 1), said("b", Verdict::undecided, "why")};
  const auto junit = [&](RunStatus status, bool strict) {
    report.gate.status = status;
    report.exit_code = gate_exit_code(status, report.verdicts, strict);
    return gate_junit(report);
  };
  const std::string name = "name=\"gate\"><";
  EXPECT_FALSE(contains(junit(RunStatus::finished, false), name));
  const std::string open = junit(RunStatus::finished, true),
                    stopped = junit(RunStatus::interrupted, false);
  EXPECT_TRUE(contains(open, name + "failure message=\"the gate is strict and does not pass"))
      << open;
  EXPECT_TRUE(contains(open, "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_TRUE(contains(stopped, name + "error message=\"the gate was interrupted\"")) << stopped;
  EXPECT_TRUE(contains(stopped, "tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\""));
  report.verdicts = {judged("a", Verdict::undecided, 0, -1, 1)};
  report.verdicts[0].pairs = 1;
  EXPECT_TRUE(contains(junit(RunStatus::finished, false), ", 1 pair; ")) << "undecided alone";
  EXPECT_TRUE(contains(junit(RunStatus::finished, false), name + "failure"));
}

TEST(GateReport, ChangesReadWell) {
  EXPECT_EQ(signed_percent(1.032, 0.03), "+3.2%");
  EXPECT_EQ(signed_percent(0.989, 0.03), "-1.1%");
  EXPECT_EQ(signed_percent(1.00213, 0.005), "+0.21%") << "a small delta asks for more digits";
  EXPECT_EQ(signed_percent(0.99999, 0.03), "0.0%");
  EXPECT_EQ(signed_percent(1, 0.005), "0.00%");
  EXPECT_EQ(signed_percent(12.5, 0.03), "+1150%");
  CaseVerdict open = judged("a", Verdict::undecided, 2, 1, 3);
  open.ratio_low.reset();
  EXPECT_EQ(gate_row(open).interval, "[no bound, +3.0%]");
  open.ratio_high.reset();
  EXPECT_EQ(gate_row(open).interval, "") << "nothing is known";
  open.ratio.reset();
  EXPECT_EQ(gate_row(open).interval, "");
}

TEST(GateReport, TwoVariantsAreBothShown) {
  GateReport report = examples::report();
  report.verdicts = {judged("gemm/mine/f32/n=512", Verdict::pass, 0, -1, 1),
                     judged("gemm/mine/f64/n=512", Verdict::pass, 0, -1, 1)};
  report.verdicts[0].baseline_case = "gemm/shared_tiled/f32/n=512";
  report.verdicts[1].baseline_case = "scan/other/f64";
  EXPECT_TRUE(contains(gate_text(report), "\ngemm/mine/f32/n=512  shared_tiled    pass "))
      << gate_text(report);
  EXPECT_TRUE(contains(gate_text(report), "\ngemm/mine/f64/n=512  scan/other/f64  pass "))
      << gate_text(report);
  EXPECT_TRUE(contains(gate_markdown(report),
                       "| <code>gemm/mine/f32/n=512</code> | <code>shared_tiled</code> | pass |"));
  EXPECT_TRUE(contains(gate_junit(report), ">pass against shared_tiled: 0.0% "));
  EXPECT_EQ(json::reread(to_json(report))["verdicts"][0]["baseline_case"],
            "gemm/shared_tiled/f32/n=512");
}

TEST(GateReport, StoredRunsCountProcesses) {
  GateReport report = examples::report();
  report.gate.mode = record::GateMode::runs;
  EXPECT_TRUE(contains(gate_text(report), "  processes  "));
  EXPECT_TRUE(contains(gate_markdown(report), "| processes |"));
  EXPECT_TRUE(contains(gate_junit(report), " 18 processes; "));
}

TEST(GateReport, AnEmptyOrInterruptedGateIsNoPass) {
  GateReport report = examples::report();
  report.verdicts.clear();
  report.exit_code = gate_exit_code(report.gate.status, {}, false);
  for (const std::string& text : {gate_text(report), gate_markdown(report), gate_junit(report)}) {
    EXPECT_TRUE(contains(text, "no case was compared")) << text;
    EXPECT_TRUE(contains(text, "the gate does not pass: too little could be decided")) << text;
  }
  report.gate.status = RunStatus::interrupted;
  report.exit_code = gate_exit_code(report.gate.status, {}, false);
  for (const std::string& text : {gate_text(report), gate_markdown(report), gate_junit(report)}) {
    EXPECT_TRUE(contains(text, "the gate was interrupted")) << text;
    EXPECT_TRUE(contains(text, "ridgeline gate --resume 20261120T124501Z-5f3a9c")) << text;
  }
}

TEST(GateReport, AJobSummaryIsCutAtWholeRowsAndSaysSo) {
  GateReport report = examples::report();
  report.verdicts.clear();
  constexpr int cases = 20'000;
  for (int i = 0; i < cases; ++i)
    report.verdicts.push_back(
        judged(fmt::format("gemm/naive/f32/n={:05}", i), Verdict::pass, 0.1, -0.5, 0.7));
  report.exit_code = 0;
  const std::string text = gate_markdown(report);
  EXPECT_LE(text.size(), 1u << 20);
  EXPECT_GT(text.size(), 900'000u);
  int rows = 0;
  for (std::size_t at = text.find("\n| <code>"); at != std::string::npos;
       at = text.find("\n| <code>", at + 1))
    ++rows;
  EXPECT_TRUE(contains(
      text,
      fmt::format("| p 3.8e-06, level 3.5e-05 |\n\n**{} more cases are not shown", cases - rows)));
  EXPECT_TRUE(contains(text, "\n```sh\nridgeline gate "))
      << "what to run next is there all the same";

  for (CaseVerdict& verdict : report.verdicts) report.repeat += " " + verdict.case_name;
  report.notes.assign(cases, "a note of some length that is repeated over and over again");
  const std::string full = gate_markdown(report);
  EXPECT_LE(full.size(), 1u << 20);
  EXPECT_TRUE(contains(full, "more notes are not shown"));
  EXPECT_TRUE(contains(full, "more cases are not shown"));
  EXPECT_TRUE(contains(full, "too long for this page"));

  const std::string whole = gate_text(report);
  std::size_t found = 0;
  for (const CaseVerdict& verdict : report.verdicts) {
    found = whole.find('\n' + verdict.case_name + "  pass", found);
    ASSERT_NE(found, std::string::npos) << verdict.case_name << " is left out";
  }
}

TEST(GateReport, ResumingNamesTheFolderThatTheProgramWouldNotTake) {
  const auto names = [](const char* file) {
    return contains(resume_command(examples::report().gate, "killed", file), " --results ");
  };
  unsetenv("RIDGELINE_RESULTS");
  EXPECT_FALSE(names("results/synthetic-gpu.sqlite"));
  EXPECT_TRUE(names("nights/synthetic-gpu.sqlite"));
  setenv("RIDGELINE_RESULTS", "nights/", 1);
  EXPECT_TRUE(names("results/synthetic-gpu.sqlite"));
  EXPECT_FALSE(names("nights/synthetic-gpu.sqlite"));
  unsetenv("RIDGELINE_RESULTS");
}

TEST(GateReport, AnnotationsThatGitHubDoesNotShowAreCountedAloud) {
  GateReport report = examples::report();
  report.verdicts.assign(10, judged("a", Verdict::regression, 5, 4, 6));
  EXPECT_FALSE(contains(gate_github(report), "title=Ridgeline"));
  report.verdicts.assign(11, judged("a", Verdict::regression, 5, 4, 6));
  const std::string text = gate_github(report);
  EXPECT_TRUE(text.starts_with("::error title=Ridgeline::11 cases; ")) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 12);
}

TEST(GateReport, OfSeveralDevicesIsOneAfterTheOther) {
  std::vector<GateReport> reports{examples::report(), examples::report()};
  reports[1].device.id = "cpu";
  reports[1].gate.id = "20261120T124501Z-000000";
  reports[1].exit_code = undecided;
  ASSERT_EQ(reports[0].exit_code, not_all_measured);
  EXPECT_EQ(gate_exit_code(reports), not_all_measured);
  for (const std::string& text :
       {gate_text(reports), gate_markdown(reports), gate_junit(reports)}) {
    EXPECT_TRUE(contains(text, reports[0].gate.id)) << text;
    EXPECT_TRUE(contains(text, reports[1].gate.id)) << text;
  }
  EXPECT_TRUE(contains(gate_text(reports), "2 gates of one alpha, exit code 2:\n"));
  const std::string xml = gate_junit(reports);
  const auto count = [&](std::string_view what) {
    int found = 0;
    for (std::size_t at = xml.find(what); at != std::string::npos; at = xml.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("<?xml"), 1);
  EXPECT_EQ(count("<testsuite "), 2);
  EXPECT_TRUE(contains(xml, fmt::format("<testsuites tests=\"{}\"", count("<testcase "))));
  const json::Value object = to_json(std::span<const GateReport>(reports));
  EXPECT_EQ(object.at("exit_code").integer(), 2);
  EXPECT_EQ(object.at("gates").size(), 2u);
  reports.pop_back();
  EXPECT_EQ(gate_text(reports), gate_text(reports[0]));
  EXPECT_EQ(to_json(std::span<const GateReport>(reports)), to_json(reports[0]));
  // A job summary holds them all.
  reports[0].notes.assign(40'000, "a note of some length, which a stranger may have written");
  reports.assign(3, reports[0]);
  EXPECT_LT(gate_markdown(reports).size(), 1u << 20);
}

}  // namespace gate_report_test
}  // namespace ridgeline::present
