#pragma once

#include <cstddef>
#include <cstdint>

#include <vector_types.h>

#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/copies.hpp"
#include "harness/emulated/findings.hpp"
#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/kernel_call.hpp"
#include "harness/emulated/lanes.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/emulated/others.hpp"
#include "harness/emulated/report.hpp"
#include "harness/emulated/requests.hpp"
#include "harness/emulated/shared_memory.hpp"

// In every function that a kernel calls: where it returns to.
#define RIDGELINE_CALLER \
  static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)))

namespace ridgeline::emulated {

inline constexpr std::uint32_t cluster_barrier = 0xFFFFFFFFu;  // beside the numbers of the block's
                                                               // own barriers

/// Runs blocks, one after the other, on the calling OS thread: each warp's lanes until all wait,
/// then what they did is aligned into requests, counted and checked.
class Block {
 public:
  Block(GlobalMemory& global, const SharedVariables& variables, const Limits& limits)
      : memory(global),
        shared(variables, limits.shared_bytes),
        requests(*this, limits.l2_bytes != 0) {}
  Block(const Block&) = delete;

  /// Prepares for the blocks of a launch. Lanes and warps go on in an order drawn from `seed`; 0:
  /// in theirs.
  void begin(const device::LaunchConfig& config, const KernelCall& call, std::uint64_t seed);
  /// Runs block number `number`, one of `residents` where it has others to wait for. False when a
  /// finding ended it before its end; the launch then ends, too.
  bool run(std::uint64_t number, ResidentBlocks* residents = nullptr, std::size_t place = 0);
  /// What the blocks since begin() did; sites and findings in no order.
  Report end();
  const device::LaunchConfig& config() const { return config_; }
  std::uint64_t number() const { return number_; }
  uint3 index() const { return index_; }
  /// A finding for each place at which lanes wait: for what, and what is known of those who do not
  /// come.
  void say_who_waits();

  // ---- what kernels call, on their lane

  /// The block that runs on this OS thread.
  static Block& current() { return *here_; }
  int barrier(std::uint32_t barrier, std::uint32_t pc, Combine combine, int predicate);
  /// The same as Lanes::log(), for an access that may be out of bounds or misaligned: then the
  /// launch ends.
  void check_and_log(std::uint64_t address, std::uint32_t pc, Act act, int bytes) {
    const auto count = static_cast<std::uint64_t>(bytes);
    if ((address & (count - 1)) != 0 ||
        (is_global(address) && (!is_inside(address, count) || hot.early)))
      refuse_access(address, pc, bytes);
    lanes.log(address, pc, act, bytes);
  }
  static constexpr const char* too_early =
      "global memory is touched before previous_kernel_wait(), and the kernel may begin early";
  [[noreturn]] void refuse_access(std::uint64_t address, std::uint32_t pc, int bytes);
  void count_tensor_instruction(std::uint32_t pc) {
    ++requests.sites.at(pc, Space::tensor, Act::collective, 0).requests;
  }

  GlobalMemory& memory;
  SharedMemory shared;
  Findings findings;
  Lanes lanes{findings};
  Copies copies{lanes};
  Others others{*this};
  AsyncUnit async{*this};
  Requests requests;

 private:
  bool release_barrier();

  static constinit thread_local Block* here_ __attribute__((tls_model("initial-exec")));
  device::LaunchConfig config_;
  uint3 index_{};
  std::uint64_t number_ = 0, barriers_ = 0;
};

}  // namespace ridgeline::emulated
