#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/log.hpp"
#include "harness/emulated/program/copies.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/program/streams.hpp"
#include "harness/emulated/results_digest.hpp"

// CUDA's runtime API for a program on the emulated device: memory.
namespace ridgeline::program {
namespace {

std::uint64_t address_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

bool is_device(const void* memory) { return emulated::is_global(address_of(memory)); }

/// What lies in global memory has to lie in one allocation.
bool is_fine(const void* memory, std::size_t bytes) {
  if (bytes == 0) return true;
  if (bytes > emulated::slot_span) return !is_program_variable(memory) && !is_device(memory);
  if (is_program_variable(memory))
    return emulated::ProgramVariables::have(address_of(memory), bytes);
  return !is_device(memory) || emulated::is_inside(address_of(memory), bytes);
}

/// Of rows that begin at multiples of 512 bytes; one that is too large stays so.
std::size_t pitch_of(std::size_t width) {
  return capped_product(width / 512 + (width % 512 != 0 ? 1 : 0), 512);
}

cudaError_t allocate(void** to, std::size_t bytes, const Session::Allocation& as, const char* name,
                     const char* call = nullptr, std::uint32_t pc = 0) {
  Session& session = Session::here();
  const std::lock_guard lock(together());
  if (call != nullptr)
    if (const cudaError_t error = unsafe_in_capture(call, pc); error != cudaSuccess) return error;
  if (call != nullptr) StreamOrder::here().host_waits_for_all();  // CUDA may, too
  if (to == nullptr) return session.fail(cudaErrorInvalidValue);
  *to = nullptr;
  if (bytes == 0 && !as.of_host) return cudaSuccess;
  static std::uint64_t made = 0;
  try {
    *to = session.machine().memory().allocate(bytes, fmt::format("{} {}", name, ++made));
  } catch (const Error&) {
    return session.fail(cudaErrorMemoryAllocation);
  }
  session.allocations[address_of(*to)] = {bytes, as.of_host, as.managed, pc};
  if (as.of_host || as.managed) session.machine().memory().mark(*to, bytes, true);
  return cudaSuccess;
}

}  // namespace

cudaError_t release(void* memory, const char* call, std::uint32_t pc) {
  Session& session = Session::here();
  const std::lock_guard lock(together());
  if (memory == nullptr) return cudaSuccess;
  const bool waits = std::string_view(call) != "cudaFreeAsync";
  if (waits) {
    host_has_waited();
    StreamOrder::here().host_waits_for_all();
  } else {
    open_managed_memory();
  }
  const auto known = session.allocations.find(address_of(memory));
  if (known != session.allocations.end()) Session::look_at_results(*known);
  if (session.allocations.erase(address_of(memory)) == 0) {
    session.host_mistake(call, pc,
                         fmt::format("{:#x} is no allocation that is there: it was freed before, "
                                     "or lies inside of one, or is the host's",
                                     address_of(memory)));
    return session.fail(cudaErrorInvalidValue);
  }
  session.machine().memory().release(memory);
  if (!waits) close_managed_memory_again();
  return cudaSuccess;
}

/// What a captured stream would do at each launch of its graph.
void refuse_in_capture(cudaStream_t stream, const char* call, std::uint32_t pc) {
  if (stream_of(stream).capture == nullptr) return;
  Session::here().host_mistake("unsupported", pc,
                               fmt::format("{} in a stream that is captured is not modelled: "
                                           "allocate before the capture",
                                           call));
  Session::here().end_program(1);
}

cudaError_t allocate_device(void** to, std::size_t bytes, const char* name, std::uint32_t pc) {
  return allocate(to, bytes, {}, name, nullptr, pc);
}

namespace {

/// Of a copy to the host: what nobody has written is made to look so, and is told. Memory that
/// nobody has written anywhere, though kernels have run, is a mistake. Where some of it was
/// written, the program may know how much: it is a note.
void look_for_unwritten(void* to, const void* from, std::size_t bytes, const char* call,
                        std::uint32_t pc) {
  Session& session = Session::here();
  const emulated::GlobalMemory& memory = session.machine().memory();
  const auto first = memory.first_unwritten(from, bytes);
  if (!first) return;
  std::size_t count = 0;
  for (std::size_t i = *first - address_of(from); i < bytes; ++i) {
    if (!memory.first_unwritten(static_cast<const char*>(from) + i, 1)) continue;
    static_cast<unsigned char*>(to)[i] = 0xFF;
    ++count;
  }
  const bool is_mistake = memory.is_untouched(from) && session.launches() != 0;
  const std::string detail =
      fmt::format("{}: {} of the {} bytes that the host gets were never written, first {}", call,
                  count, bytes, memory.describe(*first));
  if (is_mistake)
    session.host_mistake("uninitialised (download)", pc, detail + ": nobody has written to it");
  else
    session.host_note("uninitialised (download)", pc,
                      detail + ": no mistake if the program does not use them; they are 0xFF here");
}

}  // namespace

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, std::uint32_t pc) {
  Session& session = Session::here();
  if (bytes == 0) return cudaSuccess;
  const ManagedMemoryOpen open;
  const auto refuse = [&](const std::string& why) {
    session.host_mistake(call, pc, why);
    return session.fail(cudaErrorInvalidValue);
  };
  if (to == nullptr || from == nullptr)
    return refuse(fmt::format("the {} is a null pointer", to == nullptr ? "target" : "source"));
  for (const auto& [memory, what] :
       {std::pair{static_cast<const void*>(to), "target"}, std::pair{from, "source"}})
    if (!is_fine(memory, bytes))
      return refuse(fmt::format("the {} has no {} bytes: {}", what, bytes,
                                session.machine().memory().describe(address_of(memory))));
  const auto of_host = [&](const void* memory) {
    const auto behind = session.allocations.upper_bound(address_of(memory));
    return !is_device(memory) ||
           (behind != session.allocations.begin() &&
            (std::prev(behind)->second.of_host || std::prev(behind)->second.managed));
  };
  const auto of_program = [&](const void* memory) { return is_program_variable(memory); };
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
             from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault) {
    if (to_device && !is_device(to) && !of_program(to))
      return refuse(
          "the kind of the copy says that its target is on the device, and it is the "
          "host's");
    if (from_device && !is_device(from) && !of_program(from))
      return refuse(
          "the kind of the copy says that its source is on the device, and it is the "
          "host's");
    if (!to_device && !of_host(to))
      return refuse(
          "the kind of the copy says that its target is the host's, and it is on the "
          "device");
    if (!from_device && !of_host(from))
      return refuse(
          "the kind of the copy says that its source is the host's, and it is on the "
          "device");
  }
  StreamOrder::here().touch(from, bytes, false);
  StreamOrder::here().touch(to, bytes, true);
  // What is copied before it is marked, in case both overlap.
  if (is_device(to) && !of_host(to)) session.machine().memory().mark_copied(to, from, bytes);
  std::memmove(to, from, bytes);
  if (!is_device(to) || of_host(to)) {
    look_for_unwritten(to, from, bytes, call, pc);
    emulated::ResultsDigest::add(to, bytes);
  }
  return cudaSuccess;
}

