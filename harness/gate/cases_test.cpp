#include "harness/gate/cases.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/gate/same_code.hpp"
#include "harness/store/temporary_folder.hpp"

namespace ridgeline::gate {
namespace cases_test {

record::Case make_case(const std::string& suite, const std::string& variant, const std::string& n,
                       const std::vector<record::Field>& options = {}) {
  record::Case info;
  info.id = {suite, variant, "f32", {{"n", n}}, options};
  info.device_kind = DeviceKind::fake;
  return info;
}

record::Device fake() {
  record::Device device;
  device.id = "fake";
  device.kind = DeviceKind::fake;
  return device;
}

run::Worker worker(const std::string& name, const std::vector<record::Case>& cases) {
  run::Worker made;
  made.name = name;
  made.cases = cases;
  made.devices.devices = {fake()};
  return made;
}

CaseChoice choice(const std::vector<std::string>& patterns, const std::string& rules = {}) {
  CaseChoice made;
  made.device = fake();
  made.profile = run::parse_profile(
      "description = \"\"\nprocesses = 1\nbudget = \"1s\"\ncase_timeout = \"1s\"\n[fake]\ncases = "
      "[\"*\"]\n",
      "test.toml");
  made.patterns = patterns;
  made.home = std::filesystem::temp_directory_path();
  if (!rules.empty()) made.rules = parse_gate_rules(rules, "gate.toml");
  made.today = "2026-11-20";
  return made;
}

/// "scan/a/f32/n=1: missing: why", sorted; "x <- y" is compared.
std::vector<std::string> text(const GateCases& cases) {
  std::vector<std::string> lines;
  for (const GateCase& each : cases.compared)
    lines.push_back(each.candidate.name + " <- " + each.baseline.name);
  for (const record::CaseVerdict& each : cases.settled)
    lines.push_back(each.case_name + ": " + std::string(record::to_string(each.verdict)) + ": " +
                    each.reason);
  std::sort(lines.begin(), lines.end());
  return lines;
}

template <class Action>
std::string failure(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return std::string(error.what()) + " / " + error.advice();
  }
  return "nothing";
}

using Lines = std::vector<std::string>;

TEST(GateCases, SidesArePairedByNameWhateverTheirWorkersAreCalled) {
  const Sides<std::vector<run::Worker>> workers{
      {worker("old", {make_case("sort", "a", "1"), make_case("sort", "gone", "1")})},
      {worker("new", {make_case("sort", "a", "1"), make_case("sort", "added", "1")}),
       worker("other", {make_case("scan", "a", "1")})}};
  EXPECT_EQ(text(pair_by_name(workers, choice({}))),
            (Lines{"scan/a/f32/n=1: new: baseline: there is no such case",
                   "sort/a/f32/n=1 <- sort/a/f32/n=1",
                   "sort/added/f32/n=1: new: baseline: there is no such case",
                   "sort/gone/f32/n=1: missing: candidate: there is no such case"}));
  // A pattern that only the baseline's cases match is no mistake.
  EXPECT_EQ(text(pair_by_name(workers, choice({"sort/gone"}))),
            (Lines{"sort/gone/f32/n=1: missing: candidate: there is no such case"}));
  EXPECT_NE(
      failure([&] { pair_by_name(workers, choice({"sort/god"})); }).find("did you mean sort/gone?"),
      std::string::npos);
}

TEST(GateCases, WhatCannotBeMeasuredHereIsMissingNewOrSkipped) {
  run::Worker absent = worker("collectives", {record::Case{}});
  absent.unavailable = "libmpi.so.40 not found";
  absent.cases[0].id = {"collect", "mpi", "f32", {}, {}};
  absent.cases[0].device_kind = DeviceKind::fake;
  const run::Worker present =
      worker("collectives", {make_case("collect", "mpi", "1"), make_case("collect", "mpi", "2")});
  const run::Worker suites = worker("suites", {make_case("sort", "a", "1")});
  const std::string same = "sort/a/f32/n=1 <- sort/a/f32/n=1", why = "libmpi.so.40 not found";
  EXPECT_EQ(text(pair_by_name({{suites, present}, {suites, absent}}, choice({}))),
            (Lines{"collect/mpi/f32/n=1: missing: candidate: " + why,
                   "collect/mpi/f32/n=2: missing: candidate: " + why, same}));
  EXPECT_EQ(text(pair_by_name({{suites, absent}, {suites, present}}, choice({}))),
            (Lines{"collect/mpi/f32/n=1: new: baseline: " + why,
                   "collect/mpi/f32/n=2: new: baseline: " + why, same}));
  EXPECT_EQ(text(pair_by_name({{suites, absent}, {suites, absent}}, choice({}))),
            (Lines{"collect/mpi/f32: skipped: " + why, same}));
}

TEST(GateCases, VariantsArePairedByEverythingElse) {
  const std::vector<record::Field> hot{{"cache", "hot"}};
  const std::vector<run::Worker> workers{worker(
      "suites",
      {make_case("sort", "a", "1"), make_case("sort", "a", "2"), make_case("sort", "a", "1", hot),
       make_case("sort", "b", "1"), make_case("sort", "b", "3"), make_case("sort", "b", "1", hot),
       make_case("scan", "a", "1"), make_case("sort", "c", "1")})};
  const auto pairs = [&](const std::string& baseline, const std::string& candidate,
                         const CaseChoice& chosen) {
    return text(pair_by_variant(workers, {baseline, candidate}, chosen));
  };
  const Lines all{"sort/a/f32/n=2: missing: candidate: b does not have this problem",
                  "sort/b/f32/n=1 <- sort/a/f32/n=1",
                  "sort/b/f32/n=1,cache=hot <- sort/a/f32/n=1,cache=hot",
                  "sort/b/f32/n=3: new: baseline: a does not have this problem"};
  EXPECT_EQ(pairs("a", "b", choice({})), all);
  // A pattern that picks one of the two picks the pair.
  EXPECT_EQ(pairs("a", "b", choice({"sort/b/f32/n=1"})),
            (Lines{"sort/b/f32/n=1 <- sort/a/f32/n=1"}));
  EXPECT_EQ(pairs("a", "b", choice({"sort/a/f32/n=1"})),
            (Lines{"sort/b/f32/n=1 <- sort/a/f32/n=1"}));
  EXPECT_NE(
      failure([&] { pairs("a", "d", choice({})); }).find("--candidate-variant d: no case for fake"),
      std::string::npos);
  EXPECT_NE(failure([&] {
              pairs("a", "b", choice({"sort/c"}));
            }).find("none of the chosen cases has both"),
            std::string::npos);
  EXPECT_NE(failure([&] {
              pairs("a", "b", choice({"sort/a/f32/n=2"}));
            }).find("none of the chosen cases has both"),
            std::string::npos);
}

TEST(GateCases, RulesAreAppliedToWhatIsComparedAndMaySpeakOfWhatIsNot) {
  const std::vector<record::Case> listed{make_case("sort", "a", "1"), make_case("sort", "b", "1")};
  const Sides<std::vector<run::Worker>> workers{{worker("old", listed)}, {worker("new", listed)}};
  const std::string rules =
      "[[rule]]\ncases = \"sort/a\"\nskip = \"flaky\"\n[[rule]]\ncases = \"sort/b\"\ndelta = "
      "\"5%\"\n";
  const GateCases both = pair_by_name(workers, choice({}, rules));
  EXPECT_EQ(text(both),
            (Lines{"sort/a/f32/n=1: skipped: flaky", "sort/b/f32/n=1 <- sort/b/f32/n=1"}));
  EXPECT_DOUBLE_EQ(both.compared.at(0).rule.delta, 0.05);
  EXPECT_EQ(text(pair_by_name(workers, choice({"sort/b"}, rules))).size(), 1u);
}

TEST(GateCases, TheSameCodeIsNotComparedUnlessRulesExpectSomethingOfIt) {
  const std::vector<record::Case> listed{make_case("sort", "a", "1"), make_case("sort", "b", "1"),
                                         make_case("sort", "c", "1"), make_case("sort", "d", "1")};
  const Sides<std::vector<run::Worker>> workers{
      {worker("old", listed)},
      {worker("new", {listed[0], listed[1], listed[2], make_case("sort", "e", "1")})}};
  CaseChoice chosen =
      choice({},
             "[[rule]]\ncases = \"sort/a\"\nexpect = \"regression\"\nreason = \"known\"\nuntil = "
             "2026-12-31\n[[rule]]\ncases = \"sort/c\"\nskip = \"flaky\"\n");
  chosen.same_code = [](const run::Selected& baseline, const run::Selected& candidate) {
    EXPECT_EQ(baseline.worker->name, "old");
    EXPECT_EQ(candidate.worker->name, "new");
    return true;
  };
  EXPECT_EQ(text(pair_by_name(workers, chosen)),
            (Lines{"sort/a/f32/n=1 <- sort/a/f32/n=1",
                   "sort/b/f32/n=1: same_code: ", "sort/c/f32/n=1: skipped: flaky",
                   "sort/d/f32/n=1: missing: candidate: there is no such case",
                   "sort/e/f32/n=1: new: baseline: there is no such case"}));
  chosen.measures_same_code = true;
  const GateCases all = pair_by_name(workers, chosen);
  ASSERT_EQ(all.compared.size(), 2u);
  EXPECT_FALSE(all.compared[0].same_code) << "which the rules expect to be slower";
  EXPECT_TRUE(all.compared[1].same_code);
}

TEST(GateCases, SayWhatAnotherDeviceWouldMeasure) {
  run::Worker both = worker("both", {make_case("sort", "a", "1"), make_case("sort", "b", "1")});
  record::Device cpu = fake();
  cpu.id = "cpu";
  cpu.kind = DeviceKind::cpu;
  both.devices.devices.push_back(cpu);
  both.cases[1].device_kind = DeviceKind::cpu;
  CaseChoice chosen = choice({});
  chosen.profile.cases[DeviceKind::cpu] = {{"sort", 1, false}};
  const GateCases cases = pair_by_name({{both}, {both}}, chosen);
  EXPECT_EQ(cases.compared.size(), 1u);
  ASSERT_EQ(cases.elsewhere.size(), 1u);
  EXPECT_EQ(cases.elsewhere[0].device.id, "cpu");
  EXPECT_EQ(cases.elsewhere[0].cases, 1);
}

TEST(SameCodeOfCases, IsKnownOfCopiesAndNotOfOtherPrograms) {
  namespace fs = std::filesystem;
  const store::TemporaryFolder folder;
  // This program has no suites, and what is no program has nothing.
  const fs::path self = folder / "self", copy = folder / "copy", longer = folder / "longer";
  for (const fs::path& to : {self, copy, longer})
    fs::copy_file(fs::canonical("/proc/self/exe"), to);
  std::ofstream(longer, std::ios::app) << "more";
  const std::vector<record::Case> listed{make_case("sort", "a", "1")};
  const auto same = [&](const fs::path& before, const fs::path& after,
                        const std::string& argument = "") {
    run::Worker old = worker("old", listed), other = worker("new", listed);
    old.program = before;
    other.program = after;
    old.command = {"/adapter", {"kind", before.string()}};
    other.command = {"/adapter", {"kind", after.string()}};
    if (!argument.empty()) other.command.arguments.push_back(argument);
    SameCode compare(true);
    return compare({&old, listed[0], "sort/a", ""}, {&other, listed[0], "sort/a", ""});
  };
  EXPECT_TRUE(same(self, copy));
  EXPECT_FALSE(same(self, copy, "--fast")) << "started otherwise";
  EXPECT_FALSE(same(self, longer));
  EXPECT_FALSE(same("/dev/null", "/dev/null"));
  EXPECT_FALSE(same("/nonexistent", "/nonexistent"));
}

TEST(SameCodeOfCases, IsWhatBothWorkersSayTheSameOfWhereTheyAreBelieved) {
  const std::vector<record::Case> listed{make_case("sort", "a", "1")};
  const auto same = [&](const std::string& before, const std::string& after, bool believes = true) {
    run::Worker old = worker("old", listed), other = worker("new", listed);
    old.program = other.program = "/nonexistent";
    const std::string name = record::name(listed[0].id);
    if (!before.empty()) old.case_codes[{DeviceKind::fake, name}] = before;
    if (!after.empty()) other.case_codes[{DeviceKind::fake, name}] = after;
    SameCode compare(believes);
    return compare({&old, listed[0], name, ""}, {&other, listed[0], name, ""});
  };
  EXPECT_TRUE(same("6109", "6109"));
  EXPECT_FALSE(same("6109", "6109", false));
  EXPECT_FALSE(same("6109", "6110"));
  EXPECT_FALSE(same("6109", ""));
  EXPECT_FALSE(same("", "6109"));
  EXPECT_FALSE(same("", "")) << "nor do the files tell";
}

}  // namespace cases_test
}  // namespace ridgeline::gate
