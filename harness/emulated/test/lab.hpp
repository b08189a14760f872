#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/device.hpp"
#include "harness/emulated/machine.hpp"

namespace ridgeline::emulated::test {

/// A machine with the limits of sm_90 and its stream; buffers live as long.
class Lab {
 public:
  explicit Lab(const Settings& settings = {})
      : machine_({.threads = 1024, .shared_bytes = 227 << 10, .shared_per_unit = 228 << 10},
                 settings),
        stream_{&machine_} {}

  device::Stream& stream() { return stream_; }
  Machine& machine() { return machine_; }
  template <class T>
  T* empty(std::size_t n, const std::string& name = "output") {
    return static_cast<T*>(machine_.memory().allocate(n * sizeof(T), name));
  }
  template <class T>
  T* filled(const std::vector<T>& values, const std::string& name = "input") {
    T* const made = empty<T>(values.size(), name);
    std::copy(values.begin(), values.end(), made);
    machine_.memory().mark(made, values.size() * sizeof(T), true);
    return made;
  }
  /// Of the one launch since the last call.
  Report report() {
    std::vector<Report> all = machine_.take_reports();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Report{} : all.back();
  }

 private:
  Machine machine_;
  device::Stream stream_;
};

/// "race (read after write), misaligned".
inline std::string checks(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings) all += (all.empty() ? "" : ", ") + finding.check;
  return all;
}

}  // namespace ridgeline::emulated::test
