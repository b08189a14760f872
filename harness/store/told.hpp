#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/told.hpp"
#include "harness/store/store.hpp"

/// What was told of nights. A label names a told change within its file.
namespace ridgeline::store {

/// By night, the oldest first.
std::vector<record::Told> told(Connection& connection);
/// Jobs that told before, each with the first night that it told.
std::vector<record::Telling> tellings(Connection& connection);

/// What one telling changes.
struct Retold {
  std::vector<record::Told> added;  // one whose label is there already changes nothing
  /// What is there anew of the label, and the state_at that it had when it was read: whoever spoke
  /// since then is heard, not this.
  std::vector<std::pair<record::Told, std::string>> changed;
};

/// All of it or nothing, in one transaction. `telling` is kept unless its job has told before.
void tell(Connection& connection, const record::Telling& telling, const Retold& told);

/// Says something of told changes, those that are not there among them, whose rows are added.
/// All of them or none.
void say(Connection& connection, std::span<const record::Told> told);

}  // namespace ridgeline::store
