#pragma once

#include <cstdint>

#include "harness/record/measurement.hpp"
#include "harness/store/connection.hpp"

namespace ridgeline::store {

/// Stores the sites and sources of `measurement`, which is stored as `id`. A text that the file has already is referred
/// to. Throws a store Error when there are more than a measurement may carry.
void add_sites(Connection& connection, std::int64_t id, const record::Measurement& measurement);

}  // namespace ridgeline::store
