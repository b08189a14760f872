#include "harness/gate/paired_case.hpp"

namespace ridgeline::gate {
namespace {

/// While it lives, one of the two workers runs and the other is stopped. Both run afterwards.
class Turns {
 public:
  explicit Turns(const Sides<PairedSide>& sides) : sides_(sides) {}
  Turns(const Turns&) = delete;
  ~Turns() {
    for (const Side side : both_sides) sides_[side].worker->resume();
  }
  void give(Side side) {
    sides_[other(side)].worker->suspend();
    sides_[side].worker->resume();
  }

 private:
  const Sides<PairedSide>& sides_;
};

}  // namespace

Sides<run::CaseResult> measure_pair(const Sides<PairedSide>& sides, Side first,
                                    const std::string& device, std::uint64_t seed,
                                    const run::CaseLimits& limits) {
  const auto execution = [&](Side side) {
    return run::CaseExecution(*sides[side].worker, *sides[side].selected, device, seed,
                              sides[side].layout, limits);
  };
  run::CaseExecution baseline = execution(Side::baseline), candidate = execution(Side::candidate);
  Turns turns(sides);
  const auto in_turn = [&](auto step) {
    for (const Side side : {first, other(first)}) {
      turns.give(side);
      step(side == Side::baseline ? baseline : candidate);
    }
  };
  in_turn([](run::CaseExecution& each) { each.prepare(); });
  in_turn([](run::CaseExecution& each) { each.sample(); });
  in_turn([](run::CaseExecution& each) { each.finish(); });
  return {baseline.result(), candidate.result()};
}

}  // namespace ridgeline::gate
