#pragma once

#include <cstdint>
#include <string>

namespace ridgeline::run {

/// Now, or so many seconds ago, in UTC: "2026-01-02T03:04:05Z".
std::string timestamp(std::int64_t seconds_ago = 0);

/// Id of a run or gate that starts now, unique everywhere: "20260102T030405Z-5f3a9c". Ids sort by
/// second, and those of one process by the order in which they were made: of several gates that one
/// command begins the last one is the latest. For one thread.
std::string new_run_id();

/// What --seed says; 53 random bits for an empty text. Throws a usage Error.
std::uint64_t parse_seed(const std::string& text);

}  // namespace ridgeline::run
