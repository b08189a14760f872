#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::present {

/// The folder of results where no --results names one: $RIDGELINE_RESULTS, else "results".
std::filesystem::path default_results();

/// What belongs together in a line: an option with its value, or a single word, which is no
/// option's.
struct LinePart {
  std::string option;                // "--budget", and "--" for what ends the options; else empty
  std::vector<std::string> words;    // as typed: {"--budget=30s"}
  std::optional<std::string> value;  // "30s"
};

/// A line that `run` or `gate` has stored, or would store. Their options take one value or none;
/// one that they do not have takes one.
std::vector<LinePart> line_parts(const std::string& command_line);

/// The line that does a stored run or gate again: as it was typed, with --device and --seed where
/// it left them to chance, `cases`, when there are any, in place of its patterns, and for the
/// options that `instead` names ("--baseline-ref") those values. Without where else results went,
/// and without --unfit, which is of that run alone.
std::string repeating_line(const std::string& command_line, const std::string& device,
                           std::uint64_t seed, const std::vector<std::string>& cases = {},
                           const std::map<std::string, std::string>& instead = {});

/// The line that measures a stored run, or `cases` of it, again; empty for one that was imported,
/// which Ridgeline cannot measure.
std::string repeating_line(const record::Run& run, const std::string& device,
                           const std::vector<std::string>& cases = {});

/// What a line that does `names` again names: nothing, which is all of it, where they are too many.
std::vector<std::string> names_to_repeat(std::vector<std::string> names);

/// repeating_line of a stored run for the cases that failed; empty when none did. Those that the
/// run's budget never reached are not among them.
std::string repeating_failures(const record::Run& run, const std::string& device,
                               const std::vector<analysis::CaseSummary>& summaries);

/// The gate that measures two commits side by side; empty patterns stand for all cases.
std::string gate_of_commits(const std::string& baseline, const std::string& candidate,
                            const std::string& device, const std::vector<std::string>& patterns);

/// The search for the one of several commits that made a case slower; empty where the repository of
/// the current folder does not know them, or there is but one. `delta`: the slow-down that the end
/// points must have.
std::string search_of_commits(const std::string& good, const std::string& bad,
                              const std::string& device, const std::string& case_name,
                              std::optional<double> delta);

/// The values that `option` ("--budget") has in a stored line, in order.
std::vector<std::string> values_of(const std::string& command_line, const std::string& option);
/// The patterns of cases in it.
std::vector<std::string> typed_patterns(const std::string& command_line);
/// Whether it repeats another run.
bool is_repeat(const std::string& command_line);

}  // namespace ridgeline::present
