#include "harness/process/interrupt.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace ridgeline::process {
namespace interrupt_test {

/// How often the descriptor was told of a signal.
int told() {
  char bytes[64];
  const ssize_t got = read(Interrupt::descriptor(), bytes, sizeof bytes);
  return got < 0 ? 0 : static_cast<int>(got);
}

/// Without a moment in between, in which a busy machine could let a second pass.
void raise_at_once(int first, int second) {
  sigset_t both, before;
  sigemptyset(&both);
  for (const int number : {first, second}) sigaddset(&both, number);
  pthread_sigmask(SIG_BLOCK, &both, &before);
  for (const int number : {first, second}) raise(number);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Interrupt, WhatComesWithinASecondIsTheSameWish) {
  EXPECT_FALSE(Interrupt::requested()) << "without an Interrupt";
  for (int again = 0; again < 2; ++again) {
    const Interrupt interrupt;
    EXPECT_FALSE(Interrupt::requested());
    Interrupt::check();
    raise_at_once(SIGTERM, SIGHUP);
    EXPECT_TRUE(Interrupt::requested());
    EXPECT_THROW(Interrupt::check(), Interrupted);
    EXPECT_EQ(told(), 1);
  }
}

TEST(Interrupt, ASecondLaterItEndsTheProcess) {
  EXPECT_EXIT(
      {
        const Interrupt interrupt;
        raise(SIGINT);
        usleep(1'000'000);
        raise(SIGTERM);
        _exit(told());
      },
      testing::ExitedWithCode(130), "");
}

TEST(Interrupt, ThreadsThatAreToldAtOnceTellOnce) {
  for (int round = 0; round < 50; ++round) {
    const Interrupt interrupt;
    std::atomic<int> ready{0};
    const auto ask = [&] {
      for (++ready; ready < 2;) {
      }
      raise(SIGINT);
    };
    std::thread other(ask);
    ask();
    other.join();
    EXPECT_EQ(told(), 1);
  }
}

}  // namespace interrupt_test
}  // namespace ridgeline::process
