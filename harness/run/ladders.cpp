#include "harness/run/ladders.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/run/strict_toml.hpp"

namespace ridgeline::run {
namespace {

/// Names of cases: each entry of the list is one, or stands for the '*' of `cases`.
std::vector<std::string> case_names(StrictTable& ladder, const std::string& key,
                                    const std::string& cases, std::set<std::string>& seen) {
  const toml::array* list = ladder.need(key).as_array();
  if (!list || list->empty())
    ladder.refuse(ladder.need(key).source(), key + " must be a list of variants or cases");
  std::vector<std::string> names;
  for (const toml::node& each : *list) {
    const auto text = each.value_exact<std::string>();
    if (!text || text->empty())
      ladder.refuse(each.source(), "a variant or case must be a text that is not empty");
    std::string name = *text;
    if (name.find('/') == std::string::npos)
      name = std::string(cases).replace(cases.find('*'), 1, name);
    if (!seen.insert(name).second)
      ladder.refuse(each.source(), fmt::format("the ladder has {} twice", printable(name, 400)));
    names.push_back(name);
  }
  return names;
}

analysis::Ladder read_ladder(StrictTable& table) {
  analysis::Ladder ladder;
  ladder.title = table.text("title");
  if (ladder.title.empty()) table.refuse(table.need("title").source(), "title must not be empty");
  const auto kind = parse<DeviceKind>(table.text("device"));
  if (!kind) table.refuse(table.need("device").source(), "device must be \"cuda\" or \"cpu\"");
  ladder.kind = *kind;
  ladder.cases = table.text("cases");
  if (std::ranges::count(ladder.cases, '*') != 1)
    table.refuse(table.need("cases").source(),
                 "cases must be the name of a case with one * in place of the variant");
  std::set<std::string> seen;
  ladder.rungs = case_names(table, "rungs", ladder.cases, seen);
  if (table.find("references"))
    ladder.references = case_names(table, "references", ladder.cases, seen);
  return ladder;
}

/// Adds what the note says to the ladders that have one of its cases.
void read_note(StrictTable& note, std::vector<analysis::Ladder>& ladders) {
  const std::string text = note.text("text");
  if (text.empty()) note.refuse(note.need("text").source(), "text must not be empty");
  const toml::array* patterns = note.need("cases").as_array();
  if (!patterns || patterns->empty())
    note.refuse(note.need("cases").source(), "cases must be a list of patterns");
  for (const toml::node& each : *patterns) {
    const auto pattern = each.value_exact<std::string>();
    const auto is_picked = [&](const std::string& name) { return matches(*pattern, name); };
    bool any = false;
    for (analysis::Ladder& ladder : ladders) {
      if (!pattern || !std::ranges::any_of(ladder.rungs, is_picked)) continue;
      any = true;
      if (std::ranges::find(ladder.notes, text) == ladder.notes.end()) ladder.notes.push_back(text);
    }
    if (!any) note.refuse(each.source(), "no ladder has a rung of this pattern");
  }
}

}  // namespace

std::vector<analysis::Ladder> parse_ladders(std::string_view text,
                                            const std::filesystem::path& file) {
  const toml::table table = parse_toml(text, file);
  StrictTable top(table, file, "");
  std::vector<analysis::Ladder> ladders;
  std::set<std::pair<DeviceKind, std::string>> titles;
  top.sections("ladder", [&](StrictTable& one, int) {
    ladders.push_back(read_ladder(one));
    if (!titles.emplace(ladders.back().kind, ladders.back().title).second)
      one.refuse(one.need("title").source(), "another ladder has this title");
  });
  top.sections("note", [&](StrictTable& one, int) { read_note(one, ladders); });
  top.done();
  return ladders;
}

std::vector<analysis::Ladder> load_ladders(const std::filesystem::path& home) {
  const std::filesystem::path file = home / "suites" / "ladders.toml";
  return parse_ladders(read_toml_file(file, "list of ladders"), file);
}

}  // namespace ridgeline::run
