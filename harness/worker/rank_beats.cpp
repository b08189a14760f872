#include "harness/worker/rank_beats.hpp"

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>

#include <fmt/core.h>
#include <poll.h>

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

bool has_place(int pipe) {
  pollfd place{pipe, POLLOUT, 0};
  return poll(&place, 1, 0) == 1 && (place.revents & POLLOUT) != 0;
}

}  // namespace

RankBeats::RankBeats(const measure::Group& group, std::chrono::milliseconds period, int to)
    : group_(group), period_(period), to_(to), rank_(group.rank()), watched_(gettid()) {
  const char* const token = std::getenv(protocol::token_variable);
  if (token == nullptr) return;  // so nobody listens
  token_ = token;
  thread_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
}

void RankBeats::beat(const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  steady_clock::time_point before = steady_clock::now();
  std::optional<double> active_before_ns = active_ns(watched_);
  while (true) {
    never.wait_for(lock, stop, period_, [] { return false; });
    if (stop.stop_requested()) return;
    const steady_clock::time_point now = steady_clock::now();
    const std::optional<double> active = active_ns(watched_);
    const double passed_ns = std::chrono::duration<double, std::nano>(now - before).count();
    const bool is_idle =
        active && active_before_ns && *active - *active_before_ns < idle_share * passed_ns;
    before = now;
    active_before_ns = active;
    const std::string line =
        protocol::to_line({rank_, protocol::Beat{group_.meetings(), is_idle}}, token_);
    if (has_place(to_)) (void)!write(to_, line.data(), line.size());
  }
}

}  // namespace ridgeline::worker
