#include "harness/present/trend.hpp"

#include <gtest/gtest.h>

#include "harness/base/json_reread_fixture.hpp"

namespace ridgeline::cli {
namespace trend_test {

using analysis::DeviceTrend;
using analysis::TrendChange;
using analysis::TrendKind;

/// A device of three nights with one new change of `kind`.
DeviceTrend with_change(TrendKind kind) {
  DeviceTrend trend;
  trend.nights.device.id = "synthetic:0";
  trend.nights.device.uuid = "synthetic-0000";
  trend.nights.device.model = "synthetic-gpu";
  trend.nights.profile = "nightly";
  trend.nights.nights = {{"2026-01-01", 0, {}}, {"2026-01-02", 1, {}}, {"2026-01-03", 2, {}}};
  trend.series = 1;
  TrendChange change;
  change.case_name = "gemm/naive/f32/n=64";
  change.kind = kind;
  change.night = change.earliest = change.latest = 1;
  change.before = 1000;
  change.after = kind == TrendKind::improvement ? 900 : 1100;
  change.ratio = {change.after / change.before - .01, change.after / change.before + .01};
  change.unit = "ns";
  change.is_new = true;
  change.raised = 2;
  change.evidence = {2, 14, 1.5};
  change.recent = {1, 1, 1, 2, 2, 2};
  change.marked = 3;
  change.changes.before_commit = "aaaaaaaaaaaaaaaaaaaa";
  change.changes.after_commit = "bbbbbbbbbbbbbbbbbbbb";
  trend.changes = {change};
  return trend;
}

TEST(TrendText, TellsAChangeWithTheCommandThatConfirmsIt) {
  const std::string text = present::trend_text({{with_change(TrendKind::regression)}, {}, 0});
  EXPECT_EQ(
      text,
      "synthetic-gpu, synthetic:0 (synthetic-0000), profile nightly: 3 nights from 2026-01-01 to "
      "2026-01-03, 1 case\n"
      "\n"
      "2026-01-02  regression   gemm/naive/f32/n=64\n"
      "            +10.0% (+9.0% to +11.0%)  1.00 us -> 1.10 us\n"
      "            ▁▁▁│███  between the night before and this one, told 2026-01-03, new\n"
      "            changed: commit aaaaaaaaaaaa -> bbbbbbbbbbbb\n"
      "            confirm: ridgeline gate --device synthetic:0 --baseline-ref aaaaaaaaaaaa "
      "--candidate-ref "
      "bbbbbbbbbbbb gemm/naive/f32/n=64\n"
      "\n"
      "the last 3 nights: 1 regression (1 new)\n");
}

TEST(TrendText, SaysWhatBecameOfAChange) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].undone = 2;
  EXPECT_NE(present::trend_text({{trend}, {}, 0})
                .find("between the night before and this one, told 2026-01-03, undone 2026-01-03"),
            std::string::npos);
  trend.changes[0].undone.reset();
  trend.changes[0].night = trend.changes[0].earliest = trend.changes[0].latest = 2;
  trend.changes[0].night_before = 0;
  EXPECT_NE(present::trend_text({{trend}, {}, 0}).find("between 2026-01-01 and this one, told"),
            std::string::npos)
      << "of a case that was not measured in between";
  trend.changes[0].undoes = 0;
  EXPECT_NE(
      present::trend_text({{trend}, {}, 0}).find("told 2026-01-03, takes that of 2026-01-01 back"),
      std::string::npos);
}

