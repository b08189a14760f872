#pragma once

#include <istream>
#include <string>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// The JSON document of nccl-tests' option -J; see read_nccl_tests.
Contents read_nccl_json(std::istream& stream, const std::string& file);

}  // namespace ridgeline::imported
