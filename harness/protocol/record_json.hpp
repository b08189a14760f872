#pragma once

#include <string>

#include "harness/protocol/reader.hpp"
#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

/// The records that answers carry, as JSON. Writing leaves out what is absent; reading checks everything.
namespace ridgeline::protocol {

json::Value to_json(const record::Case& value);
json::Value to_json(const record::Device& value);
json::Value to_json(const record::Build& value);
json::Value to_json(const record::Measurement& value);

record::Case read_case(Reader reader);
record::Device read_device(Reader reader);
record::Build read_build(Reader reader);
record::Measurement read_measurement(Reader reader);

record::Outcome read_outcome(Reader& reader);
std::vector<double> read_samples(Reader& reader);

/// `text` cut and escaped so that a reader accepts it.
std::string fitting(const std::string& text);

}  // namespace ridgeline::protocol
