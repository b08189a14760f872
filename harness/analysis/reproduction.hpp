#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/store/read_runs.hpp"

namespace ridgeline::analysis {

/// Whether a repeat of a run found the same. `undecided` when the processes are too few or too
/// noisy to tell.
enum class Reproduced { no, undecided, yes };

inline std::span<const Name<Reproduced>> names(Reproduced) {
  static constexpr Name<Reproduced> reproduced[] = {
      {Reproduced::no, "no"}, {Reproduced::undecided, "undecided"}, {Reproduced::yes, "yes"}};
  return reproduced;
}
using ridgeline::to_string;

/// What a repeat says of one case. Ratios are now over then.
struct Reproduction {
  std::string case_name;
  Reproduced reproduced = Reproduced::undecided;
  std::string reason;                           // in words, unless the numbers say it all
  std::optional<double> then_ns, now_ns;        // medians over process medians
  std::optional<double> ratio;                  // the estimate
  std::optional<double> ratio_low, ratio_high;  // its 95% interval; absent where it has no bound
  int then_processes = 0, now_processes = 0;    // that count
  double delta = 0;                             // relative: what counts as the same time
};

/// What a repeat cannot show with so many processes per case, then and now, in words; empty when it
/// can show both that one of `cases` cases came out the same and that it did not.
std::string too_few_processes(int then, int now, int cases);

/// Compares process medians, case by case of `then`, in the order of by_case. Reproduced: in each
/// direction the rank-sum test shows at 5% that the change is smaller than the delta of a gate on
/// this kind of device. Not reproduced: a gate of the two runs would call it a regression or an
/// improvement. A case without times is reproduced when it ends in the same outcome; one that was
/// not measured, then or now, is undecided.
std::vector<Reproduction> reproductions(const std::vector<store::StoredMeasurement>& then,
                                        const std::vector<store::StoredMeasurement>& now,
                                        DeviceKind kind);

}  // namespace ridgeline::analysis
