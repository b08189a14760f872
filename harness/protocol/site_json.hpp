#pragma once

#include <vector>

#include "harness/protocol/record_json.hpp"
#include "harness/record/measurement.hpp"

/// The sites and sources of a counted case, as JSON.
namespace ridgeline::protocol {

json::Value to_json(const std::vector<record::Site>& sites);
json::Value to_json(const std::vector<record::Source>& sources);

/// Fields "sites" and "sources" of a measurement.
std::vector<record::Site> read_sites(Reader& measurement);
std::vector<record::Source> read_sources(Reader& measurement);

}  // namespace ridgeline::protocol
