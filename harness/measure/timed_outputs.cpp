#include "harness/measure/timed_outputs.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "harness/base/kernel_calls.hpp"
#include "harness/device/random.hpp"
#include "harness/measure/stopwatch.hpp"

namespace ridgeline::measure {
namespace {

bool compares_all(const Setup& setup) { return setup.device.facts().kind != device::Kind::cpu; }

/// All outputs where comparing is cheap. A CPU would spend more time on that, and on writing them
/// again, than on timing: it compares two. The seed prefers some sets of inputs, of those that
/// `inputs_of` says, however many samples there are: processes that have the same inputs then
/// mostly need the same from the oracle.
template <class InputsOf>
std::vector<Turn> to_compare(const Setup& setup, const Workload& workload, std::vector<Turn> left,
                             InputsOf inputs_of) {
  if (workload.distrust) return unforeseen(left);
  if (compares_all(setup) || left.size() <= 2) return left;
  std::ranges::sort(left, {}, [&](const Turn& of) {
    return std::pair(device::random_bits(setup.seed, inputs_of(of)), of.output);
  });
  return {left[0], left[1]};
}

/// What these outputs hold by now; where comparing is cheap, whatever was written with them.
std::vector<Turn> now_in(const std::vector<Turn>& outputs, const Setup& setup,
                         const Batches& batches) {
  std::vector<Turn> left = batches.left();
  if (!compares_all(setup))
    std::erase_if(left, [&](const Turn& of) {
      return std::ranges::find(outputs, of.output, &Turn::output) == outputs.end();
    });
  return left;
}

}  // namespace

std::vector<Turn> unforeseen(const std::vector<Turn>& left) {
  if (left.size() < 2) return left;
  return {left.back(), left[kernel_random() % (left.size() - 1)]};
}

void verify_timed(const Setup& setup, const Workload& workload, Batches& batches, Judge& judge,
                  record::Measurement& measurement) {
  judge.compare_all(to_compare(setup, workload, batches.left(), std::mem_fn(&Turn::inputs)),
                    "while");
  if (!judge.right_so_far()) return;
  const std::vector<Turn> rewritten = to_compare(
      setup, workload, batches.left(), [&](const Turn& of) { return batches.other(of).inputs; });
  {
    const AddWallTime timer(measurement.verify_ns);
    batches.overwrite(rewritten);
  }
  judge.compare_all(now_in(rewritten, setup, batches), "after");
}

}  // namespace ridgeline::measure
