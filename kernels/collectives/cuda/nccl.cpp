#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/device/facts.hpp"
#include "harness/device/library.hpp"
#include "kernels/collectives/collectives.hpp"

// Vendor variant: NCCL, one process per GPU. Opened at run time; the declarations follow NVIDIA's
// "NCCL User Guide", API.
namespace ridgeline::collectives::on_cuda {
namespace {

using Status = int;  // ncclResult_t
using Native = void*;
struct UniqueId {
  char bytes[128];
};

int type_of(DType dtype) {  // ncclInt8, ncclFloat16, ncclBfloat16, ncclFloat32
  return dtype == DType::i8 ? 0 : dtype == DType::f16 ? 6 : dtype == DType::bf16 ? 9 : 7;
}
int op_of(Reduction reduction) {  // ncclSum, ncclMax, ncclAvg
  return reduction == Reduction::sum ? 0 : reduction == Reduction::max ? 2 : 4;
}

struct Api {
  device::Library library{"libnccl.so.2"};
  Status (*unique_id)(UniqueId*) = nullptr;
  Status (*init_rank)(Native*, int, UniqueId, int) = nullptr;
  Status (*all_reduce)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*all_gather)(const void*, void*, std::size_t, int, Native, void*) = nullptr;
  Status (*broadcast)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*reduce_scatter)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*reduce)(const void*, void*, std::size_t, int, int, int, Native, void*) = nullptr;
  Status (*send)(const void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*receive)(void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*group_start)() = nullptr;
  Status (*group_end)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  const char* (*last_error)(Native) = nullptr;
  std::string missing;  // why it cannot be used; empty when it can

  Api() : missing(library.reason()) {
    find(unique_id, "ncclGetUniqueId");
    find(init_rank, "ncclCommInitRank");
    find(all_reduce, "ncclAllReduce");
    find(all_gather, "ncclAllGather");
    find(broadcast, "ncclBroadcast");
    find(reduce_scatter, "ncclReduceScatter");
    find(reduce, "ncclReduce");
    find(send, "ncclSend");
    find(receive, "ncclRecv");
    find(group_start, "ncclGroupStart");
    find(group_end, "ncclGroupEnd");
    find(error_string, "ncclGetErrorString");
    find(last_error, "ncclGetLastError");
  }

 private:
  template <class Function>
  void find(Function*& function, const char* name) {
    function = library.function<Function>(name);
    if (function == nullptr && missing.empty())
      missing = fmt::format("libnccl.so.2 has no {}", name);
  }
};

const Api& api() {
  static const Api loaded;
  return loaded;
}

void check(Status status, const char* action) {
  if (status == 0) return;
  throw Error(ErrorKind::dependency,
              fmt::format("{} failed: {} ({})", action, api().error_string(status),
                          api().last_error(nullptr)),
              "NCCL_DEBUG=WARN in the environment makes NCCL say more");
}

class Ranks final : public Communicator {
 public:
  explicit Ranks(const Member& member) : ranks_(member.size), rank_(member.rank) {
    UniqueId id{};
    if (member.rank == 0) check(api().unique_id(&id), "ncclGetUniqueId");
    if (member.broadcast) member.broadcast(&id, sizeof id);
    check(api().init_rank(&native_, member.size, id, member.rank), "ncclCommInitRank");
  }

  void launch(const Problem& problem, const void* send, void* receive,
              device::Stream& stream) override {
    const auto all = static_cast<std::size_t>(problem.count());
    const auto part = static_cast<std::size_t>(problem.part());
    const int type = type_of(problem.dtype), op = op_of(problem.reduction);
    const Exchange exchange{native_, stream.native, type, size_of(problem.dtype)};
    switch (problem.operation) {
      case Operation::all_reduce:
        return check(api().all_reduce(send, receive, all, type, op, native_, stream.native),
                     "ncclAllReduce");
      case Operation::all_gather:
        return check(api().all_gather(send, receive, part, type, native_, stream.native),
                     "ncclAllGather");
      case Operation::broadcast:
        return check(api().broadcast(send, receive, all, type, 0, native_, stream.native),
                     "ncclBroadcast");
      case Operation::reduce_scatter:
        return check(api().reduce_scatter(send, receive, part, type, op, native_, stream.native),
                     "ncclReduceScatter");
      case Operation::reduce:
        return check(api().reduce(send, receive, all, type, op, 0, native_, stream.native),
                     "ncclReduce");
      case Operation::all_to_all:
        return exchange.together([&] {
          for (int peer = 0; peer < ranks_; ++peer) {
            exchange.send(send, peer * part, part, peer);
            exchange.receive(receive, peer * part, part, peer);
          }
        });
      case Operation::send_recv:
        return exchange.together([&] {
          exchange.send(send, 0, all, (rank_ + 1) % ranks_);
          exchange.receive(receive, 0, all, (rank_ + ranks_ - 1) % ranks_);
        });
      case Operation::gather:
        return exchange.together([&] {
          // In place the root's own part lies where it belongs.
          if (rank_ != 0 || !problem.in_place) exchange.send(send, 0, part, 0);
          for (int peer = problem.in_place ? 1 : 0; rank_ == 0 && peer < ranks_; ++peer)
            exchange.receive(receive, peer * part, part, peer);
        });
      case Operation::scatter:
        return exchange.together([&] {
          for (int peer = problem.in_place ? 1 : 0; rank_ == 0 && peer < ranks_; ++peer)
            exchange.send(send, peer * part, part, peer);
          if (rank_ != 0 || !problem.in_place) exchange.receive(receive, 0, part, 0);
        });
    }
  }

 private:
  /// Operations that NCCL's guide makes of sends and receives, which begin together.
  struct Exchange {
    Native native;
    void* stream;
    int type;
    std::size_t element;

    template <class Calls>
    void together(Calls calls) const {
      check(api().group_start(), "ncclGroupStart");
      calls();
      check(api().group_end(), "ncclGroupEnd");
    }
    void send(const void* from, std::size_t first, std::size_t count, int peer) const {
      const auto* const at = static_cast<const std::byte*>(from) + first * element;
      check(api().send(at, count, type, peer, native, stream), "ncclSend");
    }
    void receive(void* to, std::size_t first, std::size_t count, int peer) const {
      auto* const at = static_cast<std::byte*>(to) + first * element;
      check(api().receive(at, count, type, peer, native, stream), "ncclRecv");
    }
  };

  Native native_ = nullptr;  // never destroyed: that waits for ranks which may be gone
  int ranks_, rank_;
};

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.kind != device::Kind::cuda)
    return device::Support::unsupported("communicates between GPUs");
  if (!api().missing.empty()) return device::Support::unavailable(api().missing);
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess) gpus = 0;
  if (problem.ranks > gpus)
    return device::Support::unsupported(
        fmt::format("{} ranks need as many GPUs, and there are {}", problem.ranks, gpus));
  return common_support(problem);
}

std::unique_ptr<Communicator> connect(const Member& member) {
  return std::make_unique<Ranks>(member);
}

}  // namespace

Variant nccl() {
  return {"NCCL's own algorithms, one process per GPU",
          {DType::f32, DType::f16, DType::bf16, DType::i8},
          supports,
          connect};
}

}  // namespace ridgeline::collectives::on_cuda
