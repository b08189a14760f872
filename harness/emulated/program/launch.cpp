#include "harness/emulated/program/launch.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/calls.hpp"
#include "harness/emulated/program/device_functions.hpp"
#include "harness/emulated/program/latest_launch.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/program_symbols.hpp"

namespace ridgeline::program {

namespace {

constexpr std::size_t shared_without_asking = 48 << 10;

/// Of the launches whose kernels have not been called yet. Only the host's thread has any.
thread_local std::vector<device::LaunchConfig> configured;
thread_local bool launching = false;
LatestLaunch latest;

/// `pc`: where the user's code goes on.
void begin(const device::LaunchConfig& config, std::uint32_t pc) {
  // On a lane: a kernel that launches kernels.
  if (emulated::hot.next != nullptr)
    emulated::Block::current().lanes.stop(
        "unsupported", pc, -1,
        "a launch by a kernel (dynamic parallelism); launch it from the host");
  configured.push_back(config);
  launching = true;
}

}  // namespace

void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t) {
  begin({.grid = grid, .block = block, .shared_bytes = shared_bytes}, RIDGELINE_CALLER);
}

void configure_resident(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t) {
  begin({.grid = grid, .block = block, .shared_bytes = shared_bytes, .resident = true},
        RIDGELINE_CALLER);
}

void configure_extended(const cudaLaunchConfig_t& config) {
  device::LaunchConfig to{
      .grid = config.gridDim, .block = config.blockDim, .shared_bytes = config.dynamicSmemBytes};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      to.cluster =
          dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
    if (attribute.id == cudaLaunchAttributeCooperative)
      to.resident = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      to.early = attribute.val.programmaticStreamSerializationAllowed != 0;
  }
  begin(to, RIDGELINE_CALLER);
}

bool is_launching() {
  if (launching) return true;
  if (emulated::hot.next != nullptr) return false;
  Session& session = Session::here();
  session.host_mistake("call of a kernel", RIDGELINE_CALLER,
                       "the host calls it without <<<>>>: a GPU's runtime says that the "
                       "configuration is missing");
  session.end_program(1);
  return false;
}

namespace {

unsigned* arrivals = nullptr;  // of the resident grid that runs; null: none does

/// Zeroed, as each launch finds it.
unsigned* fresh_arrivals() {
  static unsigned* const counter =
      static_cast<unsigned*>(Session::here().machine().memory().allocate(
          sizeof(unsigned), "arrivals at the grid's barrier"));
  *counter = 0;
  Session::here().machine().memory().mark(counter, sizeof *counter, true);
  return counter;
}

}  // namespace

unsigned* grid_arrivals() { return arrivals; }

const LatestLaunch& latest_launch() { return latest; }

void launch_configured(dim3 cluster, const emulated::KernelCall& call) {
  // Threads of the host take turns. A kernel that launches does not come here.
  static std::mutex together;
  const std::lock_guard lock(together);
  device::LaunchConfig config = configured.back();
  configured.pop_back();
  launching = !configured.empty();
  if (config.cluster.x * config.cluster.y * config.cluster.z == 1) config.cluster = cluster;
  Session& session = Session::here();
  const auto* kernel = reinterpret_cast<const void*>(call.kernel);
  const auto name = [&] {
    return emulated::function_name(reinterpret_cast<std::uint64_t>(call.kernel));
  };
  if (config.grid.x == 0 || config.grid.y == 0 || config.grid.z == 0) {
    session.fail(cudaErrorInvalidConfiguration);
    session.host_mistake("grid of a wrong size", RIDGELINE_CALLER,
                         fmt::format("{} is launched with no blocks", name()));
    return;
  }
  const auto asked = session.dynamic_shared.find(kernel);
  const std::size_t allowed =
      std::max(shared_without_asking, asked == session.dynamic_shared.end() ? 0 : asked->second);
  if (config.shared_bytes > allowed) {
    session.fail(cudaErrorInvalidValue);
    session.host_mistake(
        "too much shared memory", RIDGELINE_CALLER,
        fmt::format("{} is launched with {} bytes of dynamic shared memory; above {} it has to be "
                    "asked for by cudaFuncSetAttribute(kernel, "
                    "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
                    name(), config.shared_bytes, allowed));
    return;
  }
  arrivals = config.resident ? fresh_arrivals() : nullptr;
  const bool was_launching = std::exchange(launching, false);
  open_managed_memory();
  latest = {reinterpret_cast<std::uint64_t>(call.kernel), config.grid, config.block, true};
  const emulated::Report report = session.machine().launch(config, call);
  latest.runs = false;
  launching = was_launching;
  session.launched(report);
  close_managed_memory(call);
}

cudaError_t launch_error() { return Session::here().last_error; }

void leave(int code) {
  Session::here().end_program(code);
  __builtin_unreachable();
}

void refuse_untyped_launch() {
  Session& session = Session::here();
  session.host_mistake("unsupported", 0,
                       "a kernel is launched by an address without a type: name the kernel in the "
                       "call of cudaLaunchKernel(), or launch it with <<<>>>");
  session.end_program(1);
  __builtin_unreachable();
}

}  // namespace ridgeline::program
