#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/trend.hpp"

/// Fleet events, and what was told of them.
namespace ridgeline::analysis {

/// Rows by the label of the fleet event that they were told with, or that was given theirs.
using ToldEvents = std::map<std::string, std::vector<const record::Told*>>;
ToldEvents events_of(std::span<const record::Told> told);

/// Lets what joins a fleet event that was told be told with it, unless it is much larger than the
/// event is on the whole, or of other nights than most of it. What was told of fewer cases, or one
/// by one, was no event; nor does a regression join what nothing worse was told of.
void join(FleetEvent& event, const ToldEvents& told, const NightlyDevice& device,
          double least_step);

/// What stands of an event follows from its members. It keeps the label of the event that was told;
/// the label of a change that was told alone is known for that one.
void stand_together(FleetEvent& event);

}  // namespace ridgeline::analysis
