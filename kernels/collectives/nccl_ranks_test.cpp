#include "kernels/collectives/nccl_ranks.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

// A library that plays NCCL: what a communicator asks of it, and what it makes of the answers.
namespace ridgeline::collectives::nccl {
namespace nccl_ranks_test {

constexpr Status remote_error = 6;

struct Played {
  Status begun = success;          // what calls that begin something answer
  int polls = 0;                   // so many questions are answered with in_progress
  Status state = success;          // and later ones with this
  std::vector<std::string> calls;  // in order; questions left out
  int questions = 0;
  Config config{};
  std::string told;  // by the environment, when the ranks connect
};
Played* played = nullptr;
int communicator = 0;

Status begin(const char* what) {
  played->calls.emplace_back(what);
  return played->begun;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "none" : value;
}

const Functions functions = [] {
  Functions of;
  of.unique_id = [](UniqueId* id) {
    id->bytes[5] = 7;
    return begin("id");
  };
  of.init_rank = [](Native* made, int, UniqueId id, int, Config* config) {
    EXPECT_EQ(id.bytes[5], 7);
    played->config = *config;
    for (const char* name : {"NCCL_ALGO", "NCCL_PROTO"})
      played->told += fmt::format("{} ", variable(name));
    *made = &communicator;
    return begin("init");
  };
  of.async_error = [](Native native, Status* state) {
    EXPECT_EQ(native, &communicator);
    ++played->questions;
    *state = played->polls-- > 0 ? in_progress : played->state;
    return success;
  };
  of.abort = [](Native native) {
    EXPECT_EQ(native, &communicator);
    return begin("abort");
  };
  of.all_reduce = [](const void*, void*, std::size_t, int, int, Native, void*) {
    return begin("all_reduce");
  };
  of.send = [](const void*, std::size_t, int, int, Native, void*) { return begin("send"); };
  of.receive = [](void*, std::size_t, int, int, Native, void*) { return begin("receive"); };
  of.group_start = [] {
    played->calls.emplace_back("start");
    return success;
  };
  of.group_end = [] { return begin("end"); };
  of.error_string = [](Status status) { return status == remote_error ? "remote" : "other"; };
  of.last_error = [](Native) { return "connection closed by peer"; };
  return of;
}();

class NcclRanks : public testing::Test {
 protected:
  void SetUp() override { played = &played_; }

  /// As rank 0, so that the id is asked for before anything may be in progress.
  std::unique_ptr<Communicator> connected() {
    std::unique_ptr<Communicator> ranks = connect(functions, {2, 0, {}});
    played_.calls.clear();
    played_.questions = 0;
    return ranks;
  }
  void launch(Communicator& ranks, Operation operation) {
    float buffer[4] = {};
    device::Stream stream;
    ranks.launch({operation, 2, 16}, buffer, buffer, stream);
  }
  static std::string failure(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::dependency);
      return error.what();
    }
    return "";
  }
  using Calls = std::vector<std::string>;
  Played played_;
};

TEST_F(NcclRanks, AreConnectedWithoutBlocking) {
  played_.polls = 3;
  const Member other{2, 1, [](void* bytes, std::size_t) { static_cast<char*>(bytes)[5] = 7; }};
  played_.begun = in_progress;
  connect(functions, other);
  EXPECT_EQ(played_.calls, Calls{"init"}) << "rank 0 has the id";
  EXPECT_EQ(played_.questions, 4);
  EXPECT_EQ(played_.config.blocking, 0);
  EXPECT_EQ(played_.config.size, 24u) << "as the library of that version has it";
}

TEST_F(NcclRanks, AreToldAChoiceWhileTheyConnect) {
  setenv("NCCL_PROTO", "Simple", 1);
  connect(functions, {2, 0, {}, {}, {"tree", "ll128"}});
  EXPECT_EQ(played_.told, "tree ll128 ");
  EXPECT_EQ(variable("NCCL_PROTO"), "Simple") << "as the user has it";
  EXPECT_EQ(variable("NCCL_ALGO"), "none");
  played_.told.clear();
  connect(functions, {2, 0, {}});
  EXPECT_EQ(played_.told, "none Simple ");
  unsetenv("NCCL_PROTO");
}

TEST_F(NcclRanks, AreAbortedWhenTheyCannotBeConnected) {
  played_.begun = in_progress;
  played_.state = remote_error;
  const Member other{2, 1, [](void* bytes, std::size_t) { static_cast<char*>(bytes)[5] = 7; }};
  EXPECT_EQ(failure([&] { connect(functions, other); }),
            "ncclCommInitRankConfig failed on rank 1: remote (connection closed by peer)");
  EXPECT_EQ(played_.calls, (Calls{"init", "abort"}));
}

TEST_F(NcclRanks, WaitUntilWhatTheyLaunchIsEnqueued) {
  const auto ranks = connected();
  launch(*ranks, Operation::all_reduce);
  EXPECT_EQ(played_.questions, 0) << "nothing is asked about what is done";
  played_.begun = in_progress;
  played_.polls = 2;
  launch(*ranks, Operation::all_reduce);
  EXPECT_EQ(played_.questions, 3);
  played_.calls.clear();
  launch(*ranks, Operation::send_recv);
  EXPECT_EQ(played_.calls, (Calls{"start", "send", "receive", "end"}));
}

TEST_F(NcclRanks, AreAbortedOnceByALookThatFindsAFailure) {
  const auto ranks = connected();
  ranks->look();
  played_.polls = 1;
  ranks->look();  // something is being done, which is no failure
  EXPECT_EQ(played_.calls, Calls{});
  played_.state = remote_error;
  const std::string why =
      "communication between GPUs failed on rank 0: remote (connection closed by peer)";
  EXPECT_EQ(failure([&] { ranks->look(); }), why);
  EXPECT_EQ(played_.calls, Calls{"abort"});
  played_.state = success;
  EXPECT_EQ(failure([&] { ranks->look(); }), why);
  EXPECT_EQ(failure([&] { launch(*ranks, Operation::all_reduce); }), why);
  EXPECT_EQ(played_.calls, Calls{"abort"}) << "it is not used again";
}

TEST_F(NcclRanks, LeaveNoGroupHalfBegun) {
  const auto ranks = connected();
  played_.begun = remote_error;
  EXPECT_EQ(failure([&] { launch(*ranks, Operation::send_recv); }),
            "ncclSend or ncclRecv failed on rank 0: remote (connection closed by peer)");
  EXPECT_EQ(played_.calls, (Calls{"start", "send", "receive", "end", "abort"}));
}

}  // namespace nccl_ranks_test
}  // namespace ridgeline::collectives::nccl
