#pragma once

#include <span>

/// A sign test of whether more processes of one side are slow, wherever the line between slow and
/// ordinary ones lies: it is drawn through the widest gap between the processes of both sides.
namespace ridgeline::stats {

struct SlowProcesses {
  double p = 1;                     // against "as many of the candidate's as of the baseline's"
  double cut = 0;                   // logarithm of a time; a process above it is slow
  int candidate = 0, baseline = 0;  // pairs in which only this side's process is slow
};

/// `baseline` and `candidate` have one logarithm of a time per pair, in the same order; the
/// candidate's may be infinite. `least` and up to as many as there are pairs shall lie above the
/// cut. p is 1 where no gap of at least same_log_ratio is found. The cut depends on the times
/// without their sides, so p is exact when chance decides which process of a pair is whose. Throws
/// Error unless both sides are equally long.
SlowProcesses slow_processes(std::span<const double> baseline, std::span<const double> candidate,
                             int least);

}  // namespace ridgeline::stats
