#pragma once

#include <cstddef>
#include <cstdint>

#include <vector_types.h>

#include "harness/emulated/async_unit.hpp"
#include "harness/emulated/copies.hpp"
#include "harness/emulated/faults.hpp"
#include "harness/emulated/findings.hpp"
#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/kernel_call.hpp"
#include "harness/emulated/lanes.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/emulated/others.hpp"
#include "harness/emulated/outside_accesses.hpp"
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
  /// Runs block number `number`, one of `residents` where it has others to wait for, or one of
  /// `turns`. False when a finding ended it before its end; the launch then ends, too.
  bool run(std::uint64_t number, ResidentBlocks* residents = nullptr, std::size_t place = 0,
           BlockTurns* turns = nullptr);
  /// What the blocks since begin() did; sites and findings in no order.
  Report end();
  const device::LaunchConfig& config() const { return config_; }
  std::uint64_t number() const { return number_; }
  uint3 index() const { return index_; }
  /// That have been passed.
  std::uint64_t barriers() const { return barriers_; }
  /// A finding for each place at which lanes wait: for what, and what is known of those who do not
  /// come.
  void say_who_waits();

  // ---- what kernels call, on their lane

  /// The block that runs on this OS thread.
  static Block& current() { return *here_; }
  int barrier(std::uint32_t barrier, std::uint32_t pc, Combine combine, int predicate);
  /// Whether the running lane may touch those bytes, as far as is seen at once.
  [[gnu::always_inline]] static bool is_fine(const Hot& here, std::uint64_t address,
                                             std::uint64_t bytes) {
    if ((address & (bytes - 1)) != 0) return false;
    if (is_global(address)) return is_inside(address, bytes) && !here.early;
    const std::uint64_t in_static = address - here.shared, in_dynamic = address - here.dynamic;
    if (in_static < here.shared_bytes) return in_static % 16 + bytes <= here.room[in_static / 16];
    return in_dynamic < here.dynamic_bytes && in_dynamic + bytes <= here.dynamic_bytes;
  }
  /// The same as Lanes::log(), for an access that may be out of bounds or misaligned: then the
  /// launch ends.
  void check_and_log(std::uint64_t address, std::uint32_t pc, Act act, int bytes) {
    if (!is_fine(hot, address, static_cast<std::uint64_t>(bytes))) look_closer(address, pc, bytes);
    lanes.log(address, pc, act, bytes);
  }
  static constexpr const char* too_early =
      "global memory is touched before previous_kernel_wait(), and the kernel may begin early";
  /// Ends the launch unless an access that is not is_fine() may be made all the same: to what the
  /// program holds itself, and to shared memory of other blocks of the cluster.
  void look_closer(std::uint64_t address, std::uint32_t pc, int bytes);
  void count_tensor_instruction(std::uint32_t pc) {
    ++requests.sites.at(pc, Space::tensor, Act::collective, 0).requests;
  }

  Faults faults;
  GlobalMemory& memory;
  SharedMemory shared;
  Findings findings;
  Lanes lanes{findings};
  Copies copies{lanes, [this](const void* source, std::uint32_t pc) {
                  const auto address = reinterpret_cast<std::uint64_t>(source);
                  findings.add("source of a copy is changed while it is under way", pc,
                               lanes.running().thread, -1, memory.describe(address), address);
                }};
  Others others{*this};
  AsyncUnit async{*this};
  OutsideAccesses outside{*this};
  Requests requests;

 private:
  bool release_barrier();
  std::string who_is_where(const Lane& here);

  static constinit thread_local Block* here_ __attribute__((tls_model("initial-exec")));
  device::LaunchConfig config_;
  uint3 index_{};
  std::uint64_t number_ = 0, barriers_ = 0;
};

}  // namespace ridgeline::emulated
