#include "harness/worker/rank_beats.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "harness/base/error.hpp"
#include "harness/protocol/rank_note.hpp"

namespace ridgeline::worker {
namespace {

using std::chrono::steady_clock;

constexpr double idle_share = 0.05;  // a rank that waits for a GPU looks up now and then

/// For how long a thread of this process ran, or could have run, since it began.
std::optional<double> active_ns(pid_t thread) {
  std::ifstream file(fmt::format("/proc/self/task/{}/schedstat", thread));
  double ran_ns = 0, waited_ns = 0;
  if (!(file >> ran_ns >> waited_ns)) return std::nullopt;
  return ran_ns + waited_ns;
}

/// Whether it is within the kernel, for a disk or a driver, and cannot be woken.
bool is_in_the_kernel(pid_t thread) {
  std::ifstream file(fmt::format("/proc/self/task/{}/stat", thread));
  std::string words;
  if (!std::getline(file, words)) return false;
  const std::size_t name_end = words.rfind(')');
  return name_end != words.npos && words.substr(name_end).starts_with(") D");
}

bool has_place(int pipe) {
  pollfd place{pipe, POLLOUT, 0};
  return poll(&place, 1, 0) == 1 && (place.revents & POLLOUT) != 0;
}

/// Takes what has arrived; false at its end.
bool take(int descriptor) {
  char bytes[4096];
  const ssize_t count = read(descriptor, bytes, sizeof bytes);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

RankBeats::RankBeats(const measure::Group& group, Occasion occasion, int to)
    : group_(group), occasion_(occasion), to_(to), rank_(group.rank()), watched_(gettid()) {
  const char* const token = std::getenv(protocol::token_variable);
  if (token == nullptr) return;  // so nobody listens
  token_ = token;
  end_ = eventfd(0, EFD_CLOEXEC);
  if (end_ < 0)
    throw Error(ErrorKind::internal, fmt::format("eventfd failed: {}", std::strerror(errno)));
  thread_ = std::thread([this] { beat(); });
}

RankBeats::~RankBeats() {
  if (!thread_.joinable()) return;
  eventfd_write(end_, 1);
  thread_.join();
  close(end_);
}

void RankBeats::beat() const {
  steady_clock::time_point before = steady_clock::now();
  std::optional<double> active_before_ns = active_ns(watched_);
  pollfd events[2] = {{end_, POLLIN, 0}, {occasion_.asked, POLLIN, 0}};
  while (true) {
    if (poll(events, 2, static_cast<int>(occasion_.period.count())) < 0) continue;  // a signal
    if (events[0].revents != 0) return;
    if (events[1].revents != 0 && !take(events[1].fd)) {
      events[1].fd = -1;
      continue;
    }
    const steady_clock::time_point now = steady_clock::now();
    const std::optional<double> active = active_ns(watched_);
    const double passed_ns = std::chrono::duration<double, std::nano>(now - before).count();
    const bool is_idle = active && active_before_ns &&
                         *active - *active_before_ns < idle_share * passed_ns &&
                         !is_in_the_kernel(watched_);
    before = now;
    active_before_ns = active;
    const std::string line =
        protocol::to_line({rank_, protocol::Beat{group_.meetings(), is_idle}}, token_);
    if (has_place(to_)) (void)!write(to_, line.data(), line.size());
  }
}

}  // namespace ridgeline::worker
