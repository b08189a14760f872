#pragma once

#include <string>
#include <vector>

#include "harness/record/measurement.hpp"
#include "harness/run/fitness.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/selection.hpp"

/// How much this machine's times differ where nothing differs: one program against itself (A/A).
namespace ridgeline::run {

/// One case, measured by fresh processes of one program in turn, A B B A.
struct NoiseCase {
  std::string name;
  std::vector<record::Measurement> measured;  // in the order taken
};

/// A case of arithmetic and one of memory, as far as there are such, else the first of all.
std::vector<const Selected*> cases_for_noise(const std::vector<Selected>& cases);

/// Measures them until `seconds` are over, in at least six processes and at most twenty. Throws
/// Interrupted, and a dependency Error while the device is in use by another run.
std::vector<NoiseCase> measure_noise(const std::vector<const Selected*>& cases,
                                     const record::Device& device, const Sampling& sampling,
                                     double seconds);

/// Whether the two halves are alike, and how far apart the processes are, by the limit above which
/// the profile calls a case unstable.
Findings judge_noise(const std::vector<NoiseCase>& cases, const Sampling& sampling);

}  // namespace ridgeline::run
