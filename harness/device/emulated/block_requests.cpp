#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "harness/device/emulated/block.hpp"
#include "harness/device/emulated/traffic.hpp"

// What a block's requests come to: they are counted, and checked against memory and its history.

// Where the program begins and ends, by the linker.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" char __executable_start, _end;

namespace ridgeline::device::emulated {
namespace {

bool is_constant(std::uint64_t address) {
  return address - reinterpret_cast<std::uint64_t>(&__executable_start) <
         static_cast<std::uint64_t>(&_end - &__executable_start);
}

}  // namespace

void Block::barrier() { history_.warp_barrier(aligned_warp_); }

void Block::request(const Request& request) {
  accesses_ += static_cast<std::uint64_t>(request.count);
  int global = 0;
  for (const std::uint64_t address : request.active_addresses()) global += is_global(address) ? 1 : 0;
  if (global == request.count) return global_request(request);
  if (global == 0) return shared_request(request);
  // Generic addresses of both kinds: the hardware takes them apart, too.
  for (const bool wanted : {true, false}) {
    Request part = request;
    part.count = 0;
    for (int i = 0; i < request.count; ++i) {
      const auto at = static_cast<std::size_t>(i), to = static_cast<std::size_t>(part.count);
      if (is_global(request.addresses[at]) != wanted) continue;
      part.addresses[to] = request.addresses[at];
      part.lanes[to] = request.lanes[at];
      ++part.count;
    }
    wanted ? global_request(part) : shared_request(part);
  }
}

void Block::global_request(const Request& request) {
  Site& site = sites_.at(request.pc, Space::global, request.act, request.bytes);
  ++site.requests;
  site.lanes += static_cast<std::uint64_t>(request.count);
  site.sectors += static_cast<std::uint64_t>(sectors(request.active_addresses()));
  const Act act = request.act == Act::copy_read ? Act::read : request.act;  // to memory they are the same
  for (int i = 0; i < request.count; ++i) {
    const std::uint64_t address = request.addresses[static_cast<std::size_t>(i)];
    const int thread = 32 * aligned_warp_ + request.lanes[static_cast<std::size_t>(i)];
    if (!memory_.note(address, request.bytes, act))
      find("uninitialised (global)", request.pc, thread, -1, memory_.describe(address));
    const GlobalMemory::Race race = memory_.touch(address, request.bytes, act, static_cast<std::uint32_t>(number_));
    if (race == GlobalMemory::Race::none) continue;
    find(race == GlobalMemory::Race::read_after_write ? "race between blocks (read after write)"
                                                      : "race between blocks (write after access)",
         request.pc, thread, -1, memory_.describe(address));
  }
}

void Block::shared_request(const Request& request) {
  const auto dynamic = reinterpret_cast<std::uint64_t>(dynamic_);
  const std::uint64_t address = request.addresses[0];
  const int first_thread = 32 * aligned_warp_ + request.lanes[0];
  const auto bytes = static_cast<std::uint64_t>(request.bytes);
  // The lanes' addresses span [low, high) of one array.
  const auto [low_at, high_at] = std::ranges::minmax_element(request.active_addresses());
  const std::uint64_t low = *low_at, high = *high_at + bytes;
  std::uint64_t offset_of_zero = 0;  // in the history, of address 0
  std::string_view name = "dynamic shared memory";
  std::uint64_t begin = dynamic, end = dynamic + config_.shared_bytes;
  if (address - static_shared_ < variables_.bytes()) {
    const SharedVariables::Variable* const variable = variables_.at(address - static_shared_);
    begin = end = static_shared_;
    if (variable != nullptr) {
      begin = static_shared_ + variable->offset;
      end = begin + variable->bytes;
    }
    name = variable != nullptr ? std::string_view(variable->name) : "a variable without a name";
    offset_of_zero = 0 - static_shared_;
  } else if (address - dynamic < limits_.shared_bytes + 4096) {
    offset_of_zero = static_bytes_ - dynamic;
  } else {
    accesses_ -= static_cast<std::uint64_t>(request.count);
    if (!is_constant(address)) find("host memory", request.pc, first_thread, -1, fmt::format("{:#x}", address));
    return;
  }
  if (request.act == Act::copy_end) {  // counted when it began
    accesses_ -= static_cast<std::uint64_t>(request.count);
  } else {
    Site& site = sites_.at(request.pc, Space::shared, request.act, request.bytes);
    ++site.requests;
    site.lanes += static_cast<std::uint64_t>(request.count);
    site.wavefronts +=
        static_cast<std::uint64_t>(wavefronts(request.active_addresses(), request.active_lanes(), request.bytes));
  }
  if (low < begin || high > end) {
    for (int i = 0; i < request.count; ++i) {
      const std::uint64_t bad = request.addresses[static_cast<std::size_t>(i)];
      if (bad >= begin && bad + bytes <= end) continue;
      find("out of bounds (shared)", request.pc, 32 * aligned_warp_ + request.lanes[static_cast<std::size_t>(i)], -1,
           fmt::format("{} of {} bytes {} {}", name, end - begin, bad < begin ? "-" : "+",
                       bad < begin ? begin - bad : bad - begin));
      return;
    }
  }
  for (int i = 0; i < request.count; ++i) {
    const std::uint64_t offset = request.addresses[static_cast<std::size_t>(i)] + offset_of_zero;
    const int thread = 32 * aligned_warp_ + request.lanes[static_cast<std::size_t>(i)];
    if ((request.act == Act::read || request.act == Act::atomic) && !history_.written(offset, request.bytes))
      find("uninitialised (shared)", request.pc, thread, -1, std::string(name));
    if (const auto conflict = history_.access(offset, request.bytes, request.act, thread))
      find(conflict->what, request.pc, thread, conflict->other, std::string(name));
  }
}

}  // namespace ridgeline::device::emulated
