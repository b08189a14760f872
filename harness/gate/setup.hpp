#pragma once

#include <string>
#include <vector>

#include "harness/gate/gate.hpp"
#include "harness/gate/programs.hpp"

namespace ridgeline::gate {

/// A gate as it will be measured: a new one, or the one that is resumed. Its runs and its command line are not set yet.
GateSetup setup_of(const Wanted& wanted, const Programs& programs, const record::Device& device,
                   const run::Profile& profile, const GateCases& cases);

/// The two runs that the gate will measure.
void set_runs(GateSetup& setup, const run::Profile& profile, const std::string& label);

/// Adds what an interrupted gate has stored. Its decided cases stay decided.
void add_measured(GateSetup& setup, const store::Store& store);

/// Lines that people must see of the sides.
std::vector<std::string> notes_of(const GateSetup& setup, const Programs& programs, const GateCases& cases);

}  // namespace ridgeline::gate
