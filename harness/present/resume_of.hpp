#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/present/repeat_of.hpp"

/// `ridgeline run --resume RUN`: what an interrupted run, or one whose budget was spent, has left
/// is measured as a part of that run; with --counters, the hardware counters that it lacks are
/// read.
namespace ridgeline::present {

/// The cases that the run measures, by its profile and its command line. Throws a usage Error when
/// they are not those that it has measured so far.
std::vector<run::Selected> resumed_cases(const RepeatedRun& resumed,
                                         const std::vector<run::Worker>& workers,
                                         const record::Device& device,
                                         const std::filesystem::path& home);

/// What the run has when it is resumed: read when nobody else can be measuring it.
struct Resumed {
  std::size_t executions = 0;        // that it has
  std::size_t counters = 0;          // cases that lack them, where they are asked for
  bool finished = false;             // nothing but counters is left
  std::vector<std::string> changes;  // of the recorded environment since it began, in words
};

/// Reads what the run has into `plan`, whose cases, device and profile are known. Throws a usage
/// Error when nothing is left to measure, nor, with `counters`, to be counted, and when what is
/// left would be of another comparable environment, or of workers with other code, or with code
/// that is not known.
Resumed go_on(const RepeatedRun& resumed, const std::vector<run::Worker>& workers,
              const record::Environment& environment, bool counters, run::Plan& plan);

/// "41 executions are stored", of how many cases counters are left to read, and what has changed, a
/// line each.
std::string resumed_text(const Resumed& resumed);
json::Value to_json(const Resumed& resumed);

/// The line that resumes a run that is stored in `file`, whose `state` is in words; empty for a run
/// that is running, that a gate measured, or that repeats another one, and for a finished one that
/// has all executions of the cases among its `measurements`, and their counters where `counters`
/// or its command line asks for them.
std::string resuming_line(const record::Run& run, std::string_view state,
                          const std::vector<store::StoredMeasurement>& measurements,
                          const std::filesystem::path& file, bool counters = false);

}  // namespace ridgeline::present
