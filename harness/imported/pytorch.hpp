#pragma once

#include <istream>
#include <string>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// Records of PyTorch's benchmark database, version 3: one JSON object a line, or an array of them.
/// `stream` can be read again from its beginning; `file` is how Errors call it.
///
/// A record says one metric. Those of one benchmark, model and extra_info are one case: a metric
/// that is called latency, time or the like and names its unit has its samples, and all others are
/// metrics. A case without such a metric is not_measured.
Contents read_pytorch(std::istream& stream, const std::string& file);

}  // namespace ridgeline::imported
