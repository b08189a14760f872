#include "harness/process/interrupt.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::process {
namespace {

volatile sig_atomic_t asked = 0;
int pipe_ends[2] = {-1, -1};
constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[3];

void note(int) {
  if (asked != 0) _exit(130);
  asked = 1;
  const int kept = errno;
  (void)!write(pipe_ends[1], "x", 1);
  errno = kept;
}

}  // namespace

Interrupt::Interrupt() {
  require(pipe_ends[0] < 0, "one Interrupt at a time");
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(ErrorKind::internal, std::string("cannot make a pipe: ") + std::strerror(errno));
  asked = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
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
bool Interrupt::requested() { return pipe_ends[0] >= 0 && asked != 0; }

}  // namespace ridgeline::process
