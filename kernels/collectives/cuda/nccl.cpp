#include <string_view>

#include <fmt/core.h>

#include "harness/device/facts.hpp"
#include "harness/device/library.hpp"
#include "kernels/collectives/nccl_ranks.hpp"

// Vendor variant: NCCL, one process per GPU. Opened at run time.
namespace ridgeline::collectives::on_cuda {
namespace {

struct Api : nccl::Functions {
  device::Library library{"libnccl.so.2"};
  std::string missing;  // why it cannot be used; empty when it can

  Api() : missing(library.reason()) {
    find(unique_id, "ncclGetUniqueId");
    find(init_rank, "ncclCommInitRankConfig");
    find(async_error, "ncclCommGetAsyncError");
    find(abort, "ncclCommAbort");
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

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.kind != device::Kind::cuda)
    return device::Support::unsupported("communicates between GPUs");
  if (!api().missing.empty()) return device::Support::unavailable(api().missing);
  return common_support(problem);
}

std::unique_ptr<Communicator> connect(const Member& member) { return nccl::connect(api(), member); }

/// What NCCL 2.28 has between the GPUs of one host without multicast (its src/device/generate.py).
/// PAT is for one GPU per host. Sends and receives have one way.
std::vector<Choice> choices(Operation operation) {
  std::vector<std::string_view> algorithms;
  if (operation == Operation::all_reduce) algorithms = {"ring", "tree"};
  if (operation == Operation::all_gather || operation == Operation::broadcast ||
      operation == Operation::reduce_scatter || operation == Operation::reduce)
    algorithms = {"ring"};
  std::vector<Choice> all;
  for (const std::string_view algorithm : algorithms)
    for (const std::string_view protocol : {"ll", "ll128", "simple"})
      all.push_back({algorithm, protocol});
  return all;
}

}  // namespace

Variant nccl() {
  return {"NCCL's own algorithms, one process per GPU",
          {DType::f32, DType::f16, DType::bf16, DType::i8},
          supports,
          connect,
          nullptr,
          choices};
}

}  // namespace ridgeline::collectives::on_cuda
