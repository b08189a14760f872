#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "harness/device/buffer.hpp"
#include "harness/worker/case.hpp"
#include "kernels/peer_copy/peer_copy.hpp"
#include "kernels/stream/stream.hpp"

// What copies between two devices of one process work on, and how what arrived is verified: on the
// device that it arrived on.
namespace ridgeline::suites {

/// The device that measures, which is the calling thread's, and another one. Each reaches the
/// other's memory.
struct Pair {
  device::Device& mine;
  device::Device& peer;
};

/// Does `work` while `device` is the calling thread's, which `mine` is again then.
template <class Work>
auto on(device::Device& device, device::Device& mine, Work work) {
  struct Back {
    device::Device& mine;
    ~Back() { mine.make_current(); }
  } const back{mine};
  device.make_current();
  return work();
}

/// One way of a copy. What is asked of a device is asked while it is the calling thread's.
struct Way {
  /// Sources of random floats, others in each way and each set.
  Way(Pair devices, bool is_to_peer, const peer_copy::Problem& problem, const measure::Sets& sets,
      const measure::Setup& setup)
      : pair(devices),
        from(is_to_peer ? devices.mine : devices.peer),
        to(is_to_peer ? devices.peer : devices.mine) {
    const auto floats = static_cast<std::size_t>(problem.elements);
    on(from, pair.mine, [&] {
      for (std::size_t set = 0; set < sets.inputs; ++set) {
        values.push_back(
            {setup.distribution, setup.inputs.seed(), (2 * set + (is_to_peer ? 0 : 1)) * floats});
        sources.emplace_back(from, floats);
        from.fill(sources.back().data(), DType::f32, floats, values.back().distribution,
                  values.back().seed, values.back().first);
      }
      from.synchronize();
    });
    on(to, pair.mine, [&] {
      for (std::size_t i = 0; i < sets.outputs; ++i) outputs.emplace_back(to, floats);
    });
  }

  void poison(std::size_t output) {
    on(to, pair.mine, [&] {
      outputs.at(output).poison();
      to.synchronize();
    });
  }
  /// Enqueues it on the stream of `by`.
  void launch(const peer_copy::Variant& variant, const peer_copy::Problem& problem,
              measure::Turn turn, device::Device& by) const {
    const peer_copy::Operands operands{
        sources.at(turn.inputs).data(), outputs.at(turn.output).data(),
        peer_copy::gpu_number(from.facts().id), peer_copy::gpu_number(to.facts().id)};
    on(by, pair.mine, [&] { variant.launch(problem, operands, by.stream()); });
  }
  record::Verification verify(const peer_copy::Problem& problem, measure::Turn turn,
                              std::uint64_t seed) const {
    const stream::Problem copy{stream::Operation::copy, kernels::Level::dram, problem.elements};
    const kernels::RandomFloats& sent = values.at(turn.inputs);
    const kernels::Deviation found = on(to, pair.mine, [&] {
      return stream::deviation(to, copy, sent, sent, outputs.at(turn.output).data(), seed);
    });
    return {found.error, found.tolerance, found.checked};
  }

  Pair pair;
  device::Device &from, &to;
  std::vector<kernels::RandomFloats> values;  // of the sources
  std::vector<device::Buffer<float>> sources, outputs;
};

/// Both ways, each device writes to the other: the peer begins when the device that measures does,
/// which ends when both have.
inline measure::Workload copy_between(Pair pair, const peer_copy::Variant& variant,
                                      const peer_copy::Problem& problem, measure::Setup& setup) {
  using peer_copy::Direction;
  const measure::Sets sets = setup.sets(static_cast<std::size_t>(problem.bytes()), 64);
  auto ways = std::make_shared<std::vector<Way>>();
  for (const bool to_peer : {true, false})
    if (problem.direction == Direction::both_ways ||
        to_peer == (problem.direction == Direction::to_peer))
      ways->emplace_back(pair, to_peer, problem, sets, setup);
  return {.bytes = problem.bytes(),
          .sets = sets,
          .launch =
              [=](measure::Turn turn, device::Stream&) {
                const bool both = ways->size() == 2;
                if (both) {
                  pair.peer.begin_after(pair.mine);
                  ways->back().launch(variant, problem, turn, pair.peer);
                }
                ways->front().launch(variant, problem, turn, pair.mine);
                if (both) pair.mine.begin_after(pair.peer);
              },
          .poison =
              [=](std::size_t output) {
                for (Way& way : *ways) way.poison(output);
              },
          .verify =
              [=, seed = setup.seed](measure::Turn turn) {
                record::Verification all{0, 0, Checked::whole};
                for (const Way& way : *ways) {
                  const record::Verification found = way.verify(problem, turn, seed);
                  all.error += found.error;
                  all.tolerance += found.tolerance;
                  all.checked = std::min(all.checked, found.checked);
                }
                return all;
              },
          .metrics = {}};
}

}  // namespace ridgeline::suites