TEST(TrendText, SaysWhichOfTwoEnvironmentsThatTakeTurns) {
  DeviceTrend trend = with_change(TrendKind::regression);
  for (const char* watts : {"200", "300"}) {
    store::StoredRun& run = trend.nights.runs.emplace_back();
    run.environment.hash = std::string("e") + watts;
    run.environment.comparable = {{"memory_gib", "16"}, {"power_limit_w", watts}};
  }
  trend.changes[0].environment = "e200";
  analysis::NightlyCase& its = trend.nights.cases.emplace_back();
  its.name = "gemm/naive/f32/n=64";
  its.times = {{"e200", {0, 1, 2}, {1, 2, 3}}};
  const auto text = [&] { return present::trend_text({{trend}, {}, 0}); };
  EXPECT_EQ(text().find("power_limit_w"), std::string::npos);
  its.times.push_back({"e300", {0, 2}, {1, 1}});
  EXPECT_NE(text().find("told 2026-01-03, with power_limit_w 200, new\n"), std::string::npos)
      << text();
  trend.changes[0].environment = "e300";
  EXPECT_NE(text().find("told 2026-01-03, with power_limit_w 300, new\n"), std::string::npos);
  its.times = {{"e200", {0, 1}, {1, 2}}, {"e300", {2}, {1}}};
  EXPECT_EQ(text().find("power_limit_w"), std::string::npos) << "one took the place of the other";
}

TEST(TrendText, ShowsModesLastAndWithoutACommand) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes.push_back(trend.changes[0]);
  trend.changes[0].mode = true;
  trend.changes[0].is_new = false;
  const std::string text = present::trend_text({{trend}, {}, 0});
  EXPECT_TRUE(
      text.ends_with("\n2026-01-02  mode         gemm/naive/f32/n=64\n"
                     "            +10.0% (+9.0% to +11.0%)  1.00 us -> 1.10 us\n"
                     "            ▁▁▁│███  between the night before and this one, told 2026-01-03\n"
                     "\n"
                     "the last 3 nights: 1 regression (1 new), 1 change between modes\n"))
      << text;
}

TEST(TrendText, EscapesWhatADatabaseSays) {
  DeviceTrend trend = with_change(TrendKind::environment);
  trend.changes[0].case_name = "evil\x1b[2J";
  trend.changes[0].changes.environment = {"driver \x1b[31m"};
  trend.nights.device.model = "m\n\x07";
  EXPECT_EQ(present::trend_text({{trend}, {}, 0}).find_first_of("\x1b\x07"), std::string::npos);
}

TEST(TrendText, SaysWhatAChangeComesFrom) {
  DeviceTrend trend = with_change(TrendKind::environment);
  trend.changes[0].changes.add(analysis::Area::machine, "driver 580.1 -> 580.2");
  trend.changes[0].why =
      analysis::Why{analysis::TrendCause::machine, {"driver 580.1 -> 580.2", "the commit changed"}};
  EXPECT_NE(present::trend_text({{trend}, {}, 0})
                .find("changed: driver 580.1 -> 580.2\n"
                      "            changed: commit aaaaaaaaaaaa -> bbbbbbbbbbbb\n"
                      "            cause: machine: the commit changed\n"),
            std::string::npos);
  const auto told =
      json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0]["findings"][0];
  EXPECT_EQ(told["why"]["cause"], "machine");
  EXPECT_EQ(told["why"]["evidence"],
            (nlohmann::ordered_json{"driver 580.1 -> 580.2", "the commit changed"}));
  EXPECT_EQ(told["words"]["cause"], "machine: the commit changed");
}

TEST(TrendText, SaysWhichNewNameGoesOn) {
  DeviceTrend trend = with_change(TrendKind::improvement);
  trend.changes.clear();
  trend.stops = {{"old name", 0, {}, true}};
  trend.stops[0].continued_by = analysis::Continuation{"new name", 1, {"the same suite", "so"}};
  const std::string text = present::trend_text({{trend}, {}, 0});
  EXPECT_NE(text.find("renamed      old name\n            its last night; new name goes on from "
                      "2026-01-02: the same suite; so\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\nthe last 3 nights: 1 renamed case (1 new)\n"));
  EXPECT_EQ(present::fail_on_new({trend}), 0);
  const auto device = json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0];
  EXPECT_EQ(device["findings"][0]["kind"], "stopped");
  EXPECT_EQ(device["findings"][0]["words"]["kind"], "renamed, new");
  EXPECT_EQ(device["findings"][0]["continued_by"]["case"], "new name");
  EXPECT_EQ(device["findings"][0]["continued_by"]["from"], "2026-01-02");
  EXPECT_EQ(device["doubtful"], false);
}

