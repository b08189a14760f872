#include "harness/emulated/program/launch.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/calls.hpp"
#include "harness/emulated/program/device_functions.hpp"
#include "harness/emulated/program/kernel_work.hpp"
#include "harness/emulated/program/latest_launch.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/program/streams.hpp"
#include "harness/emulated/program_symbols.hpp"

namespace ridgeline::program {

namespace {

constexpr std::size_t shared_without_asking = 48 << 10;

struct Configured {
  device::LaunchConfig config;
  cudaStream_t stream = nullptr;
  std::uint32_t pc = 0;  // behind what says so
};
/// Of the launches whose kernels have not been called yet. Only the host's thread has any.
thread_local std::vector<Configured> configured;
thread_local bool launching = false;
LatestLaunch latest;

/// What is wanted of the next launch in the place of running it.
struct Wanted {
  LaunchUntyped again = nullptr;
  dim3 cluster{};
  KernelWork* work = nullptr;
};
thread_local Wanted* wanted = nullptr;

void begin(const device::LaunchConfig& config, cudaStream_t stream, std::uint32_t pc) {
  // On a lane: a kernel that launches kernels.
  if (emulated::hot.next != nullptr)
    emulated::Block::current().lanes.stop(
        "unsupported", pc, -1,
        "a launch by a kernel (dynamic parallelism); launch it from the host");
  configured.push_back({config, stream, pc});
  launching = true;
}

}  // namespace

void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  begin({.grid = grid, .block = block, .shared_bytes = shared_bytes}, stream, RIDGELINE_CALLER);
}

void configure_resident(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  begin({.grid = grid, .block = block, .shared_bytes = shared_bytes, .resident = true}, stream,
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
  begin(to, config.stream, RIDGELINE_CALLER);
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

namespace {

cudaError_t run(const device::LaunchConfig& config, const emulated::KernelCall& call,
                std::uint32_t pc) {
  Session& session = Session::here();
  const auto* kernel = reinterpret_cast<const void*>(call.kernel);
  const auto name = [&] {
    return emulated::function_name(reinterpret_cast<std::uint64_t>(call.kernel));
  };
  if (config.grid.x == 0 || config.grid.y == 0 || config.grid.z == 0) {
    session.host_mistake("grid of a wrong size", pc,
                         fmt::format("{} is launched with no blocks", name()));
    return session.fail(cudaErrorInvalidConfiguration);
  }
  const auto asked = session.dynamic_shared.find(kernel);
  const std::size_t allowed =
      std::max(shared_without_asking, asked == session.dynamic_shared.end() ? 0 : asked->second);
  if (config.shared_bytes > allowed) {
    session.host_mistake(
        "too much shared memory", pc,
        fmt::format("{} is launched with {} bytes of dynamic shared memory; above {} it has to be "
                    "asked for by cudaFuncSetAttribute(kernel, "
                    "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
                    name(), config.shared_bytes, allowed));
    return session.fail(cudaErrorInvalidValue);
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
  return cudaSuccess;
}

KernelWork kept(const device::LaunchConfig& config, const emulated::KernelCall& call,
                std::uint32_t pc) {
  const auto bytes = [](const void* at, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(at);
    return std::vector(first, first + count);
  };
  KernelWork to{config, call.run, call.kernel, bytes(call.arguments, call.bytes), {}, pc};
  for (const emulated::Argument& each : call.each)
    if (each.at != nullptr) to.each.push_back(bytes(each.at, each.bytes));
  return to;
}

/// How kernels are launched of which only the address is known: each is called once as if it were
/// launched, with zeroes, which its beginning takes for arguments and hands on here.
const Wanted& known_kernel(void (*kernel)()) {
  static std::map<void (*)(), Wanted> known;
  Wanted& of = known[kernel];
  if (of.again != nullptr) return of;
  struct Stack {
    std::uint64_t words[512];
  };
  using Called = void (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                          std::uint64_t, std::uint64_t, std::uint64_t, double, double, double,
                          double, double, double, double, double, Stack);
  begin({}, nullptr, 0);
  wanted = &of;
  reinterpret_cast<Called>(kernel)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {});
  return of;
}

}  // namespace

void launch_configured(dim3 cluster, const emulated::KernelCall& call, LaunchUntyped again) {
  const std::lock_guard lock(together());
  auto [config, stream, pc] = configured.back();
  configured.pop_back();
  launching = !configured.empty();
  if (config.cluster.x * config.cluster.y * config.cluster.z == 1) config.cluster = cluster;
  if (Wanted* const wants = std::exchange(wanted, nullptr)) {
    if (wants->work != nullptr) *wants->work = kept(config, call, pc);
    wants->again = again;
    wants->cluster = cluster;
    return;
  }
  if (stream_of(stream).capture == nullptr) {
    in_stream(stream, "launch", pc,
              {.type = cudaGraphNodeTypeKernel, .run = [&] { return run(config, call, pc); }});
    return;
  }
  auto work = std::make_shared<const KernelWork>(kept(config, call, pc));
  in_stream(
      stream, "launch", pc,
      {.type = cudaGraphNodeTypeKernel, .run = [work] { return launch(*work); }, .kernel = work});
}

cudaError_t launch(const KernelWork& work) {
  const std::lock_guard lock(together());
  std::vector<emulated::Argument> each;
  for (const std::vector<std::byte>& bytes : work.each)
    each.push_back({bytes.data(), bytes.size()});
  return run(work.config,
             {work.run, work.arguments.data(), work.arguments.size(), work.kernel, each}, work.pc);
}

KernelWork kernel_work(const cudaKernelNodeParams& from, std::uint32_t pc) {
  const std::lock_guard lock(together());
  const auto at = reinterpret_cast<void (*)()>(from.func);
  const Wanted& kernel = known_kernel(at);
  KernelWork made;
  Wanted work{.work = &made};
  begin({.grid = from.gridDim, .block = from.blockDim, .shared_bytes = from.sharedMemBytes},
        nullptr, pc);
  wanted = &work;
  kernel.again(kernel.cluster, at, from.kernelParams);
  return made;
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
