#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace ridgeline::run {

/// A commit of the repository that the user stands in.
struct Commit {
  std::filesystem::path repository;  // its top folder
  std::string hash;                  // whole
  std::string subject;               // first line of its message
};

/// The commit that `ref` means in the repository of the current folder. Throws a usage Error when there is no
/// repository or no such commit.
Commit find_commit(const std::string& ref);

/// Builds the workers of a commit in a work tree of its own, below the repository's build/commits/<hash>, and returns
/// the folder of its programs. One that was built before is used as it is. `say` gets a line for people when something
/// long begins, and where the log is. Throws a dependency Error that ends with the log's last lines when it cannot be
/// built, and Interrupted.
std::filesystem::path build_commit(const Commit& commit, const std::function<void(const std::string&)>& say);

}  // namespace ridgeline::run
