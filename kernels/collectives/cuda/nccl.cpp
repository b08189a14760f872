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
constexpr int f32 = 7, sum = 0;  // ncclFloat32, ncclSum

struct Api {
  device::Library library{"libnccl.so.2"};
  Status (*unique_id)(UniqueId*) = nullptr;
  Status (*init_rank)(Native*, int, UniqueId, int) = nullptr;
  Status (*all_reduce)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  Status (*all_gather)(const void*, void*, std::size_t, int, Native, void*) = nullptr;
  Status (*broadcast)(const void*, void*, std::size_t, int, int, Native, void*) = nullptr;
  const char* (*error_string)(Status) = nullptr;
  const char* (*last_error)(Native) = nullptr;
  std::string missing;  // why it cannot be used; empty when it can

  Api() : missing(library.reason()) {
    find(unique_id, "ncclGetUniqueId");
    find(init_rank, "ncclCommInitRank");
    find(all_reduce, "ncclAllReduce");
    find(all_gather, "ncclAllGather");
    find(broadcast, "ncclBroadcast");
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
  explicit Ranks(const Member& member) {
    UniqueId id{};
    if (member.rank == 0) check(api().unique_id(&id), "ncclGetUniqueId");
    if (member.broadcast) member.broadcast(&id, sizeof id);
    check(api().init_rank(&native_, member.size, id, member.rank), "ncclCommInitRank");
  }

  void launch(const Problem& problem, const void* send, void* receive,
              device::Stream& stream) override {
    const auto sent = static_cast<std::size_t>(problem.send_count());
    const auto received = static_cast<std::size_t>(problem.receive_count());
    switch (problem.operation) {
      case Operation::all_reduce:
        return check(api().all_reduce(send, receive, received, f32, sum, native_, stream.native),
                     "ncclAllReduce");
      case Operation::all_gather:
        return check(api().all_gather(send, receive, sent, f32, native_, stream.native),
                     "ncclAllGather");
      case Operation::broadcast:
        return check(api().broadcast(send, receive, received, f32, 0, native_, stream.native),
                     "ncclBroadcast");
    }
  }

 private:
  Native native_ = nullptr;  // never destroyed: that waits for ranks which may be gone
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
  return {"NCCL's own algorithms, one process per GPU", {DType::f32}, supports, connect};
}

}  // namespace ridgeline::collectives::on_cuda
