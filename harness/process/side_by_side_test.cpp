#include "harness/process/side_by_side.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/process/interrupt.hpp"

namespace ridgeline::process {
namespace side_by_side_test {

Command shell(const std::string& script) { return {"/bin/sh", {"-c", script}, {}}; }

TEST(SideBySide, ProgramsRunAtTheSameTimeAndEachIsTold) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "side_by_side_test";
  std::filesystem::create_directories(folder);
  // Each waits for the other.
  const auto meeting = [&](const std::string& mine, const std::string& its) {
    return shell("cd '" + folder.string() + "'; touch " + mine + "; while ! [ -e " + its +
                 " ]; do sleep 0.01; done; echo out " + mine + "; echo one >&2; printf 'two " +
                 mine + "' >&2; exit " + (mine == "a" ? "0" : "3"));
  };
  std::vector<std::pair<std::size_t, std::string>> said;
  const std::vector<Ended> ended = run_side_by_side(
      {meeting("a", "b"), meeting("b", "a")},
      [&](std::size_t number, std::string_view line) { said.emplace_back(number, line); });
  std::filesystem::remove_all(folder);
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].output, "out a\n");
  EXPECT_EQ(ended[1].output, "out b\n");
  EXPECT_EQ(ended[0].exit_code, 0);
  EXPECT_EQ(ended[1].exit_code, 3);
  EXPECT_EQ(ended[1].ending, "exited with code 3");
  std::ranges::stable_sort(said, {}, &std::pair<std::size_t, std::string>::first);
  EXPECT_EQ(said, (std::vector<std::pair<std::size_t, std::string>>{
                      {0, "one"}, {0, "two a"}, {1, "one"}, {1, "two b"}}));
}

TEST(SideBySide, NoneKeepsTheOthersWaiting) {
  const std::vector<Ended> ended = run_side_by_side(
      {shell("exec cat /dev/zero"), shell("echo done; sleep 600 & exit 0"), shell("kill -9 $$")},
      [](std::size_t, std::string_view) {});
  EXPECT_EQ(ended[0].output.size() >> 20, 64U);
  EXPECT_FALSE(ended[0].exit_code);
  EXPECT_EQ(ended[1].output, "done\n");
  EXPECT_EQ(ended[1].exit_code, 0);
  EXPECT_FALSE(ended[2].exit_code);
}

TEST(SideBySide, AnInterruptEndsThemAll) {
  const Interrupt interrupt;
  EXPECT_THROW(run_side_by_side({shell("echo >&2; sleep 600"), shell("sleep 600")},
                                [](std::size_t, std::string_view) { raise(SIGINT); }),
               Interrupted);
}

}  // namespace side_by_side_test
}  // namespace ridgeline::process
