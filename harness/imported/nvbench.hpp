#pragma once

#include <filesystem>
#include <istream>
#include <string>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// A document of NVBench's --json or --jsonbin, of schema 1. `file` is how Errors call it. The
/// samples of --jsonbin are read from the folder of the same name beside it, in `folder`; without
/// them the one sample of a state is its mean.
Contents read_nvbench(std::istream& stream, const std::string& file,
                      const std::filesystem::path& folder = {});

}  // namespace ridgeline::imported
