#pragma once

#include <istream>
#include <string>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// What a program of nccl-tests prints, also through a launcher that puts the rank before each line
/// and with the log of NCCL and UCX in it, or the JSON document of its option -J (versions 1 to 4).
/// `file` is how Errors call it; where nothing in the text names the collective, it does.
///
/// `stream` can be read again from its beginning. Each program in the file is an execution. A row
/// is one time of two cases, out of place and in place: the mean of so many calls in a row. The
/// environment, which -J dumps, is not read: it may hold secrets.
Contents read_nccl_tests(std::istream& stream, const std::string& file);

}  // namespace ridgeline::imported
