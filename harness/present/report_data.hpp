#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/analysis/ladder.hpp"
#include "harness/analysis/report_sites.hpp"
#include "harness/base/json.hpp"
#include "harness/present/collective_beside.hpp"
#include "harness/present/counted_cases.hpp"
#include "harness/present/peer_pairs.hpp"
#include "harness/record/run.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::present {

/// Of the document that reports read; docs/report-format.md describes it and says when this is
/// raised.
inline constexpr int report_format_version = 12;

/// One run with all that a report shows of it.
struct ReportRun : store::StoredRun {
  std::string status;  // in words, as run_text.hpp has it
  std::string repeat;  // the command that measures it again, or that imported it
  std::vector<record::Roof> roofs;
  std::vector<store::StoredMeasurement> measurements;  // with sites and sources
  CountedCases counted;                                // on the emulated device of its code
  std::vector<analysis::Ladder> ladders;
  std::map<std::int64_t, std::string> workers;  // as store::process_workers
  PairMatrices pairs;                           // of its GPU and its siblings'
  std::vector<BesideWork> beside;
};

ReportRun read_report_run(const store::Store& store, const store::RunSummary& summary,
                          std::string status, std::string repeat);

/// What a case is: its name, and what that is made of.
json::Value identity_json(const record::CaseId& id);

/// The cases of `run` whose names are `wanted`, as the document has them. `sources` takes up those
/// that their sites lie in.
json::Value report_cases(const ReportRun& run,
                         const std::function<bool(const std::string& name)>& wanted,
                         analysis::SourceTable& sources);

/// The part of the report document that holds `runs`. `generated` is a time in UTC, `ridgeline` the
/// version of this program. What is absent or no finite number is left out, never null or 0.
json::Value report_document(const std::vector<ReportRun>& runs, const std::string& generated,
                            const std::string& ridgeline);

}  // namespace ridgeline::present
