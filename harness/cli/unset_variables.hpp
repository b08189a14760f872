#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "harness/base/json.hpp"
#include "harness/process/check_build.hpp"

namespace ridgeline::cli {

/// A check in which nothing was wrong, as it ran: from these sources, with these arguments of the
/// program, and what it reported.
struct FineCheck {
  const process::Kit& kit;
  const process::CheckSources& sources;
  const std::filesystem::path& program;
  const std::vector<std::string>& arguments;
  const json::Value& report;
  off_t input_at;  // where its standard input began; -1: that cannot be read again
};

/// The finding that results depend on what was in kernels' variables before they were written;
/// null: they do not. Where there may be such variables, the program is built and run once more
/// with zeros in them, and must give the host the same. One that gives something else each time is
/// not judged. `folder` gets files. Throws the Error of what could not be built or run again.
json::Value unset_finding(const FineCheck& check, const std::filesystem::path& folder);

}  // namespace ridgeline::cli
