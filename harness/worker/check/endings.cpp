#include "harness/worker/check/endings.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>

#include <execinfo.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness/emulated/log.hpp"

namespace ridgeline::worker {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr unsigned longest_report_s = 60;
constexpr std::size_t stack_bytes = std::size_t{1} << 20;

// What a handler of signals reads is made beforehand.
std::string file_of_words;
void (*report_of)(const Ending&) = nullptr;
pthread_t main_thread;
std::atomic<bool> begun{false};
Ending ending;
ucontext_t elsewhere;
alignas(16) std::array<std::byte, stack_bytes> report_stack;
alignas(16) std::array<std::byte, std::size_t{64} << 10> handler_stack;

[[noreturn]] void die() {
  ::signal(ending.signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, ending.signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(ending.signal);
  ::_exit(70);
}

void report() {
  report_of(ending);
  die();
}

std::uint64_t interrupted_at(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#endif
}

/// Lanes have stacks of their own, which do not lead to the host's.
void note_places(const ucontext_t& context) {
  constexpr std::uint64_t of_program = std::uint64_t{1} << 32;
  const auto add = [](std::uint64_t place) {
    if (place < of_program && ending.place_count < ending.places.size())
      ending.places[ending.place_count++] = static_cast<std::uint32_t>(place);
  };
  const std::uint64_t at = interrupted_at(context);
  add(at + 1);
  if (emulated::hot.next != nullptr) return;
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  bool is_behind = false;  // the frames of the handler
  for (int i = 0; i < count; ++i) {
    const auto frame = reinterpret_cast<std::uint64_t>(frames[static_cast<std::size_t>(i)]);
    if (is_behind) add(frame);
    is_behind = is_behind || frame == at;
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  if (signal == SIGALRM) die();
  if (signal == SIGTERM && pthread_equal(pthread_self(), main_thread) == 0) {
    pthread_kill(main_thread, signal);
    return;
  }
  if (begun.exchange(true)) {
    if (signal == SIGTERM) return;
    die();
  }
  ending.signal = signal;
  if (signal != SIGTERM && signal != SIGABRT && info->si_code > 0)
    ending.address = reinterpret_cast<std::uint64_t>(info->si_addr);
  ::signal(SIGALRM, SIG_DFL);
  struct sigaction late {};
  late.sa_sigaction = handle;
  late.sa_flags = SA_SIGINFO;
  ::sigaction(SIGALRM, &late, nullptr);
  ::alarm(longest_report_s);
  if (const int to = ::open(file_of_words.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
      to >= 0) {
    constexpr std::string_view asked = "the check was interrupted\n",
                               crashed = "the program crashed\n";
    const std::string_view words = signal == SIGTERM ? asked : crashed;
    static_cast<void>(!::write(to, words.data(), words.size()));
    ::close(to);
  }
  note_places(*static_cast<const ucontext_t*>(context));
  ::getcontext(&elsewhere);
  elsewhere.uc_stack.ss_sp = report_stack.data();
  elsewhere.uc_stack.ss_size = report_stack.size();
  elsewhere.uc_link = nullptr;
  sigfillset(&elsewhere.uc_sigmask);
  sigdelset(&elsewhere.uc_sigmask, SIGALRM);
  for (const int crash : crashes) sigdelset(&elsewhere.uc_sigmask, crash);
  ::makecontext(&elsewhere, report, 0);
  ::setcontext(&elsewhere);
}

}  // namespace

bool Ending::was_asked() const { return signal == SIGTERM; }

std::pair<std::uint32_t, emulated::SourceLine> Ending::users_place() const {
  const auto lines = emulated::source_lines({places.data(), place_count});
  for (std::size_t i = 0; i < place_count; ++i)
    if (const auto found = lines.find(places[i]); found != lines.end() &&
                                                  !found->second.file.empty() &&
                                                  !found->second.file.starts_with("/usr/"))
      return *found;
  return {};
}

std::string Ending::text() const {
  return fmt::format("signal {} ({})", signal, ::strsignal(signal));
}

std::string crash_text(const Ending& ending) {
  const emulated::SourceLine line = ending.users_place().second;
  return fmt::format("crash of host code{}: {}{}",
                     line.file.empty() ? "" : fmt::format(" at {}:{}", line.file, line.line),
                     ending.text(),
                     ending.address ? fmt::format(" at {:#x}", *ending.address) : "");
}

void watch_endings(const std::string& file, void (*report)(const Ending&)) {
  file_of_words = file;
  report_of = report;
  main_thread = pthread_self();
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);  // the first call loads a library
  const stack_t stack{
      .ss_sp = handler_stack.data(), .ss_flags = 0, .ss_size = handler_stack.size()};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = handle;
  for (const int crash : crashes) ::sigaction(crash, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace ridgeline::worker
