#include "kernels/collectives/peer_ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"

// Threads that play ranks, with memory that plays that of GPUs: what ranks tell each other, and
// what becomes of all memory when one of them fails.
namespace ridgeline::collectives {
namespace peer_ranks_test {

/// Of a rank that dies: no Error, which would be told to the others.
struct Died {};

using Address = std::array<char, sizeof(std::byte*)>;  // as a handle shows it

/// What one rank does otherwise than the others.
enum class Fault { none, allocate, show, reach, same_device, other_host, dies };

thread_local int my_rank = 0;
thread_local Fault my_fault = Fault::none;

/// Where ranks exchange. Whoever waits for a rank that is gone, or for minutes, throws.
class Group {
 public:
  explicit Group(int size) : size_(size) {}

  void exchange(const void* mine, std::size_t count, void* all) {
    std::unique_lock lock(mutex_);
    const int round = round_;
    if (arrived_ == 0) coming_.assign(count * static_cast<std::size_t>(size_), '\0');
    if (coming_.size() != count * static_cast<std::size_t>(size_))
      throw Error(ErrorKind::internal, "ranks exchange different things");
    std::memcpy(coming_.data() + count * static_cast<std::size_t>(my_rank), mine, count);
    if (++arrived_ == size_) {
      complete_ = coming_;
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait_for(lock, std::chrono::minutes(2),
                      [&] { return round_ != round || is_one_gone_; });
    if (round_ == round)
      throw Error(ErrorKind::dependency, is_one_gone_ ? "a rank is gone" : "waited for minutes");
    // Still that of this round: the next is complete only when this rank has come again.
    std::memcpy(all, complete_.data(), complete_.size());
  }
  void lose_one() {
    const std::scoped_lock lock(mutex_);
    is_one_gone_ = true;
    changed_.notify_all();
  }

 private:
  const int size_;
  int arrived_ = 0, round_ = 0;
  bool is_one_gone_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> coming_, complete_;
};

/// Memory of all ranks: blocks, and by how many others each is reached.
struct Played {
  std::mutex mutex;
  std::map<std::byte*, int> reached;
  std::string mistake;
  std::vector<Peers> launched;

  int reaching() const {
    int all = 0;
    for (const auto& [block, count] : reached) all += count;
    return all;
  }
};
Played* played = nullptr;

const PeerMemory memory{
    [] { return "bus " + std::to_string(my_fault == Fault::same_device ? 0 : my_rank); },
    [](std::size_t bytes) {
      if (my_fault == Fault::allocate) throw OutOfMemory("no memory on a GPU");
      auto* const block = new std::byte[bytes];
      const std::scoped_lock lock(played->mutex);
      played->reached[block] = 0;
      return block;
    },
    [](std::byte* block) noexcept {
      const std::scoped_lock lock(played->mutex);
      const auto found = played->reached.find(block);
      if (found == played->reached.end() || found->second != 0) {
        played->mistake = "released while it is reached, or twice";
        return;
      }
      played->reached.erase(found);
      delete[] block;
    },
    [](std::byte* block) {
      if (my_fault == Fault::show) throw Error(ErrorKind::dependency, "no handle of memory");
      MemoryHandle handle{};
      const auto address = std::bit_cast<Address>(block);
      std::memcpy(handle.bytes, address.data(), address.size());
      return handle;
    },
    [](const MemoryHandle& handle) {
      if (my_fault == Fault::reach) throw Error(ErrorKind::dependency, "a handle does not open");
      Address address{};
      std::memcpy(address.data(), handle.bytes, address.size());
      auto* const block = std::bit_cast<std::byte*>(address);
      const std::scoped_lock lock(played->mutex);
      const auto found = played->reached.find(block);
      if (found == played->reached.end())
        played->mistake = "reached what is not there";
      else
        ++found->second;
      return block;
    },
    [](std::byte* block) noexcept {
      const std::scoped_lock lock(played->mutex);
      const auto found = played->reached.find(block);
      if (found == played->reached.end() || found->second-- == 0)
        played->mistake = "left what was not reached";
    }};

void keep(const Peers& peers, const Problem&, device::Stream&) {
  const std::scoped_lock lock(played->mutex);
  played->launched.push_back(peers);
}

/// In what a rank tells, another host's name for this one's.
void change_host(std::vector<char>& told) {
  char name[64] = {};
  gethostname(name, sizeof name - 1);
  const std::string host = name;
  const auto at = std::search(told.begin(), told.end(), host.begin(), host.end());
  if (at != told.end()) *at = '?';
}

class PeerRanksMeet : public testing::Test {
 protected:
  void SetUp() override { played = &played_; }
  void TearDown() override {
    EXPECT_EQ(played_.mistake, "");
    forget();
  }

