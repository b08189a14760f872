#include "harness/process/interrupt.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::process {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
/// When the first signal came, by the monotonic clock; 0 while none has. A handler writes it, in
/// any thread.
std::atomic<std::int64_t> asked_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
int pipe_ends[2] = {-1, -1};
constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[3];

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

void note(int) {
  const std::int64_t now = now_ns();
  std::int64_t first = 0;
  if (!asked_ns.compare_exchange_strong(first, now)) {
    if (now - first >= second_ns) _exit(130);
    return;
  }
  const int kept = errno;
  (void)!write(pipe_ends[1], "x", 1);
  errno = kept;
}

}  // namespace

Interrupt::Interrupt() {
  require(pipe_ends[0] < 0, "one Interrupt at a time");
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ErrorKind::internal, std::string("cannot make a pipe: ") + std::strerror(errno));
  asked_ns = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (const int number : signals) sigaddset(&action.sa_mask, number);  // one after the other
  // Calls that the database or the terminal is in go on afterwards; waits look at the descriptor.
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < 3; ++i) sigaction(signals[i], &action, &before[i]);
}

Interrupt::~Interrupt() {
  for (int i = 0; i < 3; ++i) sigaction(signals[i], &before[i], nullptr);
  for (int& end : pipe_ends) {
    close(end);
    end = -1;
  }
}

int Interrupt::descriptor() { return pipe_ends[0]; }
bool Interrupt::requested() { return pipe_ends[0] >= 0 && asked_ns != 0; }

}  // namespace ridgeline::process
