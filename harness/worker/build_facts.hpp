#pragma once

#include <string>
#include <string_view>

#include "harness/record/run.hpp"

namespace ridgeline::worker {

/// How this program was built. Takes milliseconds, because the running program is hashed.
record::Build build_facts(std::string_view worker);

}  // namespace ridgeline::worker
