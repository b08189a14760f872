#include "harness/process/clock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ridgeline::process {
namespace clock_test {

TEST(Clock, StandsStillWhileTheProcessIsStopped) {
  const pid_t child = fork();
  if (child == 0) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < 8; ++i) wait(nullptr, 0, 50);
    _exit(paused_s() > 1 && seconds_since(start) < 1 ? 0 : 1);
  }
  usleep(100'000);
  kill(child, SIGSTOP);
  usleep(1'600'000);
  kill(child, SIGCONT);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Clock, ASuspendedMachineIsTheDifferenceOfItsClocks) {
  using namespace std::chrono_literals;
  const MachineClocks before{100s, 700s};
  EXPECT_EQ(suspended(before, {105s, 705s}), 0ns);
  EXPECT_EQ(suspended(before, {105s, 705s + 2ms}), 0ns) << "they are read one after the other";
  EXPECT_EQ(suspended(before, {105s, 765s}), 60s);
  const MachineClocks now = machine_clocks();
  EXPECT_EQ(suspended(now, machine_clocks()), 0ns);
}

}  // namespace clock_test
}  // namespace ridgeline::process
