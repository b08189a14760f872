#pragma once

#include <optional>
#include <string>

#include "harness/record/fields.hpp"

/// What was told of the nights of a device, and what people said of it since.
namespace ridgeline::record {

/// What a told change is of.
enum class ToldWhat { step, count, drift, stop };
inline std::span<const Name<ToldWhat>> names(ToldWhat) {
  static constexpr Name<ToldWhat> all[] = {{ToldWhat::step, "step"},
                                           {ToldWhat::count, "count"},
                                           {ToldWhat::drift, "drift"},
                                           {ToldWhat::stop, "stop"}};
  return all;
}

enum class ToldState {
  told,          // and nobody has said anything yet
  acknowledged,  // somebody has seen it
  expected,      // the new level is right
  resolved,      // it is over, or will be
};
inline std::span<const Name<ToldState>> names(ToldState) {
  static constexpr Name<ToldState> all[] = {{ToldState::told, "told"},
                                            {ToldState::acknowledged, "acknowledged"},
                                            {ToldState::expected, "expected"},
                                            {ToldState::resolved, "resolved"}};
  return all;
}

/// Who said it when no person did.
inline constexpr const char* said_by_program = "trend";

/// A change as it was when it was first told. Nights are days: "2026-01-31".
struct Told {
  std::string label;   // what people call it by: hexadecimal digits
  std::string event;   // the label of those that changed together; empty for one alone
  std::string device;  // whose nights, in its file: "device GPU-0000", "model cuda", "pool:x cuda"
  std::string profile;
  std::string case_name;
  ToldWhat what = ToldWhat::step;
  std::string kind;                     // "regression", "drift", ...
  std::string metric;                   // of a count
  std::string earliest, night, latest;  // where it may be; of a stop its last night
  std::optional<double> ratio;          // after over before
  bool failed = false;     // it was told as worse: a night failed, or had for the event it joined
  std::string told_night;  // the newest night when it was told; empty: nobody was
  std::string told_at;     // UTC, ISO 8601 to the second, as all points in time
  ToldState state = ToldState::told;
  std::string state_at;
  std::string why;      // of the state; empty only of `told`
  std::string said_by;  // may be empty
  bool operator==(const Told&) const = default;
};

/// A job that has told before: what it asks for, and as of which night it told first. (Programs
/// before this one kept the last time; what they had told by then is known all the same.)
struct Telling {
  std::string device, profile;
  std::string job;  // cases and step, as typed; empty: all cases, the usual step
  std::string night;
  std::string told_at;
  bool operator==(const Telling&) const = default;
};

inline constexpr Rule a_day{.longest = 10};

void fields(auto& visit, Of<Told> auto& told) {
  visit("label", told.label, an_id);
  visit("event", told.event);
  visit("device", told.device);
  visit("profile", told.profile);
  visit("case_name", told.case_name);
  visit("what", told.what);
  visit("kind", told.kind);
  visit("metric", told.metric);
  visit("earliest", told.earliest, a_day);
  visit("night", told.night, a_day);
  visit("latest", told.latest, a_day);
  visit("ratio", told.ratio, positive);
  visit("failed", told.failed);
  visit("told_night", told.told_night, a_day);
  visit("told_at", told.told_at, when);
  visit("state", told.state);
  visit("state_at", told.state_at, when);
  visit("why", told.why);
  visit("said_by", told.said_by);
}

void fields(auto& visit, Of<Telling> auto& telling) {
  visit("device", telling.device);
  visit("profile", telling.profile);
  visit("job", telling.job);
  visit("night", telling.night, a_day);
  visit("told_at", telling.told_at, when);
}

}  // namespace ridgeline::record
