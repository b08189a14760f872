#include "harness/emulated/program/managed_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <vector>

#include <sys/mman.h>
#include <sys/ucontext.h>

#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/log.hpp"
#include "harness/emulated/program/session.hpp"

namespace ridgeline::program {
namespace {

constexpr std::uint64_t page_bytes = 4096;

struct Touched {
  std::uint64_t address = 0;
  std::uint32_t pc = 0;
};

// What a handler of signals reads and writes is made beforehand.
struct Closed {
  std::uint64_t begin = 0, end = 0;  // whole pages
  int how = PROT_NONE;
};
std::array<Closed, 64> closed;
std::size_t kept_count = 0;                // that launches were given since the host has waited
std::atomic<std::size_t> closed_count{0};  // all of them, or none
std::array<Touched, 64> touched;
std::atomic<std::size_t> touched_count{0};
std::uint32_t since = 1;  // launches from then on have not been waited for
struct sigaction before;

bool protect(const Closed& pages, int how) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return ::mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, how) == 0;
}

/// Opens the page that the host has come to, and notes the access where a launch has made another
/// one there that nobody has waited for. Linux keeps so many ranges apart and no more
/// (vm.max_map_count): then all of the allocation is opened.
void handle(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  const std::size_t count = closed_count;
  const auto* const end = closed.cbegin() + count;
  const auto* const pages = std::find_if(closed.cbegin(), end, [&](const Closed& each) {
    return each.begin <= address && address < each.end;
  });
  if (emulated::hot.next != nullptr || pages == end) {
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
    ::sigaction(signal, &before, nullptr);
    return;
  }
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto pc = static_cast<std::uint64_t>(registers.gregs[REG_RIP]);
  const bool writes = (registers.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
  const std::uint64_t pc = registers.pc;
  const bool writes = false;  // not told
#endif
  const std::uint64_t page = address / page_bytes * page_bytes;
  if (!protect({page, page + page_bytes, PROT_NONE}, PROT_READ | PROT_WRITE))
    protect(*pages, PROT_READ | PROT_WRITE);
  if (!Session::here().machine().memory().touched_since(address, since, writes)) return;
  const std::size_t at = touched_count++;
  // Lines are looked up as those of calls, of which the address behind is known; other libraries
  // have none.
  if (at < touched.size())
    touched[at] = {address, pc < (std::uint64_t{1} << 32) ? static_cast<std::uint32_t>(pc) + 1 : 0};
}

/// Behind the device's own handler, which is there since the first launch.
void install() {
  static const bool once = [] {
    struct sigaction action {};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    action.sa_sigaction = handle;
    ::sigaction(SIGSEGV, &action, &before);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

void close_managed_memory(const emulated::KernelCall& call) {
  const auto& all = Session::here().allocations;
  for (const emulated::Argument& argument : call.each)
    for (std::size_t at = 0; at + 8 <= argument.bytes; at += 8) {
      std::uint64_t address = 0;
      std::memcpy(&address, static_cast<const std::byte*>(argument.at) + at, sizeof address);
      const auto behind = all.upper_bound(address);
      if (behind == all.begin() || kept_count == closed.size()) continue;
      const auto& [begin, allocation] = *std::prev(behind);
      if (!allocation.managed || address >= begin + allocation.bytes) continue;
      const auto* const kept = closed.cbegin() + kept_count;
      if (std::any_of(closed.cbegin(), kept,
                      [&](const Closed& each) { return each.begin == begin; }))
        continue;
      closed[kept_count++] = {
          begin, (begin + allocation.bytes + page_bytes - 1) / page_bytes * page_bytes, PROT_NONE};
    }
  close_managed_memory_again();
}

void keep_pinned_memory(const void* memory, std::size_t bytes, bool copy_writes) {
  const auto& all = Session::here().allocations;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const auto behind = all.upper_bound(address);
  if (behind == all.begin() || kept_count == closed.size()) return;
  const auto& [begin, allocation] = *std::prev(behind);
  if (!allocation.of_host || address >= begin + allocation.bytes) return;
  const Closed pages{address / page_bytes * page_bytes,
                     (address + bytes + page_bytes - 1) / page_bytes * page_bytes,
                     copy_writes ? PROT_NONE : PROT_READ};
  const auto* const kept = closed.cbegin() + kept_count;
  if (std::none_of(closed.cbegin(), kept, [&](const Closed& each) {
        return each.begin == pages.begin && each.end == pages.end && each.how == pages.how;
      }))
    closed[kept_count++] = pages;
}

void close_managed_memory_again() {
  if (kept_count == 0) return;
  install();
  closed_count = kept_count;
  for (std::size_t i = 0; i < kept_count; ++i) protect(closed[i], closed[i].how);
}

void open_managed_memory() {
  for (std::size_t i = closed_count.exchange(0); i-- > 0;)
    protect(closed[i], PROT_READ | PROT_WRITE);
  Session& session = Session::here();
  const std::size_t count = std::min(touched_count.exchange(0), touched.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto behind = session.allocations.upper_bound(touched[i].address);
    const bool is_pinned =
        behind != session.allocations.begin() && std::prev(behind)->second.of_host;
    session.host_mistake(
        is_pinned ? "host touches pinned memory too early"
                  : "host touches managed memory too early",
        touched[i].pc,
        session.machine().memory().describe(touched[i].address) +
            (is_pinned ? ", which a copy has touched that may still be under way: wait for it, as "
                         "by cudaStreamSynchronize()"
                       : ", which a kernel has touched that may still run: wait for it, as by "
                         "cudaDeviceSynchronize()"));
  }
}

void host_has_waited() {
  open_managed_memory();
  kept_count = 0;
  since = Session::here().machine().memory().next_launch();
}

}  // namespace ridgeline::program
