#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/gate/gate.hpp"

/// A budget that is spread over too many cases decides none of them. So a gate takes on as many as
/// its budget decides, and others while time is left.
namespace ridgeline::gate {

/// Pairs below which a gate finds no slow-down of any size in one of its cases.
int least_rounds(const GateSetup& setup);
/// Pairs below which a case has no verdict at all: a pass needs fewer.
int rounds_to_say_anything(const GateSetup& setup);
/// What a case that is taken on shall have: a few more than the least, and the screening for tails.
int rounds_to_decide(const GateSetup& setup);

/// A case that is taken on: how many rounds it has had, what the next will take, and how many it
/// needs in any case.
struct Demand {
  double pair_s = 0;
  int rounds = 0, least = 0;
};

/// Time that these need until each has had `rounds`, or more where it needs more; at least once
/// more each.
double needed_s(std::span<const Demand> demands, int rounds);

/// The order in which cases are taken on, as places in `cases`: one of each variant, then a second
/// of each, so that whatever changed is seen; those of the same workers after each other. In the
/// same order, those whose counts differ come before all others, and those that execute the same
/// code on both sides come last.
std::vector<std::size_t> by_importance(const std::vector<GateCase>& cases);

}  // namespace ridgeline::gate
