#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/device_kind.hpp"
#include "harness/run/workers.hpp"

/// Python files of cases (docs/own-kernels.md) where commands take patterns: a file stands for the
/// cases that it has.
namespace ridgeline::cli {

/// PATTERNs as they were given: words that end in `.py` are files. Throws a usage Error when there
/// is no such file.
struct Words {
  explicit Words(const std::vector<std::string>& given);
  std::vector<std::string> files, patterns;
};

/// `named` workers, and those of the files.
std::vector<std::string> with_files(const std::vector<std::string>& named, const Words& words);

/// Of `workers`, those that serve the files.
std::vector<run::Worker> of_files(const std::vector<run::Worker>& workers, const Words& words);

/// The patterns, and the full names of the files' cases for a kind of device, or for all when it is
/// empty. Throws a usage Error when a file has none for it.
std::vector<std::string> cases_of(const std::vector<run::Worker>& workers, const Words& words,
                                  std::string_view kind);

/// The patterns, and `suite/variant` of all that the files have: for what is stored. Starts the
/// files' workers.
std::vector<std::string> stored_patterns(const std::vector<std::string>& given);

/// A command line as it is recorded: every file is a worker, and what it has are patterns, so that
/// a run can be repeated by its record.
std::vector<std::string> recorded(const std::vector<std::string>& arguments,
                                  const std::vector<run::Worker>& workers, const Words& words);

}  // namespace ridgeline::cli
