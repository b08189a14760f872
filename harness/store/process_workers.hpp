#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "harness/store/connection.hpp"

namespace ridgeline::store {

/// Of each process of the run, by its id in the file, the worker that it executed:
/// "ridgeline-suites".
std::map<std::int64_t, std::string> process_workers(Connection& connection,
                                                    std::string_view run_id);

}  // namespace ridgeline::store
