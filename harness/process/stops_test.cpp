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

#include "harness/process/descendants.hpp"

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

/// A shell that only waits for two programs that sleep, as a launcher does for its ranks.
class Launcher {
 public:
  Launcher() {
    std::string program = "sh", option = "-c", line = "sleep 600 & sleep 600 & wait";
    char* arguments[] = {program.data(), option.data(), line.data(), nullptr};
    if (posix_spawn(&pid_, "/bin/sh", nullptr, nullptr, arguments, environ) != 0)
      throw std::runtime_error("cannot start sh");
    const Deadline deadline = after(patience_s);
    do {
      ranks_ = descendants(pid_);
    } while (ranks_.size() < 2 && Clock::now() < deadline && usleep(10'000) == 0);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher() {
    for (const pid_t rank : ranks_) kill(rank, SIGKILL);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::vector<pid_t> all() const { return {pid_, ranks_.at(0), ranks_.at(1)}; }
  pid_t pid() const { return pid_; }
  const std::vector<pid_t>& ranks() const { return ranks_; }

 private:
  pid_t pid_ = 0;
  std::vector<pid_t> ranks_;
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

TEST(Stops, OfAllRanksAreOfAllAlthoughTheirLauncherWaits) {
  const Launcher launcher;
  ASSERT_EQ(launcher.ranks().size(), 2u);
  Stops stops(launcher.all(), longest_s);
  for (const pid_t rank : launcher.ranks()) kill(rank, SIGSTOP);
  ASSERT_TRUE(look_until(stops, [&] { return stops.total_s() > 3 * longest_s; }));
  EXPECT_EQ(stops.for_good(), "");
  kill(launcher.ranks()[0], SIGCONT);
  ASSERT_TRUE(look_until(stops, [&] { return !stops.for_good().empty(); })) << "one of two";
  EXPECT_EQ(stops.for_good(), fmt::format("process {}", launcher.ranks()[1]));
}

TEST(Stops, OfALauncherAloneAreToldAsOfAnyOther) {
  const Launcher launcher;
  ASSERT_EQ(launcher.ranks().size(), 2u);
  Stops stops(launcher.all(), longest_s);
  kill(launcher.pid(), SIGSTOP);
  ASSERT_TRUE(look_until(stops, [&] { return !stops.for_good().empty(); }));
  EXPECT_EQ(stops.for_good(), fmt::format("process {}", launcher.pid()));
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
