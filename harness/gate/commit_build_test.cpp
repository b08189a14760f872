#include "harness/gate/commit_build.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/tool.hpp"
#include "harness/store/temporary_folder.hpp"

namespace ridgeline::gate {
namespace commit_build_test {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A repository whose build takes a moment: its build.sh makes the worker. The current folder while
/// it lives.
class CommitBuild : public ::testing::Test {
 protected:
  CommitBuild() {
    // What a hook of git leaves in the environment of its programs must not lead astray.
    setenv("GIT_DIR", "/nonexistent", 1);
    setenv("GIT_INDEX_FILE", "/nonexistent", 1);
    setenv("BUILDS", (folder / "builds").c_str(), 1);
    setenv("TEST", std::to_string(getpid()).c_str(), 1);
    unsetenv("HOLD");
    fs::create_directories(repository);
    fs::current_path(repository);
    git({"init", "--quiet", "--initial-branch=main"});
    write(repository / "CMakePresets.json", R"({
  "version": 6,
  "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]
})");
    write(repository / "CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.25)
project(synthetic LANGUAGES NONE)
add_custom_target(ridgeline-suites COMMAND sh ${PROJECT_SOURCE_DIR}/build.sh ${PROJECT_BINARY_DIR}/bin VERBATIM)
)");
    good = commit(
        "mkdir -p \"$1\"; echo once >> $BUILDS\n"
        "printf '#!/bin/sh\\necho worker\\n' > \"$1/ridgeline-suites\"; chmod +x "
        "\"$1/ridgeline-suites\"\n",
        "Build a worker");
  }
  ~CommitBuild() override {
    fs::current_path("/");
    for (const char* name : {"GIT_DIR", "GIT_INDEX_FILE", "BUILDS", "TEST", "HOLD"}) unsetenv(name);
  }

  void git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"-c", "user.name=synthetic", "-c", "user.email=synthetic@localhost"});
    const process::ToolResult result = process::run_tool({"git", arguments, {}});
    ASSERT_TRUE(result.fine) << result.words;
  }

  /// Commits everything with this build.sh, and returns the commit's hash.
  std::string commit(const std::string& script, const std::string& subject) {
    write(repository / "build.sh", "set -e\n" + script);
    git({"add", "--all"});
    git({"commit", "--quiet", "--message", subject});
    return find_commit("HEAD").hash;
  }

  fs::path build(const std::string& ref) {
    const auto programs =
        build_commit(find_commit(ref), [this](const std::string& line) { said += line + '\n'; });
    return fs::path(programs.front()).parent_path();
  }

  /// The message and the advice of the Error that building `ref` ends with.
  std::string failure(const std::string& ref, ErrorKind kind) {
    try {
      build(ref);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return std::string(error.what()) + "; " + error.advice();
    }
    ADD_FAILURE() << ref << " was built";
    return {};
  }

  std::ptrdiff_t builds() const { return std::ranges::count(read(folder / "builds"), '\n'); }

  store::TemporaryFolder folder;
  fs::path repository = folder / "a repository";
  std::string good, said;
};

TEST_F(CommitBuild, BuildsACommitOnceInAWorkTreeOfItsOwn) {
  const Commit found = find_commit("main");
  EXPECT_EQ(found.repository, fs::canonical(repository));
  EXPECT_EQ(found.subject, "Build a worker");
  const fs::path programs = build("HEAD");
  EXPECT_EQ(read(programs / "ridgeline-suites"), "#!/bin/sh\necho worker\n");
  EXPECT_TRUE(
      programs.string().starts_with((found.repository / "build" / "commits" / good).string()))
      << programs;
  EXPECT_NE(said.find("building commit " + good.substr(0, 10) + " (Build a worker)"),
            std::string::npos)
      << said;
  said.clear();
  EXPECT_EQ(build(good.substr(0, 12)), programs);
  EXPECT_EQ(said, "");
  EXPECT_EQ(builds(), 1);
  // The repository itself is as it was, and sees no new files.
  EXPECT_EQ(process::run_tool({"git", {"status", "--porcelain"}, {}}).output, "");
}

TEST_F(CommitBuild, WorksFromAFolderBelowAndFromAnotherWorkTree) {
  fs::create_directories("kernels");
  fs::current_path("kernels");
  EXPECT_EQ(find_commit("HEAD").repository, fs::canonical(repository));
  git({"worktree", "add", "--quiet", "--detach", (folder / "other").string()});
  fs::current_path(folder / "other");
  const fs::path programs = build("HEAD");
  EXPECT_TRUE(programs.string().starts_with(fs::canonical(folder / "other").string())) << programs;
}

TEST_F(CommitBuild, SaysThatUncommittedChangesAreLeftOut) {
  write(repository / "build.sh", "exit 1\n");
  build("HEAD");
  EXPECT_NE(said.find("the uncommitted changes to 1 file here are not part of it"),
            std::string::npos)
      << said;
  said.clear();
  commit("exit 1\n", "Another");
  write(repository / "build.sh", "exit 2\n");
  build("HEAD~1");  // nobody takes that for what lies here
  EXPECT_EQ(said, "");
}

