#pragma once

#include <string_view>
#include <vector>

#include "harness/record/run.hpp"
#include "harness/store/store.hpp"

/// Names that stand for runs, in the file that holds the run.
namespace ridgeline::store {

/// Its name stands for its run from now on. Throws a store Error for a name that is not plain, or a
/// run that is not here.
void set_baseline(Connection& connection, const record::Baseline& baseline);
/// False when there was none of that name.
bool remove_baseline(Connection& connection, std::string_view name);
/// By name.
std::vector<record::Baseline> baselines(Connection& connection);

}  // namespace ridgeline::store