TEST(TrendText, HoldsAbsurdTimes) {
  for (const auto& [before, after] : {std::pair(5e-324, 1.7e308), std::pair(1.7e308, 5e-324),
                                      std::pair(1e-300, 1e300), std::pair(1.0, 1e300)}) {
    DeviceTrend trend = with_change(TrendKind::regression);
    trend.changes[0].before = before;
    trend.changes[0].after = after;
    trend.changes[0].ratio = {after / before, after / before};
    trend.changes[0].recent = {before, before, before, after, after, after};
    analysis::FleetEvent event;
    event.ratio = after / before;
    event.members = {trend.changes[0]};
    trend.fleet = {event};
    const std::string text = present::trend_text({{trend}, {}, 0});
    for (const char* odd : {"inf", "nan"}) EXPECT_EQ(text.find(odd), std::string::npos) << text;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      EXPECT_LT(end - at, 300u) << text.substr(at, end - at);
    }
    const auto device = json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0];
    for (const auto& one : device["findings"])
      EXPECT_TRUE(!one.contains("ratio") || one["ratio"].is_number()) << one;
  }
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].after = 1e12;
  EXPECT_NE(present::trend_text({{trend}, {}, 0}).find("1e+09 times"), std::string::npos);
}

TEST(TrendText, CallsOneNightTheLastNight) {
  const DeviceTrend trend = with_change(TrendKind::regression);
  EXPECT_EQ(present::totals({}, trend, 1), "the last night: nothing changed");
  EXPECT_EQ(present::totals({}, trend, 9), "the last 3 nights: nothing changed");
}

TEST(TrendText, SaysWhyNothingCanBeBuilt) {
  std::string why;
  analysis::NightChanges changes;
  EXPECT_EQ(present::confirming_command(changes, {}, "x", why), "");
  EXPECT_NE(why.find("not known"), std::string::npos);
  changes.before_commit = changes.after_commit = "aaaa";
  EXPECT_EQ(present::confirming_command(changes, {}, "x", why), "");
  EXPECT_NE(why.find("the same"), std::string::npos);
  changes.after_commit = "bbbb";
  changes.before_code = changes.after_code = "c0de";
  EXPECT_EQ(present::confirming_command(changes, {}, "x", why), "");
  EXPECT_NE(why.find("code is the same"), std::string::npos);
  changes.after_code = "ab1e";
  EXPECT_NE(present::confirming_command(changes, {}, "x", why), "");
  changes.after_dirty = true;
  EXPECT_EQ(present::confirming_command(changes, {}, "x", why), "");
  EXPECT_NE(why.find("local changes"), std::string::npos);
}

TEST(TrendExitCode, IsThatOfWhatIsNewlyForTheWorse) {
  EXPECT_EQ(present::fail_on_new({}), 3);
  EXPECT_EQ(present::fail_on_new({with_change(TrendKind::regression)}), 1);
  EXPECT_EQ(present::fail_on_new({with_change(TrendKind::improvement)}), 0);
  EXPECT_EQ(present::fail_on_new({with_change(TrendKind::environment)}), 0);
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].is_new = false;
  EXPECT_EQ(present::fail_on_new({trend}), 0);
  trend.stops = {{"x", 0, {}, false}};
  EXPECT_EQ(present::fail_on_new({trend}), 0);
  trend.stops[0].is_new = true;
  EXPECT_EQ(present::fail_on_new({with_change(TrendKind::regression), trend}), 2);
}

TEST(Sparkline, ReachesFromLowestToHighest) {
  EXPECT_EQ(present::sparkline({}), "");
  EXPECT_EQ(present::sparkline({5, 5}), "▅▅");
  EXPECT_EQ(present::sparkline({0, 0, 7, 7}, 2), "▁▁│██");
  std::vector<double> many(150, 1);
  many.insert(many.end(), 150, 2);
  EXPECT_EQ(present::sparkline(many, 150).size(), 61 * std::string("█").size())
      << "at most 60, and the mark";
}

