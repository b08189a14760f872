#pragma once

#include <map>
#include <string>

namespace ridgeline::record {

/// Named facts, in alphabetical order so that a hash of them is stable.
using Facts = std::map<std::string, std::string>;

}  // namespace ridgeline::record
