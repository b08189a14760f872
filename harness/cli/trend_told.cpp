#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/analysis/told_subject.hpp"
#include "harness/base/day.hpp"
#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/trend.hpp"
#include "harness/present/json_output.hpp"
#include "harness/present/table.hpp"
#include "harness/record/json.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

using record::Told;
using record::ToldState;

/// A change that something can be said of: one that is found, or one that was told once.
struct Answerable {
  std::filesystem::path file;
  Told row;
  bool stored = false, found = false;
};

std::vector<Answerable> answerable(const Context& context, const TrendChoice& options,
                                   const std::string& now) {
  std::vector<Answerable> all;
  for (analysis::DeviceTrend& trend :
       standing_trends(context, options, rules_of(options), now, present::say_left_out)) {
    std::set<std::string> labels;
    for (const analysis::Subject& one : analysis::subjects_of(trend)) {
      if (!one.told) continue;
      const auto& told = one.standing->told;
      Told row = told ? *told : analysis::row_of(trend, one, now);
      if (one.event) row.event = one.event->standing.label;  // also of what was told alone first
      all.push_back({trend.nights.file, std::move(row), told.has_value(), true});
      labels.insert(one.standing->label);
    }
    for (Told& one :
         analysis::remembered(store::Store::open(trend.nights.file), trend.nights, "").told)
      if (!labels.contains(one.label))
        all.push_back({trend.nights.file, std::move(one), true, false});
  }
  return all;
}

/// The change of which `word` is the label or its beginning, or all of the fleet event; none where
/// no label is meant. Throws a usage Error when several are.
std::vector<const Answerable*> labelled(const std::string& word,
                                        const std::vector<Answerable>& all) {
  constexpr std::size_t shortest = 4;
  std::set<std::string> labels;
  if (word.size() >= shortest)
    for (const Answerable& one : all)
      for (const std::string& label : {one.row.label, one.row.event})
        if (label.starts_with(word)) labels.insert(label);
  if (labels.contains(word)) labels = {word};
  if (labels.size() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("{} labels begin with '{}'", labels.size(), printable(word)),
                "write one of them in full");
  std::vector<const Answerable*> meant;
  for (const Answerable& one : all)
    if (labels.contains(one.row.label) || labels.contains(one.row.event)) meant.push_back(&one);
  return meant;
}

/// What one word of the command line means: a label or its beginning, or a pattern of cases with
/// or without "@" and the night. Throws a usage Error when that is nothing, or several labels.
std::vector<const Answerable*> meant_by(const std::string& word,
                                        const std::vector<Answerable>& all) {
  std::vector<const Answerable*> meant = labelled(word, all);
  if (!meant.empty()) return meant;
  const auto at = word.rfind('@');
  const std::string pattern = word.substr(0, at),
                    night = at == std::string::npos ? "" : word.substr(at + 1);
  if (!night.empty() && !parse_day(night))
    throw Error(ErrorKind::usage, fmt::format("{} is not a date", printable(night)),
                "write it like 2026-01-31");
  for (const Answerable& one : all)
    if (matches(pattern, one.row.case_name) && (night.empty() ? one.found : one.row.night == night))
      meant.push_back(&one);
  if (meant.empty())
    throw Error(ErrorKind::usage, fmt::format("no change is meant by '{}'", printable(word)),
                "ridgeline trend lists them with their labels, and ridgeline trend told those of "
                "earlier nights");
  return meant;
}

std::string said_of(const Told& one) {
  std::string text =
      fmt::format("{} {}: {} of {} on {}", to_string(one.state), printable(one.label),
                  printable(one.kind), printable(one.case_name, 400), printable(one.night));
  if (!one.why.empty()) text += fmt::format(" ({})", printable(one.why, 400));
  return text + '\n';
}

struct AnswerOptions : TrendChoice {
  std::vector<std::string> which;
  std::string why, by;
};

int answer(const Context& context, const AnswerOptions& options, ToldState state) {
  const std::string now = run::timestamp();
  if (options.shown_nights < 1) throw Error(ErrorKind::usage, "--nights is 1 or more");
  if (options.by == record::said_by_program)
    throw Error(ErrorKind::usage,
                fmt::format("--by {} is who ridgeline itself answers as", options.by),
                "what it said itself it takes back when it was wrong; name a person");
  const std::vector<Answerable> all = answerable(context, options, now);
  std::map<std::filesystem::path, std::map<std::string, Told>> by_file;
  for (const std::string& word : options.which)
    for (const Answerable* one : meant_by(word, all)) {
      if (state == ToldState::told && !one->stored)
        throw Error(ErrorKind::usage,
                    fmt::format("nothing was said of {} yet", printable(one->row.label)));
      Told row = one->row;
      row.state = state;
      row.state_at = now;
      row.why = options.why;
      row.said_by = options.by;
      by_file[one->file].insert_or_assign(row.label, row);
    }
  json::Value changed = json::Value::array();
  for (const auto& [file, rows] : by_file) {
    std::vector<Told> told;
    for (const auto& [label, row] : rows) told.push_back(row);
    store::say(store::Store::create(file), told);
    for (const Told& row : told) {
      if (!context.json) present::say(stdout, said_of(row));
      changed.push_back(record::to_json(row));
    }
  }
  if (context.json) present::print_json({{"told", std::move(changed)}});
  return present::fine;
}