TEST(TrendJson, HoldsWhatTheTextSays) {
  const DeviceTrend trend = with_change(TrendKind::regression);
  const auto all = json::reread(present::to_json({{trend}, {}, 1}, true));
  EXPECT_EQ(all["exit_code"], 1);
  const auto& device = all["devices"][0];
  EXPECT_EQ(device["nights"], 3);
  EXPECT_EQ(device["fails"], true);
  EXPECT_EQ(device["conclusion"], "the last 3 nights: 1 regression (1 new)");
  const auto& change = device["findings"][0];
  EXPECT_EQ(change["kind"], "regression");
  EXPECT_EQ(change["night"], "2026-01-02");
  EXPECT_DOUBLE_EQ(change["ratio"], 1.1);
  EXPECT_EQ(change["new"], true);
  EXPECT_EQ(change["fails"], true);
  EXPECT_EQ(change["raised"], "2026-01-03");
  EXPECT_EQ(change["mode"], false);
  EXPECT_EQ(change["evidence"],
            (nlohmann::ordered_json{{"nights", 2}, {"nights_before", 14}, {"score", 1.5}}));
  EXPECT_FALSE(change.contains("undone") || change.contains("undoes"));
  EXPECT_EQ(
      change["words"],
      (nlohmann::ordered_json{{"kind", "regression, new"},
                              {"said", "+10.0% (+9.0% to +11.0%)  1.00 us -> 1.10 us"},
                              {"change", "+10.0%"},
                              {"interval", "+9.0% to +11.0%"},
                              {"levels", "1.00 us -> 1.10 us"},
                              {"where", "between the night before and this one, told 2026-01-03"},
                              {"commits", "commit aaaaaaaaaaaa -> bbbbbbbbbbbb"}}));
  EXPECT_NE(change["confirm"].get<std::string>().find("--baseline-ref"), std::string::npos);
  EXPECT_FALSE(change.contains("cannot_confirm"));
  EXPECT_TRUE(device["series"].is_array());
}

/// One of each thing that a trend can tell: a change with the environment, two fleet events, a
/// drift, two stops.
DeviceTrend with_everything() {
  DeviceTrend trend = with_change(TrendKind::environment);
  analysis::FleetEvent event;
  event.kind = TrendKind::improvement;
  event.members = {trend.changes[0], trend.changes[0]};
  event.members[0].case_name = "smaller";
  event.members[0].after = 1050;
  event.slower = 2;
  event.ratio = 1.08;
  event.changes = event.members[1].changes;
  trend.fleet = {event, event};
  trend.fleet[1].changes.after_dirty = true;
  trend.environments = {{1, {}, 2, 1.01}, {2, {}, 0, {}}};
  trend.drifts = {{"d", 0, 2, 1.02, {1.01, 1.03}, false, {}, {}}};
  trend.stops = {{"x", 1, {}, true}, {"y", 0, record::Outcome::crashed, false}};
  return trend;
}

TEST(TrendJson, SaysInWordsWhatTheTextDoes) {
  const DeviceTrend trend = with_everything();
  const std::string text = present::trend_text({{trend}, {}, 0});
  const auto device = json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0];
  EXPECT_EQ(device["environments"][0]["words"],
            "another comparable environment: 2 cases, +1.0% in the middle");
  std::vector<std::string> said;
  for (const auto& one : device["findings"]) {
    said.push_back(one["words"]["said"]);
    EXPECT_NE(text.find(said.back()), std::string::npos) << one;
  }
  EXPECT_EQ(said, (std::vector<std::string>{
                      "its last night; 1 night without it since, not measured",
                      "+10.0% (+9.0% to +11.0%)  1.00 us -> 1.10 us",
                      "2 cases changed within 2 days: 2 slower, 0 faster, +8.0% in the middle",
                      "2 cases changed within 2 days: 2 slower, 0 faster, +8.0% in the middle",
                      "+2.0% (+1.0% to +3.0%)  since then, little by little",
                      "its last night; 2 nights without it since, the latest outcome is crashed",
                  }))
      << "what fails a night, what is new, the rest; of a night the largest first";
  const auto& event = device["findings"][2];
  EXPECT_FALSE(event.contains("case"));
  EXPECT_EQ(event["members"][0]["case"], trend.changes[0].case_name) << "the largest first";
  const std::string confirm = event["confirm"];
  EXPECT_TRUE(confirm.ends_with(" " + trend.changes[0].case_name))
      << confirm << " is not of the largest";
  EXPECT_NE(text.find("confirm: " + confirm), std::string::npos);
  EXPECT_EQ(device["findings"][3]["cannot_confirm"],
            "built with local changes, which cannot be built again");
  EXPECT_EQ(device["findings"][5]["outcome"], "crashed");
  EXPECT_TRUE(
      text.ends_with("\nthe last 3 nights: 1 change with the environment (1 new), 2 fleet events "
                     "of 4 cases, 1 drift, "
                     "2 stopped cases (1 new)\n"))
      << text;
}

