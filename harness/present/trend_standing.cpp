#include <cmath>

#include <fmt/format.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/trend.hpp"

namespace ridgeline::present {
namespace {

std::string day_of(const std::string& time) { return printable(time.substr(0, 10)); }

}  // namespace

std::string_view state_word(const Finding& one) {
  if (!one.standing) return "";
  if (one.standing->undone) return "undone";
  if (!one.standing->told || one.standing->is(record::ToldState::told)) return "";
  return to_string(one.standing->told->state);
}

std::string standing_words(const analysis::DeviceTrend& trend, const Finding& one) {
  if (!one.standing || one.standing->label.empty()) return "";
  const analysis::Standing& standing = *one.standing;
  std::string text = fmt::format("label {}", printable(standing.label));
  std::string sign = ": ";
  const auto add = [&](const std::string& words) {
    text += sign + words;
    sign = ", ";
  };
  if (standing.told) {
    const record::Told& told = *standing.told;
    if (!told.told_night.empty()) add("told " + day_of(told.told_at));
    if (told.state != record::ToldState::told)
      add(fmt::format("{} {}{}: {}", to_string(told.state), day_of(told.state_at),
                      told.said_by.empty() || told.said_by == record::said_by_program
                          ? ""
                          : " by " + printable(told.said_by),
                      printable(told.why, 400)));
  }
  const bool is_said = standing.is(record::ToldState::resolved) || (one.step && one.step->undone);
  if (standing.undone && !is_said)
    add(fmt::format("undone {}", trend.nights.nights[*standing.undone].date));
  return text;
}

std::string gone_words(const record::Told& told) {
  std::string text = fmt::format("{} {}", printable(told.kind), printable(told.case_name, 400));
  if (told.ratio)
    text += fmt::format(", {}{}", *told.ratio < 1 ? "-" : "+",
                        units::percent(std::abs(*told.ratio - 1)));
  if (!told.told_night.empty()) text += ", told " + day_of(told.told_at);
  return text + (told.what == record::ToldWhat::stop ? ": measured again" : ": not found any more");
}

}  // namespace ridgeline::present
