#pragma once

#include <string>

namespace ridgeline::run {

/// Now in UTC: "2026-01-02T03:04:05Z".
std::string timestamp();

/// Id of a run that starts now, unique everywhere and sorted by time: "20260102T030405Z-5f3a9c".
std::string new_run_id();

/// 53 random bits, for a run that was given no seed.
unsigned long long random_seed();

}  // namespace ridgeline::run
