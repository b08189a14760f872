#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/clocks.hpp"
#include "harness/analysis/ladder.hpp"
#include "harness/base/json.hpp"
#include "harness/present/wrapped.hpp"
#include "harness/record/run.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline ladder`: what each idea bought, and how far from the vendor's library and from the
/// roof the last one ends.
namespace ridgeline::present {

/// The ladders that are told from one run.
struct LaddersOfRun : store::StoredRun {
  std::vector<record::Roof> roofs;
  std::optional<analysis::Clocks> clocks;
  std::vector<analysis::ClimbedLadder> ladders;  // each has a rung with a time
};

struct LaddersOfModel {
  std::string model;
  std::vector<LaddersOfRun> runs;       // newest first
  std::vector<std::string> unmeasured;  // titles of ladders of this kind of device without a time
};

/// Of each device model in `results`, by name, that has any: each ladder from the run that has
/// times of most of its cases, the newest of several. With `run`, a selector, from that one alone.
/// Runs that a gate measured are left out.
std::vector<LaddersOfModel> find_ladders(const std::filesystem::path& results,
                                         const std::string& run,
                                         const std::vector<analysis::Ladder>& ladders);

enum class Detail { rungs, last_rungs };  // a table of each ladder, or a row of each

/// In lines of `width` characters where that is possible.
std::string ladders_text(const std::vector<LaddersOfModel>& models, Detail detail,
                         std::size_t width = any_width);
/// The same as Markdown, its headings of the second level and below. With last_rungs there are
/// none.
std::string ladders_markdown(const std::vector<LaddersOfModel>& models, Detail detail);
/// All rungs. What is unknown is left out.
json::Value to_json(const std::vector<LaddersOfModel>& models);

}  // namespace ridgeline::present
