#pragma once

#include <string>
#include <vector>

#include "harness/store/selector.hpp"

namespace ridgeline::store {

/// The other runs among `all` that `ridgeline run --device all` made with `run`: of the same
/// seed, profile and label, on other GPUs of its host, within a day. Of each GPU the one that began
/// nearest in time, in the order of `all`. Empty for a run that a gate measured.
std::vector<FoundRun> siblings(const FoundRun& run, const std::vector<FoundRun>& all);

/// The host that it was measured on; empty where that is not stored.
std::string host_of(const FoundRun& run);

}  // namespace ridgeline::store
