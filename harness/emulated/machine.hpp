#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/emulated/block.hpp"
#include "harness/emulated/cache_model.hpp"
#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/report.hpp"
#include "harness/emulated/settings.hpp"
#include "harness/emulated/shared_variables.hpp"
#include "harness/emulated/thread_pool.hpp"

namespace ridgeline::emulated {

/// An emulated GPU: memory, and launches that run at once. Blocks are independent, each of OS
/// threads that run many, or wait for each other and have one each: LaunchConfig says which. One
/// machine at a time in a process.
class Machine {
 public:
  explicit Machine(const Limits& limits, const Settings& settings = {});
  Machine(const Machine&) = delete;
  ~Machine();

  const Limits& limits() const { return limits_; }
  GlobalMemory& memory() { return memory_; }
  /// Runs the kernel. What it finds is in the report, and no Error; also that no GPU with these
  /// limits accepts the launch, which then does not run.
  const Report& launch(const device::LaunchConfig& config, const KernelCall& call);
  /// Ends launches, between two blocks, once all of them together have made so many accesses; 0:
  /// never. Such a report is cut.
  void limit_accesses(std::uint64_t most) { most_accesses_ = most; }
  /// Of all launches since the last call, in order.
  std::vector<Report> take_reports();

 private:
  const Limits limits_;
  const Settings settings_;
  GlobalMemory memory_;
  SharedVariables variables_;
  CacheModel caches_;
  ThreadPool pool_;
  std::vector<Report> reports_;
  std::uint64_t most_accesses_ = 0;
  std::atomic<std::uint64_t> accesses_{0};
};

}  // namespace ridgeline::emulated