TEST(TrendText, ListsTheKindsThatAreAskedFor) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes.push_back(trend.changes[0]);
  trend.changes[1].mode = true;
  trend.changes[1].is_new = false;
  trend.stops = {{"stopped", 1, {}, true}, {"renamed", 1, {}, false}};
  trend.stops[1].continued_by = analysis::Continuation{"new name", 2, {}};
  record::Told& gone = trend.gone.emplace_back();
  gone.night = "2026-01-01";
  gone.kind = "regression";
  const auto heads = [&](std::vector<std::string> kinds) {
    const std::string text = present::trend_text({{trend}, {}, 0, {std::move(kinds), {}}});
    std::string found;
    for (std::size_t at = 0; (at = text.find("\n2026-", at)) != std::string::npos;) {
      const std::size_t kind = at + 13;
      at = text.find(' ', kind);
      found += text.substr(kind, at - kind) + " ";
    }
    return found;
  };
  EXPECT_EQ(heads({}), "regression stopped renamed mode gone ");
  for (const char* kind : {"stopped", "regression", "renamed", "mode", "gone"})
    EXPECT_EQ(heads({kind}), kind + std::string(" "));
  EXPECT_EQ(heads({"mode", "gone"}), "mode gone ");
  EXPECT_EQ(heads({"new"}), "regression stopped ");
  EXPECT_EQ(heads({"new", "renamed", "regression"}), "regression ");
  EXPECT_EQ(heads({"new", "gone"}), "");
  const auto json = [&](const char* kind) {
    const auto device =
        json::reread(present::to_json({{trend}, {}, 0, {{kind}, {}}}, false))["devices"][0];
    return std::pair(device["findings"].size(), device["gone"].size());
  };
  EXPECT_EQ(json("mode"), std::pair(1ul, 0ul));
  EXPECT_EQ(json("gone"), std::pair(0ul, 1ul));
}

TEST(TrendText, SaysUntilWhenADriftWasSeen) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.drifts = {{"d", 0, 1, 1.02, {1.01, 1.03}, false, {}, {}}};
  EXPECT_NE(present::trend_text({{trend}, {}, 0})
                .find("+2.0% (+1.0% to +3.0%)  little by little, seen until 2026-01-02"),
            std::string::npos);
  const auto findings =
      json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0]["findings"];
  EXPECT_FALSE(findings[0].contains("until"));
  EXPECT_EQ(findings[1]["until"], "2026-01-02");
}

TEST(TrendText, TellsWhatStandsOfAChange) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].is_new = false;
  analysis::Standing& standing = trend.changes[0].standing;
  standing.label = "a0b1c2d3";
  record::Told& told = standing.told.emplace();
  told.told_night = "2026-01-03";
  told.told_at = "2026-01-03T03:00:00Z";
  told.state = record::ToldState::acknowledged;
  told.state_at = "2026-01-04T08:00:00Z";
  told.why = "ticket \x1b 17";
  told.said_by = "ops";
  standing.undone = 2;
  trend.gone = {told};
  trend.gone[0].label = "beef";
  trend.gone[0].kind = "regression";
  trend.gone[0].case_name = "x/y/f32/n=1";
  trend.gone[0].night = "2026-01-01";
  trend.gone[0].ratio = 0.9;
  trend.nights.oddities = {"1 run did not finish"};
  trend.silent_days = 5;
  const std::string text = present::trend_text({{trend}, {}, 0});
  const auto says = [&](const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  };
  says("\nsilent: no night since 2026-01-03, 5 days ago\nodd: 1 run did not finish\n");
  says(
      "told 2026-01-03\n"
      "            label a0b1c2d3: told 2026-01-03, acknowledged 2026-01-04 by ops: ticket "
      "\\x1b 17, undone 2026-01-03\n");
  says(
      "2026-01-01  gone         regression x/y/f32/n=1, -10.0%, told 2026-01-03: not found any "
      "more\n            label beef\n");
  EXPECT_EQ(present::fail_on_new({trend}), 0);
}

