#pragma once

#include "harness/base/json.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// Of what --json prints; raised when a key goes away or changes its meaning, not when one is
/// added.
inline constexpr int json_version = 2;

/// A document, or one line of it, in which nothing steers a terminal or a CI system.
std::string printed_json(const json::Value& value, int indent = -1);

/// Prints `object` for programs, behind "ridgeline_json": json_version.
void print_json(const json::Value& object);

/// Of runs and gates; what is unknown is left out.
json::Value to_json(const store::FoundRun& found);
json::Value to_json(const store::FoundGate& found);

/// Adds to a measurement's `object` that its samples were dropped: how many, and when. Nothing
/// where they are there.
void add_pruned(json::Value& object, const record::Measurement& measurement);

}  // namespace ridgeline::present
