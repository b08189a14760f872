#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/siblings.hpp"
#include "harness/record/run.hpp"
#include "harness/stats/interval.hpp"
#include "harness/store/read_runs.hpp"

/// Two runs side by side, of two device models or of one. Never a verdict: docs/how-to-compare.md
/// says what each number means.
namespace ridgeline::analysis {

struct ComparedSide : store::StoredRun {
  std::vector<record::Roof> roofs;
  store::Timings timings;
  std::string status;  // of the run, in words
};

/// One case on one side.
struct SideOfCase {
  record::Outcome outcome = record::Outcome::crashed;  // as over_processes() has it
  std::string reason;
  std::vector<double> medians_ns;  // of the processes that count, by replicate
  std::vector<int> replicates;     // of those
  std::optional<double> median_ns;
  bool disturbed = false;               // no process was undisturbed: the disturbed ones count
  std::optional<double> flops, bytes;   // of one execution, as prepared
  std::optional<double> sm_clock_mhz;   // median over processes
  std::string launch, cache;            // of the last process that counts
  std::optional<double> share_of_roof;  // least time that the side's own roofs allow / median_ns
  std::string roof;                     // that binds
};

/// What explains the part of a ratio that the two rooflines do not.
enum class Cause {
  none,         // there is next to none, nor a ratio to explain: its interval holds 1
  hardware,     // there is next to none: the rooflines explain the ratio
  distance,     // one side reaches less of its own roof
  environment,  // something recorded disturbed a side, or it was measured at other clocks or
                // settings
  unknown,      // too few processes to tell, too noisy ones, or a roof that is wrong
};
inline std::span<const Name<Cause>> names(Cause) {
  static constexpr Name<Cause> causes[] = {{Cause::none, "none"},
                                           {Cause::hardware, "hardware"},
                                           {Cause::distance, "distance"},
                                           {Cause::environment, "environment"},
                                           {Cause::unknown, "unknown"}};
  return causes;
}
using ridgeline::to_string;

struct ComparedCase {
  record::CaseId id;
  bool measures_roof = false;
  SideOfCase a, b;
  std::string not_compared;                 // why there is no ratio; empty when there is one
  std::optional<double> ratio;              // time of B over time of A, of the same work
  std::optional<stats::Interval> interval;  // of the ratio, 95%, over process medians; absent below
                                            // 3 processes per side
  double work = 1;                    // of B over that of A, where the device decides the size
  std::optional<double> roofs_ratio;  // that the two rooflines alone predict
  bool measured_roofs = false;        // both of them measured, else both of datasheets
  std::optional<Cause> cause;         // absent without roofs_ratio
  std::string because;                // in words

  /// What the rooflines do not explain: ratio over roofs_ratio.
  std::optional<double> rest() const;
  /// The side that reaches less of its own roof.
  char farther() const { return rest().value_or(1) > 1 ? 'B' : 'A'; }
};

/// All compared cases of a suite, those that measure a roof left out.
struct ComparedSuite {
  std::string suite;
  int cases = 0;
  int unstable = 0;   // of the cases, those that are on a side
  int disturbed = 0;  // cases left out of the mean: nothing but disturbed times on a side
  double mean = 0;    // geometric, of the ratios
  std::optional<stats::Interval> interval;  // 95%, over processes that measured all the cases
  int a_processes = 0, b_processes = 0;     // those
  double lowest = 0, highest = 0;           // ratios
  std::optional<double> roofs_ratio;  // geometric mean of what the two rooflines alone predict
  int roofs_cases = 0;                // for which they do
};

/// A case that one side has, and what the other says.
struct OneSided {
  std::string name;
  bool of_a = true;
  std::string why;
};

/// One roof kind of either side; in the roof's own unit.
struct ComparedRoof {
  std::string kind, source, unit;
  std::optional<double> a, b;
};

/// Whether the sides are siblings: GPUs of one model that one `ridgeline run --device all`
/// measured.
enum class Kinship { none, siblings };

struct Comparison {
  std::vector<ComparedCase> cases;  // of both sides, in the order of by_case
  std::vector<ComparedSuite> suites;
  std::vector<OneSided> one_sided;
  std::vector<ComparedRoof> roofs;
  std::vector<std::string> differences;
  std::vector<SiblingsOfSuite> siblings;  // A and B by their ids; empty of sides measured apart
};

/// Of sides that have times. Cases that any of `patterns` picks, or all.
Comparison compare(const ComparedSide& a, const ComparedSide& b,
                   const std::vector<std::string>& patterns, Kinship kinship = Kinship::none);

/// Sets `siblings`, and the cause of each case that has a ratio: what the roofs say explains
/// nothing of two GPUs of one model, so a case is that of a slower GPU, or none. Both sides were
/// measured together.
void explain_siblings(Comparison& found, const ComparedSide& a, const ComparedSide& b,
                      const std::vector<std::string>& patterns);

/// The geometric mean of each suite's ratios, by suite. Its interval takes each process that
/// measured all the cases as one value, the mean of their log times: noise that the cases of a
/// process share counts in full. Cases that measure a roof, and those that were disturbed, are left
/// out.
std::vector<ComparedSuite> compare_suites(const std::vector<ComparedCase>& cases);

/// What differs between the sides beside their hardware, in words that begin with the kind ("build:
/// ...") unless they are of one run.
std::vector<std::string> differences(const ComparedSide& a, const ComparedSide& b,
                                     Kinship kinship = Kinship::none);

/// Whether a part of the sides' workers was built from other code, as far as that is known.
bool other_code(const store::StoredRun& a, const store::StoredRun& b);

}  // namespace ridgeline::analysis