TEST(TrendText, SaysOnceThatAChangeIsUndone) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].undone = 2;
  analysis::Standing& standing = trend.changes[0].standing;
  standing.label = "a0b1c2d3";
  standing.undone = 2;
  const auto times_said = [&] {
    const std::string text = present::trend_text({{trend}, {}, 0});
    int times = 0;
    for (std::size_t at = 0; (at = text.find("undone 2026", at)) != std::string::npos; ++at)
      ++times;
    return times;
  };
  EXPECT_EQ(times_said(), 1);
  trend.changes[0].undone.reset();
  EXPECT_EQ(times_said(), 1) << "by a change that came later";
}

TEST(TrendJson, SaysAsOfWhichNightAChangeIsToldAgain) {
  DeviceTrend trend = with_change(TrendKind::regression);
  analysis::Standing& standing = trend.changes[0].standing;
  standing.told.emplace().told_night = "2026-01-02";
  const auto told_night = [&] {
    const auto device = json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0];
    return device["findings"][0]["told_night"].get<std::string>();
  };
  EXPECT_EQ(told_night(), "2026-01-02");
  standing.retelling = analysis::Retelling::told;
  EXPECT_EQ(told_night(), "2026-01-03") << "it became a regression";
}

TEST(TrendJson, WhatIsBackBehindAFewBetterNightsIsNotForTheWorse) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].ends_spell = true;
  const auto finding =
      json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0]["findings"][0];
  EXPECT_TRUE(finding["new"]);
  EXPECT_FALSE(finding["worse"]);
  EXPECT_FALSE(finding["fails"]);
}

TEST(TrendJson, SaysWhatToThinkOfTheNights) {
  const auto judged = [](const DeviceTrend& trend) {
    const auto device = json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0];
    return std::pair(device["fails"].get<bool>(), device["doubtful"].get<bool>());
  };
  DeviceTrend trend = with_change(TrendKind::improvement);
  EXPECT_EQ(judged(trend), std::pair(false, false));
  EXPECT_EQ(judged(with_change(TrendKind::environment)), std::pair(false, true));
  EXPECT_EQ(judged(with_change(TrendKind::regression)), std::pair(true, true));
  trend.drifts = {{"d", 0, 2, 0.98, {0.97, 0.99}, true, {}, {}}};
  EXPECT_EQ(judged(trend), std::pair(false, false)) << "faster";
  trend.drifts = {{"d", 0, 2, 1.02, {1.01, 1.03}, false, {}, {}}};
  EXPECT_EQ(judged(trend), std::pair(false, true));
  for (const auto state : {record::ToldState::expected, record::ToldState::resolved}) {
    trend.drifts[0].standing.told.emplace().state = state;
    EXPECT_EQ(judged(trend), std::pair(false, false)) << to_string(state);
  }
  trend.drifts[0].standing.told->state = record::ToldState::acknowledged;
  EXPECT_EQ(judged(trend), std::pair(false, true)) << "seen, and there all the same";
  trend = with_change(TrendKind::regression);
  trend.changes[0].mode = true;
  trend.changes[0].is_new = false;
  EXPECT_EQ(judged(trend), std::pair(false, false));
  trend.too_short = 1;
  EXPECT_EQ(judged(trend), std::pair(false, true)) << "nothing can be told";
  trend.too_short = 0;
  trend.environments = {{1, {}, 2, 1.01}};
  EXPECT_EQ(judged(trend), std::pair(false, true)) << "series start anew";
}

