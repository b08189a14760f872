#pragma once

#include <string>
#include <utility>

#include "harness/base/error.hpp"

// Failures that say something of a kernel and nothing of the device: the next launch may be fine.
namespace ridgeline::device {

/// The kernel is wrong: a race, an access out of bounds, a launch beyond the device's limits. Of
/// devices that check.
class KernelMistake : public Error {
 public:
  explicit KernelMistake(const std::string& finding, std::string advice = {})
      : Error(ErrorKind::dependency, finding, std::move(advice)) {}
};

/// The kernel uses what the device does not model; the text is "unsupported: <instruction>".
class Unsupported : public Error {
 public:
  explicit Unsupported(const std::string& instruction, std::string advice = {})
      : Error(ErrorKind::dependency, "unsupported: " + instruction, std::move(advice)),
        instruction(instruction) {}
  std::string instruction;
};

}  // namespace ridgeline::device
