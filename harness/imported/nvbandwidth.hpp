#pragma once

#include <istream>
#include <string>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// The document of nvbandwidth's --json. Each cell of a matrix is a case; what is "N/A" is none.
/// `file` is how Errors call it.
///
/// nvbandwidth says rates and no times: the time is that of its buffer at the rate.
Contents read_nvbandwidth(std::istream& stream, const std::string& file);

}  // namespace ridgeline::imported
