#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/support.hpp"
#include "harness/measure/workload.hpp"
#include "harness/record/case.hpp"

namespace ridgeline::worker {

/// How many ranks a machine has room for, and what each takes one of: "cores".
struct Places {
  int count = 0;
  const char* what = "";
};

/// A case that a worker can measure. `supports` and `memory` are asked before anything is
/// allocated.
struct Case {
  record::Case info;
  std::function<device::Support(const device::Facts&)> supports;
  std::function<Places(const device::Facts&)> places{};  // of cases that ranks measure
  std::function<double(const device::Facts&)> memory;    // device bytes that two sets of inputs, an
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
