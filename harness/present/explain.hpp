#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/explanation.hpp"
#include "harness/analysis/ladder.hpp"
#include "harness/base/json.hpp"
#include "harness/present/counted_cases.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline explain`: what bounds a case, by which evidence, and what would settle the rest.
namespace ridgeline::present {

/// What the rung after a case of a ladder did, in the same run.
struct NextRung {
  std::string ladder;  // its title
  std::string name;    // of the case; empty where the case is the last rung
  std::string idea;
  std::optional<analysis::SpeedUp> gain;             // absent where the run has no time of it
  std::optional<analysis::Explanation> explanation;  // of the next rung
  std::string reference;                             // of a last rung, where it has a time
  std::optional<analysis::SpeedUp> over_reference;
};

/// What the device said of itself while the case was timed.
struct Circumstances {
  std::optional<double> clock_mhz, most_clock_mhz;  // of the SMs; the highest that they can have
  std::optional<double> power_w, power_limit_w;     // the highest reading
  std::size_t processes = 0, throttled = 0;         // with samples; those in which it gave reasons
                                                    // to limit its clock
  std::string throttle;                             // the reasons, as Telemetry::throttle
};

/// A command that would settle what is open.
struct Settling {
  std::string command, shows;
};

struct ExplainedCase {
  analysis::CaseSummary summary;
  analysis::Explanation explanation;
  Circumstances circumstances;
  std::optional<double> occupancy;  // share of an SM's warps that ran, or that fit
  bool occupancy_ran = false;       // they ran: counted on the device
  std::string counted_run;          // whose counts of the case were at hand; empty without
  std::vector<NextRung> ladders;    // of the ladders that have the case
  std::vector<Settling> settle;
};

/// What explains the cases of one run.
struct RunEvidence {
  record::Run run;
  record::Device device;
  std::vector<record::Roof> roofs;
  std::vector<store::StoredMeasurement> measurements;
  CountedCases counted;  // of the emulated device that runs this device's code
  std::vector<analysis::Ladder> ladders;
  std::map<std::int64_t, std::string> workers;  // of processes, by id; as store::process_workers
};

/// All cases of the run whose names are `wanted`, in the order of analysis::by_case.
std::vector<ExplainedCase> explain(const RunEvidence& evidence,
                                   const std::function<bool(const std::string& name)>& wanted);

/// The cases of one run, explained.
struct ExplainedRun {
  record::Run run;
  record::Device device;
  std::vector<ExplainedCase> cases;
};

struct ExplainChoice {
  std::vector<std::string> patterns;  // of case names, at least one
  std::string run;     // a selector; empty: of each device model the newest run with a time of it
  std::string device;  // words of a model, or the start of a UUID; empty: all
};

/// Newest run first. Throws a usage Error when no stored case, run or device is what `choice` asks
/// for, and a store Error when nothing can be read; `left_out` is told of files that cannot.
std::vector<ExplainedRun> find_explanations(const std::filesystem::path& results,
                                            const ExplainChoice& choice,
                                            const std::vector<analysis::Ladder>& ladders,
                                            const store::LeftOut& left_out);

/// In lines of `width` characters where that is possible.
std::string explained_text(const std::vector<ExplainedRun>& runs, std::size_t width);
json::Value to_json(const ExplainedRun& run);
/// Of a case on `device`: what a report shows of it beside its time.
json::Value to_json(const ExplainedCase& explained, const record::Device& device);

}  // namespace ridgeline::present
