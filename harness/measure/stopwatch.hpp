#pragma once

#include <chrono>

namespace ridgeline::measure {

/// Wall time since construction in ns.
class Stopwatch {
 public:
  double ns() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Adds the wall time of a scope to `sum`, also when the scope is left by an exception.
class AddWallTime {
 public:
  explicit AddWallTime(double& sum) : sum_(sum) {}
  AddWallTime(const AddWallTime&) = delete;
  ~AddWallTime() { sum_ += watch_.ns(); }

 private:
  double& sum_;
  Stopwatch watch_;
};

}  // namespace ridgeline::measure
