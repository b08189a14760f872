#pragma once

#include <string>
#include <vector>

#include "harness/store/selector.hpp"

namespace ridgeline::store {

/// The other runs among `all` that `ridgeline run --device all` made with `run`: of the same seed,
/// profile, label and cases, on other GPUs of its host, within a day. Those have other ids than its
/// GPU: machines that share a name and a script do not. Of each GPU the one that
/// began nearest in time, where of its GPU none began nearer to that than `run`; in the order of
/// `all`, which holds `run`. Empty for a run that a gate measured. Others that cannot be read are
/// left out; throws a store Error when `run` cannot be.
std::vector<FoundRun> siblings(const FoundRun& run, const std::vector<FoundRun>& all,
                               const LeftOut& left_out);

/// The host that it was measured on; empty where that is not stored.
std::string host_of(const FoundRun& run);

}  // namespace ridgeline::store