cudaError_t set(void* to, unsigned value, unsigned element_bytes, std::size_t count,
                const char* call, std::uint32_t pc) {
  Session& session = Session::here();
  const std::size_t bytes = capped_product(element_bytes, count);
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || !is_fine(to, bytes)) {
    session.host_mistake(call, pc,
                         to == nullptr
                             ? "the target is a null pointer"
                             : fmt::format("the target has no {} bytes: {}", bytes,
                                           session.machine().memory().describe(address_of(to))));
    return session.fail(cudaErrorInvalidValue);
  }
  if (!is_device(to) && !is_program_variable(to)) {
    session.host_mistake(call, pc, "the target is the host's");
    return session.fail(cudaErrorInvalidValue);
  }
  const ManagedMemoryOpen open;
  StreamOrder::here().touch(to, bytes, true);
  if (element_bytes == 1)
    std::memset(to, static_cast<int>(value), bytes);
  else
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<char*>(to) + i * element_bytes, &value, element_bytes);
  if (is_device(to)) session.machine().memory().mark(to, bytes, true);
  return cudaSuccess;
}

Work linear_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, std::uint32_t pc) {
  cudaMemcpy3DParms as{};
  as.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  as.dstPtr = {to, bytes, bytes, 1};
  as.extent = {bytes, 1, 1};
  as.kind = kind;
  return {.type = cudaGraphNodeTypeMemcpy,
          .run = [=] { return copy(to, from, bytes, kind, call, pc); },
          .call = call,
          .pc = pc,
          .copy = as};
}

