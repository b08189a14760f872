#include "harness/process/child.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/process/descendants.hpp"

namespace ridgeline::process {
namespace child_test {

Command shell(const std::string& script) { return {"/bin/sh", {"-c", script}, {}, false}; }

void wait_for_end(const Child& child) {
  pollfd end{child.end(), POLLIN, 0};
  ASSERT_EQ(poll(&end, 1, 10'000), 1) << "the program did not end";
}

std::string read_all(int descriptor) {
  std::string text;
  char bytes[4096];
  for (;;) {
    pollfd ready{descriptor, POLLIN, 0};
    if (poll(&ready, 1, 10'000) != 1) return text + " [nothing more came]";
    const ssize_t got = read(descriptor, bytes, sizeof bytes);
    if (got <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(got));
  }
}

TEST(Child, TellsHowItsProgramEnded) {
  const struct {
    const char* script;
    std::optional<int> exit_code;
    const char* ending;
  } rows[] = {{"exit 0", 0, "exited with code 0"},
              {"exit 3", 3, "exited with code 3"},
              {"kill -SEGV $$", std::nullopt, "was killed by signal 11 (Segmentation fault)"}};
  for (const auto& row : rows) {
    Child child(shell(row.script));
    EXPECT_FALSE(child.succeeded()) << "before its end";
    wait_for_end(child);
    child.kill();
    EXPECT_EQ(child.exit_code(), row.exit_code);
    EXPECT_EQ(child.succeeded(), row.exit_code == 0);
    EXPECT_EQ(child.ending(), row.ending);
  }
}

TEST(Child, PassesTextThroughAndKeepsTheEndOfStderr) {
  Child child(
      shell("read line; echo got $line; i=0; while [ $i -lt 3000 ]; do echo filler filler filler "
            "filler filler >&2; "
            "i=$((i+1)); done; echo last words >&2; echo >&2"));
  ASSERT_EQ(write(child.input(), "this\n", 5), 5);
  pollfd output{child.output(), POLLIN, 0};
  ASSERT_EQ(poll(&output, 1, 10'000), 1);
  char bytes[20];
  const ssize_t got = read(child.output(), bytes, sizeof bytes);
  EXPECT_EQ(std::string(bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))), "got this\n");
  pollfd end{child.end(), POLLIN, 0};
  while (poll(&end, 1, 5) == 0) child.drain_errors();
  EXPECT_EQ(child.last_words(), "last words");
}

TEST(Child, SiftsWholeLinesOfStderr) {
  // Each part comes alone: a line may end in a later one, or never.
  const std::string script =
      "for part in 'take th' 'is\\nkeep this\\ntake' ' that\\n\\ntake no end'; do "
      "read go; printf \"$part\" >&2; done; read go";
  std::vector<std::string> shown;
  std::ostringstream log;
  Child child(shell(script));
  child.sift_errors([&](std::string_view line) {
    shown.emplace_back(line);
    return line.starts_with("take");
  });
  for (int part = 0; part < 3; ++part) {
    ASSERT_EQ(write(child.input(), "\n", 1), 1);
    pollfd errors{child.errors(), POLLIN, 0};
    ASSERT_EQ(poll(&errors, 1, 10'000), 1);
    child.drain_errors(&log);
    if (part == 1) {
      EXPECT_EQ(child.last_words(), "take") << "a line that has not ended is kept";
      EXPECT_EQ(shown.size(), 2);
    }
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"take this", "keep this", "take that", ""}));
  EXPECT_EQ(child.last_words(), "take no end");
  EXPECT_EQ(log.str(), "take this\nkeep this\ntake that\n\ntake no end") << "the log has all";
}

TEST(Child, WhatIsSiftedOutIsNotAmongItsWords) {
  Child child(
      shell("echo keep >&2; i=0; while [ $i -lt 3000 ]; do echo take filler filler filler "
            "filler >&2; i=$((i+1)); done"));
  int taken = 0;
  child.sift_errors([&](std::string_view line) {
    const bool takes = line.starts_with("take");
    taken += takes ? 1 : 0;
    return takes;
  });
  for (pollfd errors{child.errors(), POLLIN, 0};;) {
    ASSERT_EQ(poll(&errors, 1, 10'000), 1);
    if (!child.drain_errors()) break;
  }
  EXPECT_EQ(taken, 3000);
  EXPECT_EQ(child.last_words(), "keep") << "though much more came behind it than is kept";
}

TEST(Child, AProgramThatNeverStopsPrintingIsReadInTurns) {
  Child child(shell("exec cat /dev/zero >&2"));
  for (int turn = 0; turn < 100; ++turn) EXPECT_TRUE(child.drain_errors());
  child.kill();
}

TEST(Child, AProgramThatNeverStopsForkingIsEnded) {
  Child child(shell("again() { again & }; again; sleep 1000"));
  usleep(100'000);
  child.kill();
  EXPECT_TRUE(descendants(getpid()).empty());
}

TEST(Child, MayEndItselfWhenItsCommandSaysSo) {
  Command command = shell("trap 'exit 3' TERM; echo ready; while :; do sleep 0.01; done");
  const auto says_something = [](const Child& child) {
    pollfd ready{child.output(), POLLIN, 0};
    return poll(&ready, 1, 10'000) == 1;
  };
  for (const int polite_ms : {0, 5000}) {
    command.polite_ms = polite_ms;
    Child child(command);
    ASSERT_TRUE(says_something(child));
    if (polite_ms > 0) child.suspend();  // it is resumed for that
    child.kill();
    EXPECT_EQ(child.ending(),
              polite_ms > 0 ? "exited with code 3" : "was killed by signal 9 (Killed)");
  }
  command = shell("trap '' TERM; echo ready; sleep 600");
  command.polite_ms = 50;
  Child stubborn(command);
  ASSERT_TRUE(says_something(stubborn));
  stubborn.kill();
  EXPECT_EQ(stubborn.ending(), "was killed by signal 9 (Killed)");
}

TEST(Child, TakesItsFoldersAlong) {
  std::string folder = (std::filesystem::temp_directory_path() / "child-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Command command = shell("mkdir $FOLDER/in && touch $FOLDER/in/file && kill -KILL $$");
  command.environment = {{"FOLDER", folder}};
  command.scratch = {folder};
  Child child(command);
  wait_for_end(child);
  child.kill();
  EXPECT_EQ(child.ending(), "was killed by signal 9 (Killed)");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Child, AGuardThatIsStoppedTakesItsFoldersAlongAllTheSame) {
  std::string folder = (std::filesystem::temp_directory_path() / "child-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Command command = shell("kill -STOP $PPID; echo stopped; sleep 600");
  command.scratch = {folder};
  Child child(command);
  pollfd output{child.output(), POLLIN, 0};
  ASSERT_EQ(poll(&output, 1, 10'000), 1);
  child.kill();
  EXPECT_EQ(child.ending(), "was killed by signal 9 (Killed)");
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_TRUE(descendants(getpid()).empty());
}

TEST(Child, AProgramThatCannotBeExecutedIsADependencyError) {
  for (const char* program : {"/nonexistent/program", "/etc/passwd"}) {
    try {
      Child child({program, {}, {}, false});
      ADD_FAILURE() << program;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::dependency);
      EXPECT_NE(std::string(error.what()).find(program), std::string::npos);
    }
  }
}

TEST(Child, SetsTheEnvironmentAndLeavesOutWhatWouldChangeTimes) {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  setenv("RIDGELINE_EXPECTED", "/elsewhere", 1);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  setenv("OMP_NUM_THREADS", "3", 1);
  Command command =
      shell("echo $LC_ALL:$OMP_NUM_THREADS:$CUDA_LAUNCH_BLOCKING:$RIDGELINE_EXPECTED:$GIVEN");
  command.environment = {{"GIVEN", "yes"}};
  Child child(command);
  EXPECT_EQ(read_all(child.output()), "C:3:::yes\n");
  for (const char* name :
       {"CUDA_LAUNCH_BLOCKING", "RIDGELINE_EXPECTED", "LC_ALL", "OMP_NUM_THREADS"})
    unsetenv(name);
}

TEST(Child, InheritsNoDescriptorOfOurs) {
  ASSERT_EQ(dup2(STDERR_FILENO, 50), 50);  // as anything opened without O_CLOEXEC
  Child child(shell("[ -e /proc/$$/fd/50 ] && echo inherited || echo none"));
  EXPECT_EQ(read_all(child.output()), "none\n");
  close(50);
}

/// Everything below a child, by a script that starts more of them, each deaf to SIGTERM.
TEST(Child, KillEndsEverythingBelow) {
  Child child(
      shell("trap '' TERM; (trap '' TERM; setsid sleep 1000 & sleep 1000) & sleep 1000 & echo "
            "ready; wait"));
  char ready[6];
  pollfd output{child.output(), POLLIN, 0};
  ASSERT_EQ(poll(&output, 1, 10'000), 1);
  ASSERT_GT(read(child.output(), ready, sizeof ready), 0);
  std::vector<pid_t> before = descendants(getpid());
  for (int tries = 0; tries < 200 && before.size() < 5; ++tries) {  // guard, shell, three sleeps
    usleep(10'000);
    before = descendants(getpid());
  }
  ASSERT_GE(before.size(), 5u);
  child.kill();
  EXPECT_TRUE(descendants(getpid()).empty());
  for (const pid_t pid : before) EXPECT_EQ(kill(pid, 0), -1) << pid;
}

TEST(Child, WhatAProgramLeavesBehindEndsWithIt) {
  Child child(shell("setsid sleep 1000 & exit 0"));
  wait_for_end(child);
  child.kill();
  EXPECT_EQ(child.ending(), "exited with code 0");
  EXPECT_TRUE(descendants(getpid()).empty());
}

TEST(Child, AGuardThatIsKilledTakesItsProgramAlong) {
  adopt_orphans();
  Child child(shell("sleep 1000 & sleep 1000"));
  std::vector<pid_t> all = descendants(getpid());
  for (int tries = 0; tries < 200 && all.size() < 4; ++tries) {
    usleep(10'000);
    all = descendants(getpid());
  }
  ASSERT_EQ(all.size(), 4u);
  kill(all.front(), SIGKILL);  // the guard comes first: it is our child
  child.kill();
  end_descendants();
  EXPECT_TRUE(descendants(getpid()).empty());
}

}  // namespace child_test
}  // namespace ridgeline::process
