#include "kernels/collectives/nccl_ranks.hpp"

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::collectives::nccl {
namespace {

int type_of(DType dtype) {  // ncclInt8, ncclFloat16, ncclBfloat16, ncclFloat32
  return dtype == DType::i8 ? 0 : dtype == DType::f16 ? 6 : dtype == DType::bf16 ? 9 : 7;
}
int op_of(Reduction reduction) {  // ncclSum, ncclMax, ncclAvg
  return reduction == Reduction::sum ? 0 : reduction == Reduction::max ? 2 : 4;
}

/// Sets a variable of the environment while it lives, when there is a value. No other thread may
/// read the environment then: nothing is measured while ranks connect.
class Variable {
 public:
  Variable(const char* name, std::string_view value) : name_(name), is_set_(!value.empty()) {
    if (!is_set_) return;
    if (const char* const known = std::getenv(name)) before_ = known;
    setenv(name, std::string(value).c_str(), 1);
  }
  ~Variable() {
    if (!is_set_) return;
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  bool is_set_;
  std::optional<std::string> before_;
};

class Ranks final : public Communicator {
 public:
  Ranks(const Functions& nccl, const Member& member)
      : nccl_(nccl), ranks_(member.size), rank_(member.rank) {
    UniqueId id{};
    if (member.rank == 0) check(nccl_.unique_id(&id), "ncclGetUniqueId");
    if (member.broadcast) member.broadcast(&id, sizeof id);
    Config config;
    complete(nccl_.init_rank(&native_, member.size, id, member.rank, &config),
             "ncclCommInitRankConfig");
  }

  void launch(const Problem& problem, const void* send, void* receive,
              device::Stream& stream) override {
    const auto all = static_cast<std::size_t>(problem.count());
    const auto part = static_cast<std::size_t>(problem.part());
    const int type = type_of(problem.dtype), op = op_of(problem.reduction);
    live();
    switch (problem.operation) {
      case Operation::all_reduce:
        return complete(nccl_.all_reduce(send, receive, all, type, op, native_, stream.native),
                        "ncclAllReduce");
      case Operation::all_gather:
        return complete(nccl_.all_gather(send, receive, part, type, native_, stream.native),
                        "ncclAllGather");
      case Operation::broadcast:
        return complete(nccl_.broadcast(send, receive, all, type, 0, native_, stream.native),
                        "ncclBroadcast");
      case Operation::reduce_scatter:
        return complete(nccl_.reduce_scatter(send, receive, part, type, op, native_, stream.native),
                        "ncclReduceScatter");
      case Operation::reduce:
        return complete(nccl_.reduce(send, receive, all, type, op, 0, native_, stream.native),
                        "ncclReduce");
      case Operation::all_to_all:
        return together(type, size_of(problem.dtype), stream, [&](Exchange& exchange) {
          for (int peer = 0; peer < ranks_; ++peer) {
            exchange.send(send, peer * part, part, peer);
            exchange.receive(receive, peer * part, part, peer);
          }
        });
      case Operation::send_recv:
        return together(type, size_of(problem.dtype), stream, [&](Exchange& exchange) {
          exchange.send(send, 0, all, (rank_ + 1) % ranks_);
          exchange.receive(receive, 0, all, (rank_ + ranks_ - 1) % ranks_);
        });
      case Operation::gather:
        return together(type, size_of(problem.dtype), stream, [&](Exchange& exchange) {
          // In place the root's own part lies where it belongs.
          if (rank_ != 0 || !problem.in_place) exchange.send(send, 0, part, 0);
          for (int peer = problem.in_place ? 1 : 0; rank_ == 0 && peer < ranks_; ++peer)
            exchange.receive(receive, peer * part, part, peer);
        });
      case Operation::scatter:
        return together(type, size_of(problem.dtype), stream, [&](Exchange& exchange) {
          for (int peer = problem.in_place ? 1 : 0; rank_ == 0 && peer < ranks_; ++peer)
            exchange.send(send, peer * part, part, peer);
          if (rank_ != 0 || !problem.in_place) exchange.receive(receive, 0, part, 0);
        });
    }
  }

  void look() override {
    live();
    Status state = success;
    check(nccl_.async_error(native_, &state), "ncclCommGetAsyncError");
    if (state != in_progress) check(state, "communication between GPUs");
  }

 private:
  /// Sends and receives that begin together, of which NCCL's guide makes the other operations.
  class Exchange {
   public:
    Exchange(const Ranks& ranks, int type, std::size_t element, void* stream)
        : ranks_(ranks), type_(type), element_(element), stream_(stream) {}
    void send(const void* from, std::size_t first, std::size_t count, int peer) {
      const auto* const at = static_cast<const std::byte*>(from) + first * element_;
      note(ranks_.nccl_.send(at, count, type_, peer, ranks_.native_, stream_));
    }
    void receive(void* to, std::size_t first, std::size_t count, int peer) {
      auto* const at = static_cast<std::byte*>(to) + first * element_;
      note(ranks_.nccl_.receive(at, count, type_, peer, ranks_.native_, stream_));
    }
    Status failure = success;  // the first

   private:
    void note(Status status) {
      if (failure == success && status != in_progress) failure = status;
    }
    const Ranks& ranks_;
    int type_;
    std::size_t element_;
    void* stream_;
  };

  template <class Calls>
  void together(int type, std::size_t element, device::Stream& stream, Calls calls) {
    Exchange exchange(*this, type, element, stream.native);
    check(nccl_.group_start(), "ncclGroupStart");
    calls(exchange);
    const Status ended = nccl_.group_end();  // also after a failure: nothing is left half begun
    check(exchange.failure, "ncclSend or ncclRecv");
    complete(ended, "ncclGroupEnd");
  }

  /// Waits until what was begun is done.
  void complete(Status status, const char* action) {
    while (status == in_progress) {
      std::this_thread::yield();
      check(nccl_.async_error(native_, &status), "ncclCommGetAsyncError");
    }
    check(status, action);
  }

  void check(Status status, const char* action) {
    if (status == success) return;
    failure_ = fmt::format("{} failed on rank {}: {} ({})", action, rank_,
                           nccl_.error_string(status), nccl_.last_error(nullptr));
    if (native_ != nullptr) nccl_.abort(native_);
    native_ = nullptr;
    live();
  }

  /// Throws when it has failed.
  void live() const {
    if (!failure_.empty())
      throw Error(ErrorKind::dependency, failure_,
                  "NCCL_DEBUG=WARN in the environment makes NCCL say more");
  }

  const Functions& nccl_;
  Native native_ = nullptr;  // not destroyed at the end: that waits for ranks which may be gone
  int ranks_, rank_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Communicator> connect(const Functions& functions, const Member& member) {
  const Variable algorithm("NCCL_ALGO", member.choice.algorithm),
      protocol("NCCL_PROTO", member.choice.protocol);
  return std::make_unique<Ranks>(functions, member);
}

}  // namespace ridgeline::collectives::nccl
