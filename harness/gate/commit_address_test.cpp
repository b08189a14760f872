#include "harness/gate/commit_address.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/gate/git.hpp"
#include "harness/store/temporary_folder.hpp"

namespace ridgeline::gate {
namespace commit_address_test {

TEST(CommitAddress, IsReadOffTheAddressesThatGitKnowsAForgeBy) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://forge.example/owner/name", "https://forge.example/owner/name/commit/"},
      {"https://forge.example/owner/name.git", "https://forge.example/owner/name/commit/"},
      {"https://forge.example/owner/name/", "https://forge.example/owner/name/commit/"},
      {"https://Forge.Example/Owner/Na.me-1_", "https://forge.example/Owner/Na.me-1_/commit/"},
      {"https://somebody:secret@forge.example:8443/owner/name.git",
       "https://forge.example/owner/name/commit/"},
      {"ssh://git@forge.example:2222/owner/name.git", "https://forge.example/owner/name/commit/"},
      {"git@forge.example:owner/name.git", "https://forge.example/owner/name/commit/"},
      {"forge.example:~owner/name", "https://forge.example/~owner/name/commit/"},
      {"git@gitlab.forge.example:group/part/name.git",
       "https://gitlab.forge.example/group/part/name/-/commit/"},
      {"git@bitbucket.example:owner/name.git", "https://bitbucket.example/owner/name/commits/"},
  };
  for (const auto& [remote, address] : cases) EXPECT_EQ(commit_address(remote), address) << remote;
}

TEST(CommitAddress, IsNoneOfWhatIsNoForge) {
  for (const std::string remote : {"",
                                   "/srv/git/name.git",
                                   "../name",
                                   "file:///srv/git/owner/name",
                                   "http://forge.example/owner/name",
                                   "git://forge.example/owner/name",
                                   "javascript:alert(1)/owner/name",
                                   "https://localhost/owner/name",
                                   "https://127.0.0.1/owner/name",
                                   "https://forge.example",
                                   "https://forge.example/name",
                                   "https://forge.example//owner/name",
                                   "https://forge.example/owner/../name",
                                   "https://forge.example/owner/name?x=1",
                                   "https://forge.example/owner/name#x",
                                   "https://forge.example/owner/na me",
                                   "https://forge.example/owner/<b>",
                                   "https://forge.example/owner/\"name",
                                   "https://forge.example/owner/n\xC3\xA4me",
                                   "https://forge.example:80x/owner/name",
                                   "https://-forge.example/owner/name",
                                   "https://forge..example/owner/name",
                                   "https://forge.example/owner/name\nhttps://x.example",
                                   "git@forge.example:/owner/name",
                                   "C:\\owner\\name",
                                   "git@[::1]:owner/name"})
    EXPECT_EQ(commit_address(remote), "") << remote;
  EXPECT_EQ(commit_address("https://forge.example/owner/" + std::string(200, 'x')), "");
}

TEST(CommitAddress, IsThatOfTheRepositoryWhoseCommitsAreKnown) {
  const store::TemporaryFolder folder;
  const auto in_folder = [&](const std::vector<std::string>& arguments) {
    const process::ToolResult result = git(folder.path(), arguments);
    EXPECT_TRUE(result.fine) << result.words;
    return result.output;
  };
  std::filesystem::create_directories(folder.path());
  const std::string stranger(40, 'a');
  EXPECT_EQ(commit_address_of(folder.path()), "");
  EXPECT_TRUE(commits_known(folder.path(), {stranger}).empty());
  in_folder({"init", "--quiet"});
  in_folder({"-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "commit", "--quiet",
             "--allow-empty", "--message=first"});
  EXPECT_EQ(commit_address_of(folder.path()), "");
  in_folder({"remote", "add", "origin", "git@forge.example:owner/name.git"});
  EXPECT_EQ(commit_address_of(folder.path()), "https://forge.example/owner/name/commit/");
  const std::string own = in_folder({"rev-parse", "HEAD"});
  EXPECT_EQ(commits_known(folder.path(), {own, stranger, "HEAD", "unknown", "--all"}),
            std::set<std::string>{own});
}

}  // namespace commit_address_test
}  // namespace ridgeline::gate
