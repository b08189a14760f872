#include "kernels/collectives/peer_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::collectives {
namespace {

constexpr std::size_t aligned(std::size_t bytes, std::size_t to = 256) {
  return (bytes + to - 1) / to * to;
}
/// What a process shows of its memory is whole pages of this size: pieces of less would show more
/// than themselves (CUDA C++ Programming Guide, "Interprocess Communication").
constexpr std::size_t page = std::size_t{2} << 20;

/// What a rank says of a piece of its memory.
struct Told {
  MemoryHandle handle;
  char host[64];
  char device[32];
  std::uint64_t bytes;
};

/// How far a rank came with a piece of memory. The others wait for it, so that it says so before it
/// throws.
enum class Came : int { through, no_memory, failed };

/// As much memory on each rank, reached by all. Made, and given back, by all ranks together: what
/// fails on one fails on all of them, with the same exchanges, so that they can go on to the next
/// case. A rank that is gone ends the exchange on the others: these leave its memory, and keep
/// their own, which others may still reach.
class Shared {
 public:
  Shared(const PeerMemory& memory, const Member& member) : memory_(memory), member_(member) {}
  Shared(const Shared&) = delete;

  void make(std::size_t bytes) {
    bytes = aligned(bytes, page);
    try {
      give_back();
      std::exception_ptr failure;
      const auto attempt = [&failure](const auto& action) {
        try {
          action();
          return Came::through;
        } catch (const OutOfMemory&) {
          failure = std::current_exception();
          return Came::no_memory;
        } catch (const Error&) {
          failure = std::current_exception();
          return Came::failed;
        }
      };
      Told mine{};
      agree(attempt([&] { mine = offer(bytes); }), failure, "could not show memory to the others");
      const std::vector<Told> all = exchange(mine);
      agree(attempt([&] { reach(all); }), failure, "could not reach the memory of the others");
      // Nobody writes to another's memory before all have theirs as it begins: all have agreed.
    } catch (...) {
      leave_others();
      throw;
    }
    bytes_ = bytes;
  }
  std::size_t bytes() const { return bytes_; }
  std::byte* const (&of() const)[most_peers] { return of_; }

 private:
  template <class What>
  std::vector<What> exchange(const What& mine) const {
    std::vector<What> all(static_cast<std::size_t>(member_.size));
    member_.gather(&mine, sizeof mine, all.data());
    return all;
  }
  void meet() const { exchange(0); }

  Told offer(std::size_t bytes) {
    Told mine{};
    gethostname(mine.host, sizeof mine.host - 1);
    mine.bytes = bytes;
    const std::string device = memory_.device();
    device.copy(mine.device, sizeof mine.device - 1);
    of_[member_.rank] = memory_.allocate(bytes);
    mine.handle = memory_.show(of_[member_.rank]);
    return mine;
  }

  /// All ranks go on, or all give back and throw: `failure` on the ranks that have one.
  void agree(Came mine, const std::exception_ptr& failure, const char* what_failed) {
    const std::vector<Came> all = exchange(mine);
    const auto first =
        std::find_if(all.begin(), all.end(), [](Came came) { return came != Came::through; });
    if (first == all.end()) return;
    give_back();
    if (failure) std::rethrow_exception(failure);
    const std::string said = fmt::format("rank {} {}", first - all.begin(), what_failed);
    if (*first == Came::no_memory) throw OutOfMemory(said + ": it has too little");
    throw Error(ErrorKind::dependency, said, "see what that rank says");
  }

  /// The ranks see the same, and refuse it alike.
  void check(const std::vector<Told>& all) const {
    for (int rank = 1; rank < member_.size; ++rank) {
      const Told &first = all[0], &other = all[static_cast<std::size_t>(rank)];
      if (text(other.host) != text(first.host))
        throw Error(ErrorKind::usage,
                    fmt::format("rank 0 is on {} and rank {} on {}: they cannot reach each "
                                "other's memory",
                                text(first.host), rank, text(other.host)),
                    "start all ranks on one host, or measure the variant nccl");
      if (other.bytes != first.bytes)
        throw Error(ErrorKind::internal,
                    fmt::format("rank 0 shows {} bytes and rank {} shows {}: they are not at the "
                                "same case",
                                first.bytes, rank, other.bytes));
      for (int before = 0; before < rank; ++before)
        if (text(all[static_cast<std::size_t>(before)].device) == text(other.device))
          throw Error(
              ErrorKind::usage,
              fmt::format("ranks {} and {} are both on GPU {}", before, rank, text(other.device)),
              "give each rank a GPU of its own: its kernels wait for those of the others");
    }
  }
  /// What another process wrote may have no end.
  template <std::size_t size>
  static std::string text(const char (&from)[size]) {
    return {from, strnlen(from, size)};
  }

  void reach(const std::vector<Told>& all) {
    check(all);
    for (int rank = 0; rank < member_.size; ++rank)
      if (rank != member_.rank)
        of_[rank] = memory_.reach(all[static_cast<std::size_t>(rank)].handle);
  }
  void leave_others() noexcept {
    for (int rank = 0; rank < member_.size; ++rank)
      if (rank != member_.rank && of_[rank] != nullptr)
        memory_.leave(std::exchange(of_[rank], nullptr));
  }
  void give_back() {
    bytes_ = 0;
    leave_others();
    meet();  // memory that others still reach must not be released
    if (of_[member_.rank] != nullptr) memory_.release(std::exchange(of_[member_.rank], nullptr));
  }

  const PeerMemory& memory_;
  const Member& member_;
  std::byte* of_[most_peers] = {};
  std::size_t bytes_ = 0;
};

class PeerRanks final : public Communicator {
 public:
  PeerRanks(const PeerMemory& memory, Enqueue enqueue, Member member)
      : member_(std::move(member)),
        enqueue_(enqueue),
        control_(memory, member_),
        data_(memory, member_) {
    require(member_.size <= most_peers && member_.gather != nullptr,
            "ranks that reach each other are few, and can exchange what they tell");
    control_.make(packets_offset + packets_bytes(member_.size, most_peer_blocks));
  }

  std::byte* memory(const Problem& problem, std::size_t bytes) override {
    // Parts are rounded up to whole vectors.
    const std::size_t staging =
        aligned(static_cast<std::size_t>(problem.bytes) + std::size_t{16} * most_peers);
    if (data_.bytes() < staging + bytes) data_.make(staging + bytes);
    buffers_ = staging;
    return data_.of()[member_.rank] + staging;
  }

  void launch(const Problem& problem, const void* send, void* receive,
              device::Stream& stream) override {
    Peers peers;
    peers.rank = member_.rank;
    std::copy(std::begin(control_.of()), std::end(control_.of()), peers.control);
    std::copy(std::begin(data_.of()), std::end(data_.of()), peers.data);
    peers.send = offset(send, problem);
    peers.receive = offset(receive, problem);
    enqueue_(peers, problem, stream);
  }

 private:
  std::size_t offset(const void* at, const Problem& problem) const {
    const std::byte* const begin = data_.of()[member_.rank];
    const auto* const byte = static_cast<const std::byte*>(at);
    require(begin != nullptr && byte >= begin + buffers_ &&
                byte + problem.bytes <= begin + data_.bytes(),
            "buffers lie in the memory that the communicator gave");
    return static_cast<std::size_t>(byte - begin);
  }

  Member member_;
  Enqueue enqueue_;
  Shared control_, data_;
  std::size_t buffers_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> connect_peers(const PeerMemory& memory, Enqueue enqueue,
                                            const Member& member) {
  return std::make_unique<PeerRanks>(memory, enqueue, member);
}

}  // namespace ridgeline::collectives