Work set_work(const cudaMemsetParams& of, const char* call, std::uint32_t pc) {
  const auto run = [=] {
    for (std::size_t row = 0; row < of.height; ++row)
      if (const cudaError_t error = set(static_cast<char*>(of.dst) + row * of.pitch, of.value,
                                        of.elementSize, of.width, call, pc);
          error != cudaSuccess)
        return error;
    return cudaSuccess;
  };
  return {.type = cudaGraphNodeTypeMemset, .run = run, .call = call, .pc = pc, .set = of};
}

namespace {

/// Of slices, a row of which has `to.pitch` bytes and each `to.ysize` rows.
Work set_3d(const cudaPitchedPtr& to, int value, const cudaExtent& extent, const char* call,
            std::uint32_t pc) {
  const auto run = [=] {
    for (std::size_t z = 0; z < extent.depth; ++z)
      if (const cudaError_t error =
              set_work({static_cast<char*>(to.ptr) + z * to.ysize * to.pitch, to.pitch,
                        static_cast<unsigned>(value), 1, extent.width, extent.height},
                       call, pc)
                  .run();
          error != cudaSuccess)
        return error;
    return cudaSuccess;
  };
  return {.type = cudaGraphNodeTypeMemset, .run = run};
}

void* part_of(const void* symbol, std::size_t offset) {
  return const_cast<char*>(static_cast<const char*>(symbol)) + offset;
}

}  // namespace

cudaError_t at_once(const char* call, std::uint32_t pc, const Work& work) {
  const std::lock_guard lock(together());
  if (const cudaError_t error = in_capture(call, pc); error != cudaSuccess) return error;
  host_has_waited();
  return in_stream(nullptr, call, pc, work, true);
}

bool is_program_variable(const void* memory) {
  return emulated::ProgramVariables::are_at(address_of(memory));
}

}  // namespace ridgeline::program

using ridgeline::program::allocate;
using ridgeline::program::allocate_device;
using ridgeline::program::at_once;
using ridgeline::program::capped_product;
using ridgeline::program::in_stream;
using ridgeline::program::linear_copy;
using ridgeline::program::part_of;
using ridgeline::program::pitch_of;
using ridgeline::program::refuse_in_capture;
using ridgeline::program::release;
using ridgeline::program::Session;
using ridgeline::program::set_3d;
using ridgeline::program::set_work;
using ridgeline::program::unsafe_in_capture;

