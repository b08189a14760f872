#include "harness/process/stops.hpp"

#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ridgeline::process {
namespace stops_test {

constexpr double longest_s = 0.5, patience_s = 60;

/// Sleeps until it is killed; `rank` as a launcher names it, where it is not empty.
class Sleeper {
 public:
  explicit Sleeper(const std::string& rank = "") {
    std::string program = "sleep", seconds = "600", variable = "PMIX_RANK=" + rank;
    char* arguments[] = {program.data(), seconds.data(), nullptr};
    char* variables[] = {rank.empty() ? nullptr : variable.data(), nullptr};
    // Returns when it is that program, whose environment is its own.
    if (posix_spawn(&pid_, "/bin/sleep", nullptr, nullptr, arguments, variables) != 0)
      throw std::runtime_error("cannot start sleep");
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  void stop() const { kill(pid_, SIGSTOP); }
  void resume() const { kill(pid_, SIGCONT); }

 private:
  pid_t pid_ = 0;
};

/// Looks until something has come about; whether it has.
bool look_until(Stops& stops, const std::function<bool()>& has_come) {
  for (const Deadline deadline = after(patience_s); Clock::now() < deadline; usleep(20'000)) {
    stops.look();
    if (has_come()) return true;
  }
  return false;
}

TEST(Stops, NameTheRankThatStaysStopped) {
  const Sleeper first("0"), second("1");
  Stops stops({first.pid(), second.pid()}, longest_s);
  stops.look();
  EXPECT_FALSE(stops.any());
  second.stop();
  ASSERT_TRUE(look_until(stops, [&] { return !stops.for_good().empty(); }));
  EXPECT_EQ(stops.for_good(), fmt::format("rank 1 (process {})", second.pid()));
  EXPECT_TRUE(stops.any());
  EXPECT_GE(stops.total_s(), longest_s);
}

TEST(Stops, NameAProcessWithoutARank) {
  const Sleeper first, second("1x");
  Stops stops({first.pid(), second.pid()}, longest_s);
  second.stop();
  ASSERT_TRUE(look_until(stops, [&] { return !stops.for_good().empty(); }));
  EXPECT_EQ(stops.for_good(), fmt::format("process {}", second.pid()));
}

TEST(Stops, OfAllAreOfSomebodyWhoResumesThem) {
  const Sleeper first, second;
  Stops stops({first.pid(), second.pid()}, longest_s);
  first.stop();
  second.stop();
  ASSERT_TRUE(look_until(stops, [&] { return stops.total_s() > 3 * longest_s; }));
  EXPECT_EQ(stops.for_good(), "");
}

TEST(Stops, CountFromTheLastResume) {
  const Sleeper first, second;
  Stops stops({first.pid(), second.pid()}, longest_s);
  for (int i = 1; i <= 6; ++i) {
    second.stop();
    ASSERT_TRUE(look_until(stops, [&] { return stops.total_s() > i * longest_s / 3; }));
    second.resume();
    ASSERT_TRUE(look_until(stops, [&] { return !stops.any(); }));
    EXPECT_EQ(stops.for_good(), "");
  }
}

TEST(Stops, OfADebuggerAreLeftAlone) {
  const Sleeper first, second;
  Stops stops({first.pid(), second.pid()}, longest_s);
  if (ptrace(PTRACE_ATTACH, second.pid(), nullptr, nullptr) != 0)
    GTEST_SKIP() << "no process may be traced here";
  ASSERT_TRUE(look_until(stops, [&] { return stops.total_s() > 3 * longest_s; }));
  EXPECT_EQ(stops.for_good(), "");
}

}  // namespace stops_test
}  // namespace ridgeline::process
