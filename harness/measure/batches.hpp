#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "harness/measure/measure.hpp"
#include "harness/measure/stopwatch.hpp"

namespace ridgeline::measure {

/// Makes all outputs NaN.
void poison_all(const Workload& workload, device::Device& device);

/// How often executions are chosen anew because batches turn out to be too short.
inline constexpr int most_restarts = 3;

/// Decides what one sample executes. Every sample executes equally often. When cold, each set of
/// inputs waits for all others before its turn comes again: executions are a multiple or a divisor
/// of the number of sets. When hot, a sample executes one set, once before it as well, which is
/// what its caches then hold; all sets write one output, which is poisoned in between.
///
/// From one round to the next other inputs belong to each output, so that an output which is left
/// from before is wrong: outputs move on by half of their number, which keeps them cold, and inputs
/// of a single output by one. A round is a batch, or as many as execute all sets.
class Rotation {
 public:
  /// Keeps references: `device` and `workload` must outlive it.
  Rotation(device::Device& device, const Workload& workload, device::Launch launch, Cache cache);

  /// Makes samples of at least `wanted` executions, as few more as the rule above allows; of one
  /// with Launch::single.
  void set_executions(std::int64_t wanted);
  std::int64_t executions() const { return executions_; }

  /// Records the next batch when it has not been yet.
  void prepare_next();
  /// Executes the next batch and returns its elapsed time in ns.
  double run_ns();
  /// How long the newest batch has taken by the kernel's clock, which knows nothing of a GPU's.
  double wall_ns() const { return wall_ns_; }
  /// Records all batches that have not been yet.
  void prepare_all();
  /// Begins the next batch, without waiting for it.
  device::Batch& start_next();

  /// What the outputs hold that were written since they were poisoned, the newest last.
  std::vector<Turn> left() const;
  /// All outputs were poisoned.
  void forget() { ran_.clear(); }

  /// What an output is written from next to what it was left from, where there are other inputs.
  Turn other(const Turn& left) const;
  /// The batches to go to next, one after the other, so that each of these outputs, which are left,
  /// is written again, from other inputs where there are others.
  std::vector<std::size_t> overwriting(std::vector<Turn> open) const;
  void go_to(std::size_t batch) { next_ = batch; }

  std::size_t batches_of_round() const;

 private:
  Turn turn(std::size_t batch, std::size_t execution) const;
  void advance();

  device::Device& device_;
  const Workload& workload_;
  device::Launch launch_;
  Cache cache_;
  std::int64_t executions_ = 1;
  std::vector<std::unique_ptr<device::Batch>> batches_;
  std::size_t next_ = 0;
  std::deque<std::size_t> ran_;  // since the outputs were poisoned, at most as many as there are
  double wall_ns_ = 0;
};

/// The timed batches of a verified case: how many executions one has, and whether the case is warm.
class Batches {
 public:
  /// Keeps references. `alone_ns`: wall time of the execution that was verified.
  Batches(const Setup& setup, const Workload& workload, const PrepareOptions& options,
          double alone_ns)
      : setup_(setup),
        workload_(workload),
        options_(options),
        alone_ns_(alone_ns),
        rotation_(setup.device, workload, options.launch, options.cache) {}

  /// Runs until two successive windows have medians that agree, and the same clock, or another
  /// batch like the newest would exceed the budget. Which of the two it was: true when they agree.
  /// What verified the case does not count: the first execution in a process may take far longer
  /// than all others.
  bool warm_up();
  /// Runs until the device's clock and power have hardly changed for half a second, or for the
  /// settle budget; true when they are steady, and where the device does not tell both.
  bool settle();
  /// One sample: started together, as slow as the slowest rank. In ns of the whole batch.
  double run_ns();
  /// Of the newest batch, as Rotation has it.
  double wall_ns() const { return rotation_.wall_ns(); }
  /// Whether the newest batches show that samples would be shorter than half of what they should
  /// be.
  bool too_short() const;
  /// Finds how many executions last as long as a sample should. Repeats, because a lone execution
  /// costs more than one of many, and believes the fastest of several batches, because the first
  /// may be slow by accident (code that is loaded, ranks that meet); those that are longer than the
  /// warm-up budget run once, unless the verified execution was faster. Then poisons every output,
  /// so that what the timed batches leave is theirs; unless executions are long, a batch more puts
  /// the caches back into the state that they are timed in.
  void choose_executions();

  std::int64_t executions() const { return rotation_.executions(); }
  std::vector<Turn> left() const { return rotation_.left(); }
  Turn other(const Turn& left) const { return rotation_.other(left); }
  /// Executes, as samples do, what writes these outputs again, which are left.
  void overwrite(std::vector<Turn> left) {
    for (const std::size_t batch : rotation_.overwriting(std::move(left))) {
      rotation_.go_to(batch);
      run_ns();
    }
  }

 private:
  /// A sample lasts at least this long.
  double floor_ns() const {
    return options_.launch == device::Launch::single ? 0 : options_.sample_floor_ns;
  }

  const Setup& setup_;
  const Workload& workload_;
  const PrepareOptions& options_;
  double alone_ns_;
  Rotation rotation_;
  std::vector<double> recent_ns_;  // the newest batches of as many executions as now, at most
                                   // least_window
};

}  // namespace ridgeline::measure