extern "C" {

cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  return allocate(to, bytes, {}, "buffer", "cudaMalloc", RIDGELINE_CALLER);
}
cudaError_t cudaMallocAsync(void** to, std::size_t bytes, cudaStream_t stream) {
  refuse_in_capture(stream, "cudaMallocAsync", RIDGELINE_CALLER);
  return allocate_device(to, bytes, "buffer", RIDGELINE_CALLER);
}
cudaError_t cudaMallocManaged(void** to, std::size_t bytes, unsigned) {
  return allocate(to, bytes, {.managed = true}, "managed buffer", "cudaMallocManaged",
                  RIDGELINE_CALLER);
}
cudaError_t cudaMallocHost(void** to, std::size_t bytes) {
  return allocate(to, bytes, {.of_host = true}, "pinned buffer", "cudaMallocHost",
                  RIDGELINE_CALLER);
}
cudaError_t cudaHostAlloc(void** to, std::size_t bytes, unsigned) {
  return allocate(to, bytes, {.of_host = true}, "pinned buffer", "cudaHostAlloc", RIDGELINE_CALLER);
}
cudaError_t cudaMallocPitch(void** to, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = pitch_of(width);
  return allocate(to, capped_product(*pitch, height), {}, "pitched buffer", "cudaMallocPitch",
                  RIDGELINE_CALLER);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* to, cudaExtent extent) {
  to->pitch = pitch_of(extent.width);
  to->xsize = extent.width;
  to->ysize = extent.height;
  return allocate(&to->ptr, capped_product(capped_product(to->pitch, extent.height), extent.depth),
                  {}, "pitched buffer", "cudaMalloc3D", RIDGELINE_CALLER);
}
cudaError_t cudaFree(void* memory) {
  if (const cudaError_t error = unsafe_in_capture("cudaFree", RIDGELINE_CALLER);
      error != cudaSuccess)
    return error;
  return release(memory, "cudaFree", RIDGELINE_CALLER);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  refuse_in_capture(stream, "cudaFreeAsync", RIDGELINE_CALLER);
  return release(memory, "cudaFreeAsync", RIDGELINE_CALLER);
}
cudaError_t cudaFreeHost(void* memory) { return release(memory, "cudaFreeHost", RIDGELINE_CALLER); }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return at_once("cudaMemcpy", RIDGELINE_CALLER,
                 linear_copy(to, from, bytes, kind, "cudaMemcpy", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpyAsync", RIDGELINE_CALLER,
                   linear_copy(to, from, bytes, kind, "cudaMemcpyAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return at_once(
      "cudaMemcpyPeer", RIDGELINE_CALLER,
      linear_copy(to, from, bytes, cudaMemcpyDeviceToDevice, "cudaMemcpyPeer", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpyPeerAsync", RIDGELINE_CALLER,
                   linear_copy(to, from, bytes, cudaMemcpyDeviceToDevice, "cudaMemcpyPeerAsync",
                               RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
  return at_once("cudaMemcpyToSymbol", RIDGELINE_CALLER,
                 linear_copy(part_of(symbol, offset), from, bytes, kind, "cudaMemcpyToSymbol",
                             RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpyToSymbolAsync", RIDGELINE_CALLER,
                   linear_copy(part_of(symbol, offset), from, bytes, kind,
                               "cudaMemcpyToSymbolAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
  return at_once("cudaMemcpyFromSymbol", RIDGELINE_CALLER,
                 linear_copy(to, part_of(symbol, offset), bytes, kind, "cudaMemcpyFromSymbol",
                             RIDGELINE_CALLER));
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return in_stream(stream, "cudaMemcpyFromSymbolAsync", RIDGELINE_CALLER,
                   linear_copy(to, part_of(symbol, offset), bytes, kind,
                               "cudaMemcpyFromSymbolAsync", RIDGELINE_CALLER));
}
cudaError_t cudaGetSymbolAddress(void** to, const void* symbol) {
  *to = const_cast<void*>(symbol);
  return cudaSuccess;
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return in_stream(nullptr, "cudaMemset", RIDGELINE_CALLER,
                   set_work({to, bytes, static_cast<unsigned>(value), 1, bytes, 1}, "cudaMemset",
                            RIDGELINE_CALLER),
                   true);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return in_stream(stream, "cudaMemsetAsync", RIDGELINE_CALLER,
                   set_work({to, bytes, static_cast<unsigned>(value), 1, bytes, 1},
                            "cudaMemsetAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
  return in_stream(nullptr, "cudaMemset2D", RIDGELINE_CALLER,
                   set_work({to, pitch, static_cast<unsigned>(value), 1, width, height},
                            "cudaMemset2D", RIDGELINE_CALLER),
                   true);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return in_stream(stream, "cudaMemset2DAsync", RIDGELINE_CALLER,
                   set_work({to, pitch, static_cast<unsigned>(value), 1, width, height},
                            "cudaMemset2DAsync", RIDGELINE_CALLER));
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return in_stream(nullptr, "cudaMemset3D", RIDGELINE_CALLER,
                   set_3d(to, value, extent, "cudaMemset3D", RIDGELINE_CALLER), true);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return in_stream(stream, "cudaMemset3DAsync", RIDGELINE_CALLER,
                   set_3d(to, value, extent, "cudaMemset3DAsync", RIDGELINE_CALLER));
}

cudaError_t cudaHostGetDevicePointer(void** to, void* memory, unsigned) {
  *to = memory;
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  Session::here().note(
      "cudaHostRegister: memory that the program registers stays the host's here; "
      "a kernel that touches it is told so. Allocate it by cudaMallocHost().");
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = Session::here().device().facts().memory;
  std::size_t used = 0;
  for (const auto& [address, allocation] : Session::here().allocations) used += allocation.bytes;
  *free = *total - std::min(*total, used);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* to, const void* memory) {
  *to = {};
  to->type = cudaMemoryTypeUnregistered;
  const auto& all = Session::here().allocations;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const auto behind = all.upper_bound(address);
  if (behind == all.begin()) return cudaSuccess;
  const auto& [begin, allocation] = *std::prev(behind);
  if (address - begin >= allocation.bytes) return cudaSuccess;
  to->type = allocation.managed   ? cudaMemoryTypeManaged
             : allocation.of_host ? cudaMemoryTypeHost
                                  : cudaMemoryTypeDevice;
  to->devicePointer = const_cast<void*>(memory);
  to->hostPointer = allocation.managed || allocation.of_host ? const_cast<void*>(memory) : nullptr;
  return cudaSuccess;
}

}  // extern "C"
