#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/workload.hpp"

/// What a worker of a study is told to do beside its work, so that a gate has something to find.
namespace ridgeline::worker::calibration {

/// A share of executions, or of processes.
struct PlantedShare {
  double share = 0;  // from 0 to 1
  double size = 0;   // of executions: how many times each takes its work; of processes: percent of
                     // extra work
};

struct Planted {
  double extra_percent = 0;          // of work, in every execution
  PlantedShare slow_samples = {};    // seen where a sample is one execution: `launch=single`
  PlantedShare slow_processes = {};  // beside the extra
  std::string only = {};             // the case that has all this; empty: every case

  /// What is left of it in the case of this name.
  Planted in(std::string_view case_name) const;
  /// The options that say it, without those that change nothing: empty for a plain worker.
  std::string text() const;
};

/// Takes `--extra PERCENT`, `--slow-samples SHARE:FACTOR`, `--slow-processes SHARE:PERCENT` and
/// `--only CASE` (or `--extra=PERCENT` and so on) out of the command line. Throws a usage Error
/// when one is given twice or is not: PERCENT a number above -100 and at most 1000, SHARE one above
/// 0 and at most 1, FACTOR a whole number from 2 to 100.
Planted take_planted(std::vector<std::string>& arguments);

/// `units` and the percentage of them more, to the nearest whole unit.
std::int64_t with_extra(std::int64_t units, double percent);

/// What is drawn for one process that measures a case: by the seed of its inputs and by its layout,
/// of which a gate gives each process another one.
class PlantedDraws {
 public:
  /// `planted`: of this case.
  PlantedDraws(const Planted& planted, std::string_view case_name, const measure::Setup& setup);

  /// The units of an execution of this process.
  std::int64_t units(std::int64_t without_extra) const;
  /// `workload`, whose slow executions are done as often as the factor says, one after the other. A
  /// metric `slow_executions` is their share of all executions so far.
  measure::Workload slowed(measure::Workload workload) const;

 private:
  Planted planted_;
  std::uint64_t stream_;
};

}  // namespace ridgeline::worker::calibration
