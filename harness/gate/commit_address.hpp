#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace ridgeline::gate {

/// Where the forge of a repository shows its commits: "https://forge/owner/name/commit/", to which
/// a commit's id is appended. `remote` is an https, an ssh or an scp-like address; user, password
/// and port are left out. Empty for any other: nothing that is not a plain host with a plain path
/// becomes a link.
std::string commit_address(std::string_view remote);

/// Of the remote "origin" of the repository in `folder`; empty where there is none.
std::string commit_address_of(const std::filesystem::path& folder);

/// Those of `commits` that the repository in `folder` has; none where there is no repository.
std::set<std::string> commits_known(const std::filesystem::path& folder,
                                    const std::set<std::string>& commits);

}  // namespace ridgeline::gate
