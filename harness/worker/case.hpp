#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/support.hpp"
#include "harness/measure/workload.hpp"
#include "harness/record/case.hpp"

namespace ridgeline::worker {

/// A case that a worker can measure. `supports` and `memory` are asked before anything is
/// allocated.
struct Case {
  record::Case info;
  std::function<device::Support(const device::Facts&)> supports;
  std::function<double(const device::Facts&)> memory;  // device bytes that two sets of inputs, an
                                                       // output and its workspace need
  std::function<measure::Workload(measure::Setup&)> prepare;
};

/// A question asked of a family over a sweep.
struct Suite {
  std::string name;
  std::string question;
  std::vector<Case> cases;  // the whole sweep; profiles pick from it by name
};

/// All suites, written by CMake from the files in suites/ (`suites/gemm.cpp` defines `Suite
/// suites::gemm()`).
std::vector<Suite> all_suites();

}  // namespace ridgeline::worker
