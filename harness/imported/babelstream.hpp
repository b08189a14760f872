#pragma once

#include <istream>
#include <string>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// What BabelStream prints with --csv, with whatever stands before and between its tables. Several
/// tables are several executions. `file` is how Errors call it.
///
/// The one sample of a kernel is its mean; the best and the worst time are metrics.
Contents read_babelstream(std::istream& stream, const std::string& file);

}  // namespace ridgeline::imported
