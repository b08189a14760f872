#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/beside_times.hpp"
#include "harness/base/json.hpp"
#include "harness/gate/forecast.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/run.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::present {

/// A gate that has ended, as it is shown in every format.
struct GateReport {
  record::Gate gate;
  record::Device device;
  std::vector<record::CaseVerdict> verdicts;
  std::vector<std::string> notes;  // lines that people must see: which commits, what changed in the
                                   // environment
  std::vector<std::string> doubts;  // what spoke against measuring before it began, a line each
  std::filesystem::path file;       // where it is stored
  std::optional<gate::GateForecast> forecast;  // what the budget was enough for
  store::SpentTime spent;                      // of times
  std::string repeat;  // the command that does it again for what failed; empty when nothing did
  int exit_code = 0;
  std::string state;       // of a stored gate, as `status` in run_text.hpp says it; empty: what
                           // gate.status says
  std::int64_t pairs = 0;  // stored, of a stored gate that has not ended
  std::vector<record::Pair> rounds;  // by case and round, where they are shown, too
  std::map<std::string, std::vector<analysis::BesideTimes>> beside;  // by case
};

/// What the pairs of a stored gate say beside their times, by case.
std::map<std::string, std::vector<analysis::BesideTimes>> beside_times(store::Connection& store,
                                                                       const record::Gate& gate);

/// What matters first: in the order of record::Verdict, where an expected regression that is not
/// there counts as one; what fails the gate before what does not; then the largest change, then by
/// name.
void sort_by_importance(std::vector<record::CaseVerdict>& verdicts);

/// What became of the regression that the rules expect of a case.
enum class Expected {
  nothing,   // the rules expect none
  met,       // there is one, or a tail that is the first to show it
  over,      // there is one, and the date has passed
  exceeded,  // there is a larger one than the rules allow
  unmet,     // the times show none
  open,      // they cannot tell
  untested,  // no times were compared
};
Expected expected(const record::CaseVerdict& verdict);

/// Whether this case makes the gate fail, however strict: a failure, a tail or a regression that is
/// not expected or larger than expected, an expectation that is unmet or over.
bool fails(const record::CaseVerdict& verdict);
/// Whether the gate as a whole does, or ended before its time; of one that has not ended, whether a
/// case does.
bool fails(const GateReport& report);

/// What was answered: the gate did its work for this case.
bool is_decided(record::Verdict verdict);
/// Whether enough was answered for a gate to pass: some case that was compared, or all are the same
/// code but for those that nothing is to be said of.
bool is_decided(const std::vector<record::CaseVerdict>& verdicts);

/// What --strict does not let pass: undecided, no_baseline, invalid_environment, not_measured, a
/// case that may have a tail, and one that was skipped because both sides do not fit into memory
/// together. One that the rules skip, or that neither side has, is no doubt.
bool is_doubtful(const record::CaseVerdict& verdict);
/// Whether any case is, too little could be decided, or the gate has not ended.
bool is_doubtful(const GateReport& report);

/// Whether the gate was asked to be strict, as its stored options say.
bool is_strict(const record::Gate& gate);

/// interrupted; not_all_measured when a case failed or the gate itself did; regression when there
/// is one that is not expected, or such a tail, or an expectation that was not met or is over;
/// undecided when too little was decided, one is in doubt (record::Doubt), or, when `strict`, any
/// is doubtful; else fine.
int gate_exit_code(record::RunStatus status, const std::vector<record::CaseVerdict>& verdicts,
                   bool strict);

/// "2 regressions (1 expected), 1 improvement, 40 pass": zeros left out, in the order of
/// importance.
std::string verdict_counts(const std::vector<record::CaseVerdict>& verdicts);
/// The same of counts in the order of importance; `expected` of the regressions are.
std::string verdict_counts(const std::vector<std::pair<record::Verdict, std::int64_t>>& counts,
                           std::int64_t expected = 0);

/// Of gates that one command measured, one for each device: the first of interrupted,
/// not_all_measured, regression and undecided that any of them has; else fine.
int gate_exit_code(std::span<const GateReport> reports);

/// For a terminal or a pipe: notes, a row per case in lines of `width`, counts, and what to run
/// next.
std::string gate_text(const GateReport& report, std::size_t width = any_width);
/// One after the other; of several with what all of them come to.
std::string gate_text(std::span<const GateReport> reports, std::size_t width = any_width);
/// For a GitHub job summary, which holds 1 MiB: what does not fit is counted aloud.
std::string gate_markdown(const GateReport& report);
std::string gate_markdown(std::span<const GateReport> reports);
/// JUnit XML: a test case a case. What fails the gate is a failure, or an error where it could not
/// be measured; what was not judged is skipped. A test case "gate" fails with the reason whenever
/// the exit code is not 0, so that no viewer shows green what did not pass.
std::string gate_junit(const GateReport& report);
/// A test suite for each.
std::string gate_junit(std::span<const GateReport> reports);
/// GitHub workflow commands (::error, ::warning, ::notice), one per case that is not a pass. GitHub
/// shows only the first few of a kind, so where there are more the first one says how many.
std::string gate_github(const GateReport& report);

/// A format in which `ridgeline gate` writes a file.
struct GateFormat {
  const char *option, *what;  // "--junit", and what --help says of it
  std::string (*text)(std::span<const GateReport> reports);
};
/// In the order of --help.
inline constexpr GateFormat gate_formats[] = {
    {"--markdown", "Also write this, for a job summary; - is the standard output", gate_markdown},
    {"--junit", "Also write JUnit XML; - is the standard output", gate_junit},
};

/// For programs, with the words that people read.
json::Value to_json(const GateReport& report);
/// Of several an object with all of them, and what they come to.
json::Value to_json(std::span<const GateReport> reports);
json::Value to_json(const record::CaseVerdict& verdict);
json::Value to_json(const record::Pair& pair);

}  // namespace ridgeline::present