  /// As the end of all processes does.
  void forget() {
    for (const auto& [block, count] : played_.reached) delete[] block;
    played_.reached.clear();
  }
  /// How each rank ended: "" or its failure. Rank 1 has the fault; one that dies does not come to
  /// the exchange `last`, counted from 0. `then` goes on with what has been connected.
  template <class Then>
  std::vector<std::string> ends(int ranks, Fault fault, int last, const Then& then) {
    Group group(ranks);
    std::vector<std::string> all(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        my_rank = rank;
        my_fault = rank == 1 ? fault : Fault::none;
        int exchanges = 0;
        const auto gather = [&](const void* mine, std::size_t count, void* to) {
          if (my_fault == Fault::dies && exchanges++ == last) throw Died();
          const auto* const bytes = static_cast<const char*>(mine);
          std::vector<char> told(bytes, bytes + count);
          if (my_fault == Fault::other_host) change_host(told);
          group.exchange(told.data(), count, to);
        };
        const auto connect = [&] { return connect_peers(memory, keep, {ranks, rank, {}, gather}); };
        std::string& end = all[static_cast<std::size_t>(rank)];
        try {
          then(rank, connect);
        } catch (const OutOfMemory& error) {
          end = std::string("out of memory: ") + error.what();
        } catch (const Error& error) {
          end = error.what();
        } catch (const Died&) {
          end = "died";
          group.lose_one();
        }
      });
    for (std::thread& thread : threads) thread.join();
    return all;
  }
  std::vector<std::string> ends(int ranks, Fault fault, int last = -1) {
    return ends(ranks, fault, last, [](int, const auto& connect) { connect(); });
  }

  Played played_;
};
using Ends = std::vector<std::string>;
const Problem small{Operation::all_reduce, 2, 4096};

TEST_F(PeerRanksMeet, EachReachesTheMemoryOfAll) {
  for (const int ranks : {2, 4, 8}) {
    played_.launched.clear();
    const Ends all = ends(ranks, Fault::none, -1, [&](int, const auto& connect) {
      const auto communicator = connect();
      const Problem problem{Operation::all_reduce, ranks, 4096};
      // More than before is made anew, and what was is given back.
      communicator->memory(problem, 8192);
      std::byte* const at = communicator->memory(problem, std::size_t{3} << 20);
      device::Stream* const none = nullptr;
      communicator->launch(problem, at, at + 4096, *none);
    });
    EXPECT_EQ(all, Ends(static_cast<std::size_t>(ranks)));
    ASSERT_EQ(played_.launched.size(), static_cast<std::size_t>(ranks));
    for (const Peers& peers : played_.launched)
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(peers.data[rank], played_.launched[0].data[rank]);
        EXPECT_EQ(peers.control[rank], played_.launched[0].control[rank]);
        EXPECT_EQ(peers.send, played_.launched[0].send);
        EXPECT_EQ(played_.reached.at(peers.data[rank]), ranks - 1);
      }
    // The smaller memory is no more; communicators keep theirs to the end of the process.
    EXPECT_EQ(played_.reached.size(), static_cast<std::size_t>(2 * ranks));
    forget();
  }
}

TEST_F(PeerRanksMeet, WhatOneCannotIsSaidByAllAndLeavesNothing) {
  const std::string hosts = "they cannot reach each other's memory";
  const struct {
    Fault fault;
    std::string others, own;
  } expected[] = {
      {Fault::allocate,
       "out of memory: rank 1 could not show memory to the others: it has too "
       "little",
       "out of memory: no memory on a GPU"},
      {Fault::show, "rank 1 could not show memory to the others", "no handle of memory"},
      {Fault::reach, "rank 1 could not reach the memory of the others", "a handle does not open"},
      {Fault::same_device, "ranks 0 and 1 are both on GPU bus 0",
       "ranks 0 and 1 are both on GPU bus 0"},
  };
  for (const auto& [fault, others, own] : expected) {
    EXPECT_EQ(ends(4, fault), (Ends{others, own, others, others}));
    EXPECT_EQ(played_.reached.size(), 0u) << own;
  }
  for (const std::string& end : ends(2, Fault::other_host))
    EXPECT_NE(end.find(hosts), std::string::npos) << end;
  EXPECT_EQ(played_.reached.size(), 0u);
}

TEST_F(PeerRanksMeet, AfterAFailureTheSameRanksConnect) {
  for (const Fault fault : {Fault::allocate, Fault::show, Fault::reach, Fault::same_device}) {
    const Ends all = ends(2, fault, -1, [](int, const auto& connect) {
      EXPECT_THROW(connect(), Error);
      my_fault = Fault::none;
      connect();
    });
    EXPECT_EQ(all, Ends(2));
    EXPECT_EQ(played_.reached.size(), 2u);
    forget();
  }
}

TEST_F(PeerRanksMeet, OtherSizesAreRefusedByAll) {
  const Ends all = ends(2, Fault::none, -1, [](int rank, const auto& connect) {
    const auto communicator = connect();
    communicator->memory(small, (std::size_t{1} + rank) << 22);
  });
  EXPECT_EQ(all[0], all[1]);
  EXPECT_NE(all[0].find("they are not at the same case"), std::string::npos) << all[0];
  EXPECT_EQ(played_.reached.size(), 2u);  // what was made before, of the meetings
}

TEST_F(PeerRanksMeet, ARankThatDiesOrNeverComesEndsTheOthers) {
  // 0: it never came. From the fifth on the communicator stands, and its next memory is made.
  for (int last = 0; last < 8; ++last) {
    const Ends all = ends(4, Fault::dies, last,
                          [](int, const auto& connect) { connect()->memory(small, 4096); });
    EXPECT_EQ(all, (Ends{"a rank is gone", "died", "a rank is gone", "a rank is gone"})) << last;
    // What others may still reach stays; of what is reached, that of the communicator alone.
    EXPECT_EQ(played_.reaching(), last < 4 ? 0 : 4 * 3) << last;
    EXPECT_EQ(played_.reached.empty(), last == 0);
    forget();
  }
}

}  // namespace peer_ranks_test
}  // namespace ridgeline::collectives