TEST(TrendJson, HasTheFactsOfEachComparableEnvironment) {
  DeviceTrend trend = with_change(TrendKind::regression);
  for (const char* power : {"300", "350", "300"}) {
    store::StoredRun run;
    run.environment.hash = std::string("e") + power;
    run.environment.comparable = {{"power_limit_w", power}};
    trend.nights.runs.push_back(run);
  }
  for (const bool with_series : {false, true}) {
    const auto device = json::reread(present::to_json({{trend}, {}, 0}, with_series))["devices"][0];
    EXPECT_EQ(device["comparable"], (nlohmann::ordered_json{{"e300", {{"power_limit_w", "300"}}},
                                                            {"e350", {{"power_limit_w", "350"}}}}));
    EXPECT_EQ(device.contains("series"), with_series);
    EXPECT_EQ(device.contains("dates"), with_series);
  }
}

TEST(TrendJson, TellsCountsWithoutAnInterval) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].metric = "sectors";
  trend.changes[0].other_metrics = 2;
  trend.changes[0].ratio.reset();
  trend.changes.push_back(trend.changes[0]);
  trend.changes[1].before = 0;
  trend.changes[1].other_metrics = 0;
  const auto findings =
      json::reread(present::to_json({{trend}, {}, 0}, false))["devices"][0]["findings"];
  EXPECT_EQ(findings[0]["words"]["said"], "+10.0%  sectors 1000 -> 1100, and 2 other metrics");
  EXPECT_EQ(findings[1]["words"]["said"], "sectors 0 -> 1100");
  EXPECT_FALSE(findings[1].contains("ratio"));
}

TEST(TrendReport, HoldsTheNightsThatAreShownAndNoPath) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.nights.file = "/somewhere/synthetic-gpu.sqlite";
  const auto times = [](std::vector<std::uint32_t> nights, std::vector<double> ns) {
    return analysis::NightlyTimes{"e1", std::move(nights), std::move(ns)};
  };
  trend.nights.cases = {{"gemm/naive/f32/n=64", {times({0, 1, 2}, {1000, 1100, 1101})}, {}, {}, 0},
                        {"gone", {times({0}, {7})}, {}, {}, 0}};
  const auto all = json::reread(
      present::report_json(trend, {.least_step = {}, .new_nights = 4, .shown_nights = 2}));
  EXPECT_FALSE(all.contains("file"));
  EXPECT_EQ(all["new_nights"], 4);
  EXPECT_EQ(all["command"],
            "ridgeline trend --device synthetic-0000 --profile nightly --nights 2 --new-nights 4");
  EXPECT_EQ(all["dates"], (nlohmann::ordered_json{"2026-01-02", "2026-01-03"}));
  ASSERT_EQ(all["series"].size(), 1u) << "what has no value in these nights is no series";
  EXPECT_EQ(all["series"][0]["environment"], "e1");
  EXPECT_EQ(all["series"][0]["stretches"], (nlohmann::ordered_json{{0, 1}}));
  EXPECT_FALSE(all["series"][0].contains("nights"));
  EXPECT_EQ(all["series"][0]["median_ns"], (nlohmann::ordered_json{1100.0, 1101.0}));
}

TEST(TrendReport, HoldsTheCountsOfWhichAChangeIsTold) {
  DeviceTrend trend = with_change(TrendKind::regression);
  trend.changes[0].metric = "global_load_sectors";
  const auto count = [](const std::string& metric) {
    return analysis::NightlyCount{metric, "1", record::Direction::lower, {0, 1}, {512, 640}};
  };
  trend.nights.cases = {
      {trend.changes[0].case_name, {}, {count("barriers"), count("global_load_sectors")}, {}, 0}};
  const auto series = json::reread(present::report_json(trend, {}))["series"];
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0]["metric"], "global_load_sectors");
  EXPECT_EQ(series[0]["values"], (nlohmann::ordered_json{512.0, 640.0}));
}

}  // namespace trend_test
}  // namespace ridgeline::cli
