#pragma once

#include <string>
#include <vector>

#include "harness/device/device.hpp"

namespace ridgeline::corpus {

struct Case {
  std::string name;         // of its file
  std::string expectation;  // that file's first line, see case.hpp
  void (*check)(device::Device&);
};

/// All of the folder. Written by CMake.
std::vector<Case> cases();

}  // namespace ridgeline::corpus
