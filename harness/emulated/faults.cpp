#include "harness/emulated/faults.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/emulated/block.hpp"

// A handler of signals may call next to nothing. So ours changes where the interrupted lane goes
// on: in a function that ends the launch like any other finding, on a stack of its own, because the
// lane's may be what is at fault.
namespace ridgeline::emulated {
namespace {

constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr int tick = SIGVTALRM;
constexpr std::size_t handler_bytes = std::size_t{64} << 10, landing_bytes = std::size_t{256} << 10;
constexpr long tick_ns = 100'000'000;

struct Fault {
  int signal = 0;
  std::uint64_t address = 0;
  std::uint32_t pc = 0;
};
struct OfThread {
  std::byte* landing = nullptr;  // where its stack ends; null: none of ours
  stack_t outer{};               // of handlers, before ours
  Fault fault;
  // At the last tick.
  const Entry* next = nullptr;
  std::uint32_t hops = 0;
  int idle_ticks = 0;
};
thread_local constinit OfThread of_thread __attribute__((tls_model("initial-exec")));

std::atomic<int> most_idle_ticks{100};
struct sigaction before[std::size(faults)];

const char* check_of(int signal) {
  switch (signal) {
    case SIGFPE:
      return "division by zero";
    case SIGILL:
    case SIGTRAP:
      return "trap";
    case SIGABRT:
      return "abort";
    case tick:
      return "endless loop";
    default:
      return "invalid address";
  }
}

std::string detail_of(const Fault& fault, double seconds) {
  switch (fault.signal) {
    case SIGFPE:
      return "an integer is divided by zero, or its smallest value by -1";
    case SIGILL:
    case SIGTRAP:
      return "the kernel ends itself";
    case SIGABRT:
      return "the kernel calls abort()";
    case tick:
      return fmt::format(
          "no access to memory for {} s of processor time: what the loop waits for is read once, "
          "before it, unless it is volatile or atomic",
          seconds);
    default:
      return fault.address < 65536 ? fmt::format("a null pointer: {:#x}", fault.address)
                                   : fmt::format(
                                         "{:#x}, which no check has seen before; a "
                                         "recursion without end looks like this, too",
                                         fault.address);
  }
}

[[noreturn, gnu::noinline]] void land() {
  const Fault fault = of_thread.fault;
  const double seconds = static_cast<double>(most_idle_ticks) * tick_ns / 1e9;
  Block::current().lanes.stop(check_of(fault.signal), fault.pc, -1, detail_of(fault, seconds));
}

/// Has the interrupted code go on in land().
void redirect(ucontext_t& context, int signal, std::uint64_t address) {
  auto* const stack = reinterpret_cast<std::uintptr_t*>(of_thread.landing);
#if defined(__x86_64__)
  auto& registers = context.uc_mcontext.gregs;
  const auto pc = static_cast<std::uint64_t>(registers[REG_RIP]);
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&land));
  registers[REG_RSP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(stack - 1));  // as
                                                                                          // behind
                                                                                          // a call
#elif defined(__aarch64__)
  const std::uint64_t pc = context.uc_mcontext.pc;
  context.uc_mcontext.pc = reinterpret_cast<std::uintptr_t>(&land);
  context.uc_mcontext.sp = reinterpret_cast<std::uintptr_t>(stack);
#else
#error "say where this machine keeps the program counter and the stack pointer"
#endif
  // Lines are looked up as those of calls, of which the address behind is known. An address of
  // another library has no line: then the last access of the lane is near.
  const Entry* const last = Lanes::logged().empty() ? nullptr : hot.next - 1;
  of_thread.fault = {signal, address,
                     pc < (std::uint64_t{1} << 32) ? static_cast<std::uint32_t>(pc) + 1
                     : last != nullptr             ? last->pc
                                                   : 0};
}

void handle_fault(int signal, siginfo_t* info, void* context) {
  if (hot.next == nullptr || of_thread.landing == nullptr) {
    // Not ours: as it would have gone without us, once the instruction is repeated.
    const auto which = std::find(std::begin(faults), std::end(faults), signal) - std::begin(faults);
    ::sigaction(signal, &before[which], nullptr);
    if (info->si_code <= 0) ::raise(signal);  // it was sent, and no instruction will repeat it
    return;
  }
  redirect(*static_cast<ucontext_t*>(context), signal,
           reinterpret_cast<std::uint64_t>(info->si_addr));
}

void handle_tick(int, siginfo_t*, void* context) {
  OfThread& mine = of_thread;
  if (hot.next == nullptr || hot.next != mine.next || hot.hops != mine.hops) {
    mine.next = hot.next;
    mine.hops = hot.hops;
    mine.idle_ticks = 0;
    return;
  }
  if (++mine.idle_ticks < most_idle_ticks || mine.landing == nullptr) return;
  mine.idle_ticks = 0;
  redirect(*static_cast<ucontext_t*>(context), tick, 0);
}

void install() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = handle_fault;
  for (std::size_t i = 0; i < std::size(faults); ++i) ::sigaction(faults[i], &action, &before[i]);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.sa_sigaction = handle_tick;
  ::sigaction(tick, &action, nullptr);
}

}  // namespace

void Faults::allow_idle(double seconds) {
  most_idle_ticks = std::max(1, static_cast<int>(seconds * 1e9 / tick_ns));
}

Faults::Faults() : stacks_(new std::byte[handler_bytes + landing_bytes]) {
  static std::once_flag once;
  std::call_once(once, install);
  const stack_t stack{.ss_sp = stacks_.get(), .ss_flags = 0, .ss_size = handler_bytes};
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = tick;
  event._sigev_un._tid = ::gettid();
  const itimerspec every{.it_interval = {0, tick_ns}, .it_value = {0, tick_ns}};
  stack_t outer{};
  if (::sigaltstack(&stack, &outer) != 0 ||
      ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) != 0 ||
      ::timer_settime(timer_, 0, &every, nullptr) != 0)
    throw Error(ErrorKind::dependency, "the emulated device cannot watch its threads",
                "the limit on pending signals (ulimit -i) must leave one for each");
  of_thread = {};
  of_thread.outer = outer;
  of_thread.landing = stacks_.get() + (handler_bytes + landing_bytes) / 16 * 16;
  of_thread.landing -= reinterpret_cast<std::uintptr_t>(of_thread.landing) % 16;
}

Faults::~Faults() {
  ::timer_delete(timer_);
  ::sigaltstack(&of_thread.outer, nullptr);
  of_thread.landing = nullptr;
}

}  // namespace ridgeline::emulated