TEST_F(CommitBuild, AnUnknownOrHostileRefIsAUsageError) {
  for (const char* ref :
       {"", "nothing", "--help", "--git-dir", "-", "a;touch pwned", "$(touch pwned)", "main..main",
        "main main", "main\nmain", "HEAD:build.sh", "HEAD^{tree}", "../..", "^main"}) {
    try {
      const Commit found = find_commit(ref);
      ADD_FAILURE() << ref << " is " << found.hash;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << ref << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find("there is no commit"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_FALSE(fs::exists("pwned"));
}

TEST_F(CommitBuild, ABranchThatOnlyTheRemoteHasIsFound) {
  git({"update-ref", "refs/remotes/origin/release/1", "HEAD"});
  commit("exit 1\n", "Another");
  EXPECT_EQ(find_commit("release/1").hash, good);
  git({"branch", "release/1"});  // goes before it
  EXPECT_EQ(find_commit("release/1").subject, "Another");
}

TEST_F(CommitBuild, RefsThatLookOddAreFoundAllTheSame) {
  git({"update-ref", "refs/heads/a;b$(c)", "HEAD"});
  git({"update-ref", "refs/heads/--help", "HEAD"});
  for (const char* ref : {"a;b$(c)", "--help", "HEAD^0", "main@{0}", "@"})
    EXPECT_EQ(find_commit(ref).hash, good) << ref;
}

TEST_F(CommitBuild, OutsideARepositoryIsAUsageError) {
  fs::create_directories(folder / "plain");
  fs::current_path(folder / "plain");
  try {
    find_commit("HEAD");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("in no work tree of a git repository"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(CommitBuild, AFailingBuildEndsWithTheEndOfItsLog) {
  commit(
      "i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done; echo the compiler is unhappy "
      ">&2; exit 3\n",
      "Break");
  const std::string text = failure("HEAD", ErrorKind::dependency);
  EXPECT_NE(text.find("(Break) cannot be built: cmake --build exited with code"), std::string::npos)
      << text;
  EXPECT_NE(said.find("  the compiler is unhappy\n"), std::string::npos) << said;
  EXPECT_EQ(said.find("  line 5\n"), std::string::npos) << said;
  const std::size_t log = text.find("the full log is ") + 16;
  EXPECT_NE(read(text.substr(log)).find("line 5\n"), std::string::npos) << text;
  // It is tried again, and other commits are not in its way.
  failure("HEAD", ErrorKind::dependency);
  build("HEAD~1");
}

TEST_F(CommitBuild, ACommitWithoutWhatABuildNeedsIsNamed) {
  commit("true\n", "Make nothing");
  EXPECT_NE(failure("HEAD", ErrorKind::dependency).find("left no program bin/ridgeline-suites"),
            std::string::npos);
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.25)\nproject(synthetic LANGUAGES NONE)\n");
  commit("true\n", "Know no worker");
  EXPECT_NE(failure("HEAD", ErrorKind::dependency).find("has no target ridgeline-suites"),
            std::string::npos);
  write("CMakePresets.json", R"({"version": 6})");
  commit("true\n", "Know no preset");
  EXPECT_NE(
      failure("HEAD", ErrorKind::dependency).find("cmake --preset release exited with code 1"),
      std::string::npos);
  fs::remove("CMakePresets.json");
  commit("true\n", "Know no presets");
  EXPECT_NE(failure("HEAD", ErrorKind::dependency).find("no CMakePresets.json"), std::string::npos);
}

/// A build.sh that has made its program when, while HOLD is set, it stops the test, and then waits
/// for ever.
constexpr const char* held =
    "mkdir -p \"$1\"; cp \"$0\" \"$1/ridgeline-suites\"; chmod +x \"$1/ridgeline-suites\"\n"
    "if [ -n \"$HOLD\" ]; then kill -INT $TEST; sleep 1000; fi\n"
    "echo once >> $BUILDS\n";

TEST_F(CommitBuild, AnInterruptLeavesNothingRunningAndIsGoneOnAfter) {
  commit(held, "Take for ever");
  setenv("HOLD", "yes", 1);
  {
    const process::Interrupt interrupt;
    EXPECT_THROW(build("HEAD"), process::Interrupted);
  }
  EXPECT_TRUE(process::descendants(getpid()).empty());
  EXPECT_EQ(builds(), 0);
  unsetenv("HOLD");
  build("HEAD");
  EXPECT_EQ(builds(), 1);
}

TEST_F(CommitBuild, AWorkTreeThatIsBrokenIsMadeAgain) {
  const fs::path source = repository / "build" / "commits" / good / "source";
  // As after a kill: registered and locked with git, a part of the files there, nothing built.
  git({"worktree", "add", "--quiet", "--detach", "--lock", source.string(), good});
  fs::remove(source / "build.sh");
  build("HEAD");
  EXPECT_EQ(builds(), 1);
  // A folder that is no work tree: git in it would speak of the repository around it.
  fs::remove_all(source.parent_path());
  fs::create_directories(source);
  write(source / "stray", "");
  build("HEAD");
  EXPECT_EQ(builds(), 2);
  EXPECT_FALSE(fs::exists(source / "stray"));
}

TEST_F(CommitBuild, TwoAtOnceBuildOnce) {
  // The first one's build goes on when the second has said that it waits.
  const fs::path go = folder / "go", started = folder / "started";
  commit("touch " + started.string() + "; while [ ! -e " + go.string() +
             " ]; do sleep 0.05; done\n" + held,
         "Wait");
  const pid_t first = fork();
  if (first == 0) {
    alarm(60);
    try {
      build("HEAD");
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  for (int i = 0; i < 1200 && !fs::exists(started); ++i) usleep(50'000);
  ASSERT_TRUE(fs::exists(started));
  std::string said;
  build_commit(find_commit("HEAD"), [&](const std::string& line) {
    said += line;
    write(go, "");
  });
  int status = -1;
  ASSERT_EQ(waitpid(first, &status, 0), first);
  EXPECT_EQ(status, 0);
  EXPECT_NE(said.find("waiting for another process that builds"), std::string::npos) << said;
  EXPECT_EQ(builds(), 1);
}

}  // namespace commit_build_test
}  // namespace ridgeline::gate
