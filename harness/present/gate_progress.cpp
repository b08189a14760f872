#include "harness/present/gate_progress.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/present/gate_words.hpp"
#include "harness/present/output.hpp"

namespace ridgeline::present {

std::string one_line(const record::CaseVerdict& verdict) {
  const GateRow row = gate_row(verdict);
  const std::string change = printable(change_with_interval(row), 600);
  std::string text = row.verdict;
  if (!change.empty()) text += ": " + change;
  if (!row.change.empty())
    text += fmt::format(", {} {}", row.pairs, verdict.pairs == 1 ? "pair" : "pairs");
  if (!verdict.reason.empty())
    text += fmt::format("{}{}", change.empty() ? ": " : "; ", printable(verdict.reason, 600));
  return text;
}

std::string start_text(const gate::GateSetup& setup, bool resumed) {
  const std::string many = units::plural(std::ssize(setup.cases), "case");
  if (analysis::gives_counts(setup.device.kind))
    return fmt::format("gate {}{}: {}; counts are exact, so one execution of each side decides\n",
                       setup.gate.id, resumed ? ", resumed" : "", many);
  return fmt::format("gate {}{}: {}, at most {} rounds and {}\n", setup.gate.id,
                     resumed ? ", resumed with a fresh budget" : "", many, setup.plan.rounds(true),
                     units::duration(setup.budget_s));
}

std::string forecast_text(const gate::GateForecast& forecast) {
  if (forecast.enough) return {};
  std::string text = fmt::format(
      "a round of {} takes about {}: the budget is enough for about {}, and with fewer than {} no "
      "slow-down is found; ",
      units::plural(forecast.cases, "case"), units::duration(forecast.all_round_s),
      units::plural(forecast.all_rounds, "round"), forecast.least_rounds);
  if (forecast.taken < forecast.cases)
    text += fmt::format(
        "so {} of the cases {} measured first, in about {}, and others while time is left; ",
        forecast.taken, forecast.taken == 1 ? "is" : "are",
        units::plural(forecast.rounds, "round"));
  if (forecast.smallest_effect)
    text += fmt::format("half of the measured ones find a slow-down {}, or a smaller one; ",
                        effect_text(*forecast.smallest_effect));
  text += fmt::format("all cases need about {}", units::duration(forecast.wanted_s));
  return forecast.taken < forecast.cases ? text + "; --spread measures all alike" : text;
}

std::string pilot_text(const gate::GateProgress& progress,
                       const std::vector<record::CaseVerdict>& verdicts) {
  constexpr std::size_t pilot_lines = 10;
  std::vector<const record::CaseVerdict*> known;
  for (const record::CaseVerdict& verdict : verdicts)
    if (verdict.smallest_effect) known.push_back(&verdict);
  std::string text =
      fmt::format("after {} rounds {} of {} cases {} undecided", progress.round + 1,
                  verdicts.size(), progress.cases, verdicts.size() == 1 ? "is" : "are");
  if (known.empty()) return text + "\n";
  std::ranges::sort(known, {}, [](const auto* verdict) { return -*verdict->smallest_effect; });
  text += fmt::format("; in {} more this gate will find slow-downs\n",
                      units::duration(progress.left_s));
  for (std::size_t i = 0; i < std::min(known.size(), pilot_lines); ++i)
    text += fmt::format("  {} (delta {})  {}\n", effect_text(*known[i]->smallest_effect),
                        units::percent(known[i]->delta), printable(known[i]->case_name, 400));
  if (known.size() > pilot_lines)
    text +=
        fmt::format("  {} or smaller in {} more\n",
                    effect_text(*known[pilot_lines]->smallest_effect), known.size() - pilot_lines);
  return text;
}

void GateDisplay::tick(const gate::GateProgress& progress) {
  show([&] {
    std::string line =
        progress_bar(progress.cases - progress.undecided, progress.cases) + " decided";
    if (progress.rounds > 0)
      line += fmt::format("  round {}/{}  {} left", progress.round + 1, progress.rounds,
                          units::duration(progress.left_s));
    return line + "  " + printable(progress.case_name, 400);
  });
}

void GateDisplay::decided(const gate::GateProgress& progress, const record::CaseVerdict& verdict) {
  if (quiet_ || (terminal_ && verdict.verdict == record::Verdict::pass)) return;
  clear();
  say(out_, fmt::format("[{}/{}] {}: {}\n", progress.cases - progress.undecided, progress.cases,
                        printable(verdict.case_name, 400), one_line(verdict)));
}

void GateDisplay::pilot(const gate::GateProgress& progress,
                        const std::vector<record::CaseVerdict>& verdicts) {
  if (quiet_) return;
  clear();
  say(out_, pilot_text(progress, verdicts));
}

}  // namespace ridgeline::present
