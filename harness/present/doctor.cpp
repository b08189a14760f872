#include "harness/present/doctor.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/wrapped.hpp"

namespace ridgeline::present {
namespace {

using run::Finding;
using run::Level;

constexpr std::size_t indent = 9;

std::string marked(Level level) {
  return level == Level::unfit ? "UNFIT" : std::string(to_string(level));
}

std::string headline(const Diagnosis& diagnosis) {
  std::vector<std::string> counts;
  for (const auto& [level, words] :
       {std::pair(Level::unfit, "against it"), std::pair(Level::unknown, "unknown"),
        std::pair(Level::note, "to note"), std::pair(Level::fine, "fine")}) {
    const auto count = std::ranges::count(diagnosis.findings, level, &Finding::level);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, words));
  }
  return fmt::format("{} ({}) is {} to measure: {}\n", printable(diagnosis.device.id),
                     printable(diagnosis.device.name),
                     run::is_fit(diagnosis.findings) ? "fit" : "not fit", fmt::join(counts, ", "));
}

/// "do:      words", wrapped below its own beginning.
std::string part(const std::string& name, const std::string& text, std::size_t width) {
  const std::string shown = printable(text, 1000);
  return fmt::format("{:>{}}{}", name + ' ', indent, wrapped(shown, width, indent, indent));
}

std::string told(const Finding& one, const Look& look) {
  const std::string mark = fmt::format("{:<{}}", marked(one.level), indent);
  const std::string first = wrapped(fmt::format("{}: {}", one.check, printable(one.seen, 1000)),
                                    look.width, indent, indent);
  std::string text = one.level == Level::unfit  ? coloured(look, Colour::red, mark)
                     : one.level == Level::fine ? mark
                                                : coloured(look, Colour::yellow, mark);
  text += first;
  if (one.level == Level::fine) return text;
  return text + part("from:", one.source, look.width) + part("why:", one.why, look.width) +
         part("do:", one.advice, look.width);
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, const Look& look) {
  std::string text = headline(diagnosis);
  for (const Level level : {Level::unfit, Level::unknown, Level::note, Level::fine})
    for (const Finding& each : diagnosis.findings)
      if (each.level == level) text += told(each, look);
  return text;
}

json::Value to_json(const Diagnosis& diagnosis) {
  return {{"device", diagnosis.device.id},
          {"name", diagnosis.device.name},
          {"fit", run::is_fit(diagnosis.findings)},
          {"findings", json::list(diagnosis.findings, [](const Finding& each) {
             return json::Value{{"check", each.check}, {"level", to_string(each.level)},
                                {"seen", each.seen},   {"source", each.source},
                                {"why", each.why},     {"do", each.advice}};
           })}};
}

int exit_code(const Diagnosis& diagnosis, bool strict) {
  const bool spotless = std::ranges::all_of(
      diagnosis.findings, [](const Finding& each) { return each.level == Level::fine; });
  return (strict ? spotless : run::is_fit(diagnosis.findings)) ? fine : undecided;
}

}  // namespace ridgeline::present
