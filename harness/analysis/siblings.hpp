#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/stats/interval.hpp"
#include "harness/store/read_runs.hpp"

/// Devices of one model that have measured the same cases at the same time, in the same order and
/// of the same inputs: which of them is slower than the others?
namespace ridgeline::analysis {

struct SiblingRun {
  std::string device;  // its id
  store::Timings timings;
};

/// One device beside the others.
struct Sibling {
  std::string device;
  double ratio = 1;  // its times over those of the others: geometric means over cases and processes
  std::optional<stats::Interval> interval;  // of the ratio; absent with fewer than two processes

  bool is_slower() const { return interval && interval->low > 1; }
};

struct SiblingsOfSuite {
  std::string suite;             // empty: of all suites
  int cases = 0;                 // that all devices have measured in all processes that count
  int processes = 0;             // per device
  std::vector<Sibling> devices;  // in the order of the runs, those without any time left out
};

/// First all suites together, then each, where there are several. Empty when less than two runs
/// have a case in common.
///
/// A process measures all cases, and what disturbs it may disturb them all: so a process counts
/// once, by the mean of the logarithms of its medians. Process r of a device is compared with
/// process r of the others, which has the same order and inputs; what device and process together
/// do not explain is the noise (two-way analysis of variance without replication; Student's t with
/// (devices - 1) (processes - 1) degrees of freedom). All intervals hold together with 95%
/// (Bonferroni), so that at most one set of equal devices in twenty has a slower one.
std::vector<SiblingsOfSuite> compare_siblings(const std::vector<SiblingRun>& runs);

/// `logs`: of each of two or more equal things, whose names are `ids`, the logarithm of a time by
/// process, of equally many processes, at least one. The interval of each holds with a probability
/// of 1 - `level`.
std::vector<Sibling> set_beside_each_other(const std::vector<std::string>& ids,
                                           const std::vector<std::vector<double>>& logs,
                                           double level);

}  // namespace ridgeline::analysis
