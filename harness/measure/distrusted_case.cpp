#include "harness/measure/distrusted_case.hpp"

#include "harness/base/kernel_calls.hpp"
#include "harness/measure/stopwatch.hpp"
#include "harness/measure/timed_outputs.hpp"

namespace ridgeline::measure {

void DistrustedCase::look_at_sample(const Batches& batches, std::size_t samples, double told_ns) {
  if (!workload_.distrust) return;
  clocks_.add(told_ns, batches.wall_ns());
  if (moments_.come(samples)) judge_.compare_all(unforeseen(batches.left()), "while");
}

/// Compares an output that is left by one execution, which follows others in a row that have
/// written something else there. How many is drawn: to who counts, any may be the one.
/// Where there are no other inputs, it finds a poisoned output instead.
void DistrustedCase::look_behind_others() {
  constexpr std::uint64_t most_before = 8;
  const Sets& sets = workload_.sets;
  const std::uint64_t before = sets.inputs > 1 ? kernel_random() % most_before : 0;
  const Turn last{kernel_random() % sets.inputs, kernel_random() % sets.outputs};
  {
    const AddWallTime timer(measurement_.verify_ns);
    workload_.poison(last.output);
    setup_.device.synchronize();
    for (std::uint64_t i = 0; i < before; ++i) {
      const std::size_t other = last.inputs + 1 + kernel_random() % (sets.inputs - 1);
      workload_.launch({other % sets.inputs, last.output}, setup_.device.stream());
    }
    workload_.launch(last, setup_.device.stream());
    setup_.device.synchronize();
  }
  judge_.compare(last, "after");
}

void DistrustedCase::look_after_samples() {
  if (!workload_.distrust) return;
  judge_.look_for_damage();
  judge_.convict(clocks_.invented(setup_.device.facts().kind == device::Kind::cuda));
  for (Looks looks; judge_.right_so_far() && looks.more();) look_behind_others();
  if (!judge_.right_so_far()) return;
  judge_.convict(remembered(workload_, setup_.device, options_.launch, [&](Turn turn) {
    judge_.compare(turn, "on inputs that were new after");
    return judge_.right_so_far();
  }));
}

}  // namespace ridgeline::measure
