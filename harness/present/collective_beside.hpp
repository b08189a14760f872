#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/hidden_share.hpp"
#include "harness/base/json.hpp"
#include "harness/present/collectives.hpp"

/// `ridgeline collectives beside`: what a collective and work cost each other.
namespace ridgeline::present {

/// The cases of the suite beside that differ in what is timed alone, of the newest run that has
/// them all. Times are as CaseSummary has them, which may be none.
struct BesideWork {
  std::string run, model;
  std::string variant, dtype;
  std::vector<record::Field> fields;  // of the problem and options, without what is timed
  double bytes = 0;
  analysis::CaseSummary work_alone, collective_alone, work, collective, both;

  std::optional<analysis::Estimate> work_slow_down, collective_slow_down, hidden;
};

/// As find_curves.
std::vector<BesideWork> find_beside(const std::filesystem::path& results, const CurveChoice& choice,
                                    const store::LeftOut& left_out);

struct ReportRun;

/// Of one run.
std::vector<BesideWork> find_beside(const ReportRun& run);

std::string beside_text(const std::vector<BesideWork>& all, std::size_t width);
json::Value to_json(const BesideWork& beside);

}  // namespace ridgeline::present
