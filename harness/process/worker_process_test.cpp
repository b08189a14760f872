#include "harness/process/worker_process.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/process/descendants.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/rank_note.hpp"

namespace ridgeline::process {
namespace worker_process_test {

namespace fs = std::filesystem;
using protocol::Failure;

constexpr double patience_s = 60;
constexpr int ranks = 3;
const Failure first{"rank 1 has no memory", "", 70, protocol::FailureCause::out_of_memory},
    second{"rank 2 lost rank 1", "", 69, {}}, of_rank_0{"rank 0 lost rank 1", "", 69, {}};

/// What a launcher does here: it says where rank 0 is to report, waits, says what it is told to,
/// and stays or ends.
constexpr const char* launcher = R"(#!/bin/sh
cd "${0%/*}"
for place; do :; done
echo "${place##*:} $RIDGELINE_TOKEN $$" >called.new
mv called.new called
until [ -e go ]; do sleep 0.01; done
cat words >&2
while [ -e beats ] && read asked; do
  cat beats >&2
done
[ ! -e stays ] || exec sleep 600
exit 3
)";

/// Ranks of which the test is rank 0, so that their connection outlives their launcher, as it does
/// under Slurm.
class Ranks : public testing::Test {
 protected:
  Ranks() {
    std::string name = (fs::temp_directory_path() / "worker-process-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(folder_ / "mpirun") << launcher;
    fs::permissions(folder_ / "mpirun", fs::perms::owner_all);
    setenv("PATH", (folder_.string() + ":" + before_).c_str(), 1);
    for (const char* variable : {"SLURM_JOB_ID", "OMPI_MCA_orte_default_hostfile"})
      unsetenv(variable);
    process_ = std::make_unique<WorkerProcess>("/worker", Launcher{}, ranks);
    wait_for("called");
    std::ifstream(folder_ / "called") >> port_ >> token_ >> launcher_;
  }
  ~Ranks() override {
    process_.reset();
    setenv("PATH", before_.c_str(), 1);
    fs::remove_all(folder_);
  }

  void greet() {
    const std::jthread rank_0([this] {
      connect_to_us();
      say(token_ + '\n');
      hear();
      protocol::Hello hello;
      hello.build = {"ranks", "abc", false, "g++ 12", "-O2", "", "00ff"};
      hello.hosts = {{"hosts", "2"},
                     {"host0", "a"},
                     {"host0.ranks", "0"},
                     {"host1", "b"},
                     {"host1.ranks", "1-2"}};
      say(protocol::to_line(protocol::AnyAnswer(hello)));
    });
    process_->greet(after(patience_s));
  }

  /// Has the launcher say this and end, or stay.
  void launcher_says(const std::string& words, bool ends = true) {
    std::ofstream(folder_ / "words") << words;
    if (!ends) std::ofstream(folder_ / "stays") << "";
    std::ofstream(folder_ / "go") << "";
    if (!ends) return;
    const Deadline deadline = after(patience_s);
    while (run_state(launcher_) != RunState::ended && Clock::now() < deadline) usleep(10'000);
    usleep(200'000);  // for its guard
  }

  /// Has it say this now, and that whenever it is asked whether ranks are there.
  void launcher_answers(const std::string& now, const std::string& when_asked) {
    std::ofstream(folder_ / "beats") << when_asked;
    launcher_says(now, false);
  }

  std::string note(int rank, const Failure& failure) const {
    return protocol::to_line({rank, failure}, token_);
  }

  std::string beat(int rank) const { return protocol::to_line({rank, protocol::Beat{}}, token_); }

  void say(const std::string& text) const {
    if (write(socket_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("cannot speak to the parent");
  }
  void hear() const {
    char byte = 0;
    while (read(socket_.get(), &byte, 1) == 1 && byte != '\n') {
    }
  }
  void close_connection() { socket_.reset(); }

  void ask() { process_->begin(protocol::ListRequest{}, after(patience_s)); }
  Failure failure() {
    return std::get<Failure>(process_->answer<protocol::Opened>(after(patience_s)));
  }
  std::string loss() {
    try {
      process_->answer<protocol::Opened>(after(patience_s));
    } catch (const WorkerLost& lost) {
      return lost.what();
    }
    return "an answer";
  }

  std::unique_ptr<WorkerProcess> process_;
  std::string token_;

 private:
  void wait_for(const char* file) const {
    const Deadline deadline = after(patience_s);
    while (!fs::exists(folder_ / file) && Clock::now() < deadline) usleep(10'000);
  }
  void connect_to_us() {
    socket_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect to the parent");
  }

  fs::path folder_;
  const std::string before_ = std::getenv("PATH");
  Descriptor socket_;
  std::uint16_t port_ = 0;
  pid_t launcher_ = 0;
};

TEST_F(Ranks, ThatFailWhileRank0WaitsAreTheAnswer) {
  greet();
  ask();
  launcher_says(note(1, first), false);
  const Failure told = failure();
  EXPECT_EQ(told.message, first.message);
  EXPECT_EQ(told.cause, first.cause);
}

TEST_F(Ranks, ThatFailAreTheAnswerAlsoWhenTheEndIsSeenAtTheSameTime) {
  greet();
  ask();
  launcher_says(note(1, first));
  EXPECT_EQ(failure().message, first.message);
}

TEST_F(Ranks, ThatFailAreTheAnswerAlsoWhenRank0HasHungUp) {
  greet();
  ask();
  close_connection();
  launcher_says(note(1, first));
  EXPECT_EQ(failure().message, first.message);
}

TEST_F(Ranks, ThatFailAfterOthersAreNot) {
  greet();
  ask();
  launcher_says(note(1, first) + note(2, second));
  EXPECT_EQ(failure().message, first.message);
}

TEST_F(Ranks, ThatFailBeforeTheyAreAskedAreNoLongerReady) {
  greet();
  EXPECT_TRUE(process_->ready());
  launcher_says(note(1, first), false);
  const Deadline deadline = after(patience_s);
  while (process_->ready() && Clock::now() < deadline) usleep(10'000);
  EXPECT_FALSE(process_->ready());
}

TEST_F(Ranks, ThatFailAfterRank0AnswerNothing) {
  greet();
  ask();
  say(protocol::to_line(protocol::AnyAnswer(of_rank_0)));
  EXPECT_EQ(failure().message, of_rank_0.message);
  ask();
  launcher_says(note(2, second));
  EXPECT_TRUE(loss().starts_with("the worker exited with code 3"));
}

TEST_F(Ranks, AreNotBelievedWithoutTheirToken) {
  greet();
  ask();
  launcher_says(protocol::to_line({1, first}, "0123") + note(ranks, first) + "words\n");
  EXPECT_EQ(loss(), "the worker exited with code 3; it last said: words");
}

TEST_F(Ranks, OfAnotherHostThatFallSilentEndTheCase) {
  greet();
  ask();
  launcher_answers(beat(1) + beat(2), beat(0));
  EXPECT_TRUE(loss().starts_with("rank 1 on b and 1 more have not been heard of for 5 s"));
}

TEST_F(Ranks, OfAnotherHostAreAskedWhenTheyAreGreeted) {
  greet();
  launcher_answers("", note(1, first));
  const Deadline deadline = after(patience_s);
  while (process_->ready() && Clock::now() < deadline) usleep(10'000);
  EXPECT_FALSE(process_->ready()) << "the answer has come";
}

TEST_F(Ranks, WhoseLauncherEndsBeforeRank0HasCome) {
  launcher_says("no such program\n");
  try {
    process_->greet(after(patience_s));
    FAIL() << "greeted nobody";
  } catch (const WorkerLost& lost) {
    EXPECT_STREQ(lost.what(), "the worker exited with code 3; it last said: no such program");
  }
}

}  // namespace worker_process_test
}  // namespace ridgeline::process
