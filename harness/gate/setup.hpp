#pragma once

#include <string>
#include <vector>

#include "harness/gate/gate.hpp"
#include "harness/gate/programs.hpp"

namespace ridgeline::gate {

/// A gate as it will be measured: a new one, or the one that is resumed. Its runs and its command
/// line are not set yet.
GateSetup setup_of(const Wanted& wanted, const Programs& programs, const record::Device& device,
                   const run::Profile& profile, const GateCases& cases);

/// The two runs that the gate will measure.
void set_runs(GateSetup& setup, const run::Profile& profile, const std::string& label);

/// Adds what an interrupted gate has stored. Its decided cases stay decided.
void add_measured(GateSetup& setup, const store::Store& store);

/// What a round of a case takes by its earlier rounds, on both sides together.
struct RoundCosts {
  double around_s = 0;  // wall time around sampling and warming up
  double sample_s = 0;  // of one sample of each side
};

/// How long one side of one round samples: long enough against what is around it, and, up to some
/// times `shortest_s`, for some samples; but no longer than `share_s` of wall time leaves to
/// sampling on both sides, and no shorter than `shortest_s`. A case that is dear to prepare samples
/// for a part of that time in any case.
double block_s(double shortest_s, double share_s, const RoundCosts& costs);

/// Lines that people must see of the sides.
std::vector<std::string> notes_of(const GateSetup& setup, const Programs& programs,
                                  const GateCases& cases);

}  // namespace ridgeline::gate
