#include "harness/worker/check/endings.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string_view>
#include <utility>

#include <execinfo.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness/emulated/log.hpp"
#include "harness/worker/check/ending_memory.hpp"

namespace ridgeline::worker {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr unsigned longest_report_s = 20, longest_flush_s = 2;
constexpr std::size_t stack_bytes = std::size_t{1} << 20;

// What a handler of signals reads is made beforehand.
std::string file_of_words;
int (*report_of)(const Ending&) = nullptr;
pthread_t main_thread;
pid_t watched = 0;
std::atomic<pid_t> reporter{0};  // the thread that reports; there is one at most
Ending ending;
std::optional<int> exit_code;  // once the report is written
ucontext_t elsewhere;
alignas(16) std::array<std::byte, stack_bytes> report_stack;
alignas(16) std::array<std::byte, std::size_t{64} << 10> handler_stack;

/// As if nobody had watched.
[[noreturn]] void die_of(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(70);
}

[[noreturn]] void end() {
  if (exit_code) ::_exit(*exit_code);
  die_of(ending.signal);
}

[[noreturn]] void wait_for_the_end() {
  for (;;) ::pause();
}

void report() {
  exit_code = report_of(ending);
  // What the program has printed and not yet put out, unless it was within that.
  ::alarm(longest_flush_s);
  std::cout.flush();
  std::fflush(nullptr);
  end();
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
  if (ending.in_kernel) return;
  std::array<void*, 64> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  bool is_behind = false;  // the frames of the handler
  for (int i = 0; i < count; ++i) {
    const auto frame = reinterpret_cast<std::uint64_t>(frames[static_cast<std::size_t>(i)]);
    if (is_behind) add(frame);
    is_behind = is_behind || frame == at;
  }
}

/// A few words, which the report replaces.
void write_words() {
  constexpr std::string_view asked = "the check was interrupted\n",
                             crashed = "the program crashed\n";
  const int to = ::open(file_of_words.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (to < 0) return;
  const std::string_view words = ending.was_asked() ? asked : crashed;
  static_cast<void>(!::write(to, words.data(), words.size()));
  ::close(to);
}

void handle(int signal, siginfo_t* info, void* context);

void end_in_time() {
  struct sigaction late {};
  late.sa_sigaction = handle;
  late.sa_flags = SA_SIGINFO;
  ::sigaction(SIGALRM, &late, nullptr);
  ::alarm(longest_report_s);
}

void handle(int signal, siginfo_t* info, void* context) {
  if (is_forked()) die_of(signal);
  if (signal == SIGALRM) end();
  if (signal == SIGTERM && pthread_equal(pthread_self(), main_thread) == 0) {
    pthread_kill(main_thread, signal);
    return;
  }
  const pid_t self = ::gettid();
  pid_t other = 0;
  const bool is_first = reporter.compare_exchange_strong(other, self);
  if (!is_first && signal == SIGTERM) return;
  end_in_time();
  if (!is_first && other != self) wait_for_the_end();
  if (ending.signal != 0) end();  // it has crashed itself
  ending.signal = signal;
  if (signal != SIGTERM && signal != SIGABRT && info->si_code > 0)
    ending.address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (is_first) write_words();  // a report that was under way may have told more already
  // The device takes a fault for one of the lane that runs, and would go on with the next one.
  ending.in_kernel = std::exchange(emulated::hot.next, nullptr) != nullptr;
  leave_the_heap();
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

void watch_endings(const std::string& file, int (*report)(const Ending&)) {
  file_of_words = file;
  report_of = report;
  main_thread = pthread_self();
  watched = ::getpid();
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

void begin_report() {
  pid_t other = 0;
  if (reporter.compare_exchange_strong(other, ::gettid())) return;
  if (other == ::gettid()) ::_exit(70);  // something that the report calls ends the program
  wait_for_the_end();
}

bool is_forked() { return watched != ::getpid(); }

}  // namespace ridgeline::worker
