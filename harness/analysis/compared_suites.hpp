#pragma once

#include <vector>

#include "harness/analysis/comparison.hpp"

namespace ridgeline::analysis {

/// The geometric mean of each suite's ratios, by suite. Its interval takes each process that measured all the cases as
/// one value, the mean of their log times: noise that the cases of a process share counts in full. Cases that measure a
/// roof, and those that were disturbed, are left out.
std::vector<ComparedSuite> compare_suites(const std::vector<ComparedCase>& cases);

}  // namespace ridgeline::analysis
