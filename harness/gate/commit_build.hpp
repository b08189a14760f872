#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ridgeline::gate {

/// A commit of the repository that the user stands in.
struct Commit {
  std::filesystem::path repository;  // its top folder
  std::string hash;                  // whole
  std::string subject;               // first line of its message
};

/// The commit that `ref` means in the repository of the current folder: what `git rev-parse` says,
/// else the branch of `origin`. Throws a usage Error when there is no repository or no such commit.
Commit find_commit(const std::string& ref);

/// Throws a dependency Error for a commit that has no presets for cmake, so that it cannot be
/// built.
void check_presets(const Commit& commit);

/// Whether build_commit has nothing to build.
bool is_built(const Commit& commit);

/// Builds the workers of a commit and returns their programs. The commit's own preset `release` is
/// built, in a work tree of its own below the repository's build/commits/<hash>, with the
/// compilers, the extra flags and the CUDA architectures that this program was built with. One that
/// was built so before is used as it is; one that was left half-finished is gone on with; one that
/// another process is building is waited for.
/// `say` gets lines for people: when something long begins and where its log is, that uncommitted
/// changes are no part of the commit, and the end of the log when the build fails, which is a
/// dependency Error. Throws Interrupted.
std::vector<std::string> build_commit(const Commit& commit,
                                      const std::function<void(const std::string&)>& say);

/// What the build of this program was told, as arguments for cmake ("-DRIDGELINE_CUDA=ON"):
/// compilers, extra flags, and whether and for what CUDA parts are built. Written at configure
/// time.
std::vector<std::string> build_choices();

}  // namespace ridgeline::gate
