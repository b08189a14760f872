#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "harness/imported/contents.hpp"

namespace ridgeline::outside {

/// Where a program writes results to: a folder that is removed with all that is in it.
class ResultsFolder {
 public:
  ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ~ResultsFolder();
  std::filesystem::path file() const { return path_ / "results.json"; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What the program prints. Throws a dependency Error when it does not end well.
std::string run_for_output(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments);

/// Runs the program, which writes `file`, and reads it. Throws a dependency Error that says which
/// of these fails.
imported::Contents run_for_results(
    const std::filesystem::path& program, const std::vector<std::string>& arguments,
    const std::filesystem::path& file,
    const std::function<imported::Contents(std::istream&, const std::string& name)>& read);

}  // namespace ridgeline::outside
