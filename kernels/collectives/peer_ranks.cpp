#include "kernels/collectives/peer_ranks.hpp"

#include <algorithm>
#include <string>
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
  int made;  // 0: there was no memory
};

/// As much memory on each rank, reached by all. Made, and given back, by all ranks together.
class Shared {
 public:
  Shared(const PeerMemory& memory, const Member& member) : memory_(memory), member_(member) {}
  Shared(const Shared&) = delete;

  void make(std::size_t bytes) {
    bytes = aligned(bytes, page);
    give_back();
    Told mine{};
    gethostname(mine.host, sizeof mine.host - 1);
    std::string failure;
    try {
      of_[member_.rank] = memory_.allocate(bytes);
      mine.handle = memory_.show(of_[member_.rank]);
      mine.made = 1;
    } catch (const Error& error) {  // the other ranks wait for what this one tells
      failure = error.what();
    }
    std::vector<Told> all(static_cast<std::size_t>(member_.size));
    member_.gather(&mine, sizeof mine, all.data());
    for (const Told& told : all) {
      if (told.made != 0) continue;
      give_back();
      throw OutOfMemory(failure.empty() ? fmt::format("another rank has no {} bytes", bytes)
                                        : failure);
    }
    for (int rank = 0; rank < member_.size; ++rank) {
      if (std::string(all[rank].host) != mine.host)
        throw Error(ErrorKind::usage,
                    fmt::format("rank {} is on {} and rank {} on {}: they cannot reach each "
                                "other's memory",
                                member_.rank, mine.host, rank, all[rank].host),
                    "start all ranks on one host, or measure the variant nccl");
      if (rank != member_.rank) of_[rank] = memory_.reach(all[rank].handle);
    }
    bytes_ = bytes;
    // Nobody writes to another's memory before all have theirs as it begins.
    meet();
  }
  std::size_t bytes() const { return bytes_; }
  std::byte* const (&of() const)[most_peers] { return of_; }

 private:
  void meet() const {
    int nothing = 0;
    std::vector<int> all(static_cast<std::size_t>(member_.size));
    member_.gather(&nothing, sizeof nothing, all.data());
  }
  void give_back() {
    for (int rank = 0; rank < member_.size; ++rank)
      if (rank != member_.rank && of_[rank] != nullptr) memory_.leave(of_[rank]);
    meet();  // memory that others still reach must not be released
    if (of_[member_.rank] != nullptr) memory_.release(of_[member_.rank]);
    std::fill(std::begin(of_), std::end(of_), nullptr);
    bytes_ = 0;
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
    const std::size_t staging = aligned(static_cast<std::size_t>(problem.bytes) + 16 * most_peers);
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