void add_answer(Command trend, Context& context, const char* name, const char* description,
                const std::string& examples, int (*perform)(const Context&, const AnswerOptions&),
                bool with_why) {
  const auto [command, options] = add_command(trend, context, name, description, examples, perform);
  command.option("WHICH", options.which, "Labels or their beginnings, CASE, or CASE@DATE",
                 {.value_name = "", .required = true});
  if (with_why) {
    command.option("--why", options.why, "The reason, which is shown with the change",
                   {.value_name = "TEXT", .required = true});
    command.option("--by", options.by, "Who says so", {.value_name = "NAME"});
  }
  add_choice(command, context, options);
}

int list_told(const Context& context) {
  std::vector<std::pair<std::string, Told>> all;  // with the model
  store::read_each(store::results_files(context.results), present::say_left_out,
                   [&](const std::filesystem::path& file, const store::Store& store) {
                     for (Told& one : store::told(store))
                       all.emplace_back(file.stem().string(), std::move(one));
                   });
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const auto& one) { return one.second.night; });
  if (context.json) {
    present::print_json({{"told", json::list(all, [](const auto& one) {
                            json::Value object{{"model", one.first}};
                            object.update(record::to_json(one.second));
                            return object;
                          })}});
    return present::fine;
  }
  if (all.empty()) {
    present::say(stdout, "nothing was told yet; ridgeline trend --fail-on-new tells\n");
    return present::fine;
  }
  present::Table table({{"label"},
                        {"night"},
                        {"change"},
                        {"device"},
                        {"case"},
                        {"told (UTC)"},
                        {"state"},
                        {.title = "by", .optional = true},
                        {"why"}});
  for (const auto& [model, one] : all)
    table.add({printable(one.label), printable(one.night), printable(one.kind), printable(model),
               printable(one.case_name, 400),
               one.told_night.empty() ? "not yet" : printable(one.told_at.substr(0, 10)),
               std::string(to_string(one.state)), printable(one.said_by, 40),
               printable(one.why, 400)});
  present::say(stdout, table.text());
  return present::fine;
}

}  // namespace

void add_told_commands(Command trend, Context& context) {
  add_answer(
      trend, context, "acknowledge", "Somebody has seen these changes: they fail no night any more",
      R"(
  ridgeline trend acknowledge a0b1c2d3 --why 'ticket 17'     by the label that trend shows
  ridgeline trend acknowledge 'gemm/*@2026-07-14' --why '...' --by ops
                                                             of one night, all these cases)",
      [](const Context& c, const AnswerOptions& o) {
        return answer(c, o, ToldState::acknowledged);
      },
      true);
  add_answer(
      trend, context, "expect", "The new level is right: it is nothing for the worse any more",
      R"(
  ridgeline trend expect a0b1 --why 'sums in f32 now'        the beginning of a label is enough)",
      [](const Context& c, const AnswerOptions& o) { return answer(c, o, ToldState::expected); },
      true);
  add_answer(
      trend, context, "resolve", "These changes are over, or will be on the next night",
      R"(
  ridgeline trend resolve gemm/naive/f32/n=64 --why 'reverted in 0062c0ff')",
      [](const Context& c, const AnswerOptions& o) { return answer(c, o, ToldState::resolved); },
      true);
  add_answer(
      trend, context, "reopen", "Forget what was said of these changes; they stay told",
      R"(
  ridgeline trend reopen a0b1c2d3)",
      [](const Context& c, const AnswerOptions& o) { return answer(c, o, ToldState::told); },
      false);
  const Command listing = add_command(trend, context, "told",
                                      "List what was told, and what was said of it, newest first",
                                      R"(
  ridgeline trend told          of all device models
  ridgeline trend told --json   for programs)",
                                      [&context] { return list_told(context); });
  for (const auto add : {add_results_option, add_json_option}) add(listing, context);
}

}  // namespace ridgeline::cli
