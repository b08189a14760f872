// Each test ends a process of its own.

#include "harness/worker/check/endings.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/file.hpp"
#include "harness/emulated/log.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/worker/check/ending_memory.hpp"

namespace ridgeline::worker {
namespace endings_test {

constexpr int reported = 7;

int tells(const Ending&) { return reported; }

class EndingsDeathTest : public testing::Test {
 protected:
  std::string words() const { return file_text(file); }

  store::TemporaryFolder folder;
  std::string file = (folder.path() / "words").string();
};

TEST_F(EndingsDeathTest, AReportIsMadeOfASignal) {
  for (const int signal : {SIGTERM, SIGSEGV, SIGABRT})
    EXPECT_EXIT((watch_endings(file, tells), ::raise(signal)), testing::ExitedWithCode(reported),
                "");
}

TEST_F(EndingsDeathTest, WhereTheReportCrashesTheWordsRemain) {
  const auto crashes = [](const Ending&) { return ::raise(SIGSEGV); };
  EXPECT_EXIT((watch_endings(file, crashes), ::raise(SIGTERM)), testing::KilledBySignal(SIGTERM),
              "");
  EXPECT_EQ(words(), "the check was interrupted\n");
  EXPECT_EXIT((watch_endings(file, crashes), ::raise(SIGABRT)), testing::KilledBySignal(SIGABRT),
              "");
  EXPECT_EQ(words(), "the program crashed\n");
}

TEST_F(EndingsDeathTest, NothingInterruptsAReport) {
  const auto reports = [&] {
    watch_endings(file, tells);
    begin_report();
    write_file(file, [](std::ostream& out) { out << "all that was found"; });
    ::raise(SIGTERM);
    ::_exit(3);
  };
  EXPECT_EXIT(reports(), testing::ExitedWithCode(3), "");
  EXPECT_EQ(words(), "all that was found");
}

TEST_F(EndingsDeathTest, AReportThatCrashesIsReplacedByThatOfTheCrash) {
  const auto crashes = [&](int (*report)(const Ending&)) {
    watch_endings(file, report);
    begin_report();
    write_file(file, [](std::ostream& out) { out << "all that was found"; });
    ::raise(SIGSEGV);
  };
  EXPECT_EXIT(crashes(tells), testing::ExitedWithCode(reported), "");
  EXPECT_EXIT(crashes([](const Ending&) { return ::raise(SIGBUS); }),
              testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EQ(words(), "all that was found");
}

TEST_F(EndingsDeathTest, NoLaneGoesOnBehindASignal) {
  const auto interrupted = [&] {
    watch_endings(file, [](const Ending& ending) {
      return ending.in_kernel && emulated::hot.next == nullptr ? reported : 1;
    });
    static emulated::Entry entry{};
    emulated::hot.next = &entry;
    ::raise(SIGTERM);
  };
  EXPECT_EXIT(interrupted(), testing::ExitedWithCode(reported), "");
}

TEST_F(EndingsDeathTest, AForkedProcessDiesOfItsOwnSignals) {
  const auto forks = [&](int signal) {
    watch_endings(file, tells);
    int status = 0;
    const pid_t child = ::fork();
    if (child == 0) ::raise(signal);
    ::waitpid(child, &status, 0);
    ::_exit(WIFSIGNALED(status) && WTERMSIG(status) == signal && !is_forked() ? 0 : 1);
  };
  for (const int signal : {SIGTERM, SIGSEGV, SIGABRT})
    EXPECT_EXIT(forks(signal), testing::ExitedWithCode(0), "");
  EXPECT_EQ(words(), "");
}

TEST(LeaveTheHeapDeathTest, NothingIsAskedOfAHeapThatIsOverwritten) {
  const auto allocates = [] {
    constexpr std::size_t bytes = 100'000;
    auto* const old = static_cast<char*>(std::malloc(bytes));
    std::strcpy(old, "kept");
    std::string freed(5000, 'x');
    leave_the_heap();
    char* volatile behind = old + bytes;
    char* volatile before = freed.data() - 16;
    std::memset(behind, 0xff, 64);
    std::memset(before, 0xff, 16);
    freed = std::string(100'000, 'y');
    auto* const longer = static_cast<char*>(std::realloc(old, 2 * bytes));
    auto* const again = static_cast<char*>(std::realloc(longer, 3 * bytes));
    const auto* const zeros = static_cast<char*>(std::calloc(100, 1000));
    const bool fine = freed[99'999] == 'y' && std::strcmp(again, "kept") == 0 && zeros[99'999] == 0;
    std::free(again);
    ::_exit(fine ? reported : 1);
  };
  EXPECT_EXIT(allocates(), testing::ExitedWithCode(reported), "");
}

}  // namespace endings_test
}  // namespace ridgeline::worker
