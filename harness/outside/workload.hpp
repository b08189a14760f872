#pragma once

#include "harness/outside/suite.hpp"
#include "harness/worker/case.hpp"

namespace ridgeline::outside {

/// What a case of somebody else's kernel is measured by, which is distrusted.
measure::Workload prepare(const Case& one, measure::Setup& setup);

/// The suite called `name` as a worker lists it, with cases of the kinds of device that the program
/// is for: `emulated` those of GPUs alone, as cases of emulated ones.
worker::Suite to_worker(const Suite& suite, const std::string& name, bool emulated);

}  // namespace ridgeline::outside
