#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/calibration/planted.hpp"
#include "harness/worker/case.hpp"

/// What the cases of all kinds of device have in common: how they are declared, and how work that
/// was counted is told.
namespace ridgeline::worker::calibration {

/// What the outputs of an execution say: wrong ones, and the units of work that were counted. More
/// work than was asked for is as wrong as less.
struct Verdict {
  std::int64_t wrong = 0;
  double work = 0;
};

/// A workload that writes `out`, and has the work of the execution that was verified last as its
/// metric; none where an output is wrong. `judge` gets the outputs.
template <class Output>
measure::Workload counted(const std::shared_ptr<device::Buffer<Output>>& out,
                          const std::function<Verdict(const std::vector<Output>&)>& judge) {
  const auto work = std::make_shared<double>(0);
  measure::Workload workload;
  workload.poison = [=](std::size_t) { out->poison(); };
  workload.verify = [=](measure::Turn) {
    const Verdict verdict = judge(out->download());
    *work = verdict.wrong == 0 ? verdict.work : 0;
    return record::Verification{static_cast<double>(verdict.wrong), 0};
  };
  workload.timed_metrics = [=](double) {
    return std::vector<record::Metric>{{"work", *work, "1", record::Direction::none}};
  };
  return workload;
}

/// Takes `count` values through rounds of x = x * 1 + round_step by `launch`: multiples of
/// round_step in [-1, 1), on which every round is exact. How far each has moved is how many rounds
/// it was taken through.
measure::Workload computing(
    measure::Setup& setup, std::size_t count, std::int64_t rounds,
    std::function<void(const float* in, float* out, device::Stream&)> launch);

/// How a case is named, and what an execution does: `units` of work, without what is planted.
struct Declared {
  DeviceKind kind;
  const char* variant;
  const char* dtype;
  std::vector<record::Field> problem;
  bool single = false;  // `launch=single`
  const char* idea;
  double memory;  // bytes that it needs
  std::int64_t units;
};

/// A case that every device of the kind supports. `prepare` gets the units of an execution of this
/// process.
Case make_case(const Declared& declared, const Planted& planted,
               std::function<measure::Workload(std::int64_t units, measure::Setup&)> prepare);

}  // namespace ridgeline::worker::calibration
