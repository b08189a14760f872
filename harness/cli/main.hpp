#pragma once

#include "harness/base/build_stamp.hpp"

namespace ridgeline::cli {

/// The `ridgeline` program: parses the command line, does the command, prints errors, and returns
/// the exit code. `built` is for --version.
int main(int argc, char** argv, const BuildStamp& built = {});

}  // namespace ridgeline::cli
