#include "harness/worker/transport.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <netdb.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/protocol/messages.hpp"

namespace ridgeline::worker {
namespace {

/// Lines over two descriptors, which it owns.
class Lines final : public Transport {
 public:
  Lines(int from, int to) : from_(from), to_(to) {}
  Lines(const Lines&) = delete;
  ~Lines() override {
    close(from_);
    if (to_ != from_) close(to_);
  }

  std::optional<std::string> receive() override {
    for (;;) {
      const std::size_t end = waiting_.find('\n', searched_);
      if (end != std::string::npos) {
        std::string line = waiting_.substr(0, end);
        waiting_.erase(0, end + 1);
        searched_ = 0;
        return line;
      }
      searched_ = waiting_.size();
      if (searched_ > protocol::max_message_bytes)
        throw Error(ErrorKind::usage,
                    fmt::format("a request is longer than {} bytes", protocol::max_message_bytes));
      char block[65536];
      const ssize_t got = read(from_, block, sizeof block);
      if (got == 0) return std::nullopt;
      if (got > 0)
        waiting_.append(block, static_cast<std::size_t>(got));
      else if (errno != EINTR)
        throw Error(ErrorKind::internal,
                    fmt::format("reading a request failed: {}", std::strerror(errno)));
    }
  }

  void send(std::string_view line) override {
    while (!line.empty()) {
      const ssize_t sent = write(to_, line.data(), line.size());
      if (sent >= 0)
        line.remove_prefix(static_cast<std::size_t>(sent));
      else if (errno != EINTR)
        throw Error(ErrorKind::internal,
                    fmt::format("sending an answer failed: {}", std::strerror(errno)));
    }
  }

 private:
  int from_, to_;
  std::string waiting_;
  std::size_t searched_ = 0;
};

[[noreturn]] void fail(const std::string& action) {
  throw Error(ErrorKind::internal, fmt::format("{} failed: {}", action, std::strerror(errno)));
}

/// A copy of `descriptor` that programs started from here do not inherit.
int keep(int descriptor) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) fail("keeping a standard stream");
  return copy;
}

/// This process's stdin and stdout. They are taken away from everybody else: from now on fd 0 reads
/// nothing and fd 1 is stderr, so that a kernel's printf cannot break the protocol.
std::unique_ptr<Transport> take_standard_streams() {
  auto lines = std::make_unique<Lines>(keep(STDIN_FILENO), keep(STDOUT_FILENO));
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    fail("redirecting the standard streams");
  close(nothing);
  return lines;
}

/// On which `token` has been shown.
std::unique_ptr<Transport> connect_to(const std::string& address, const std::string& token) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == address.size())
    throw Error(ErrorKind::usage, fmt::format("--connect needs HOST:PORT, not '{}'", address));
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const int status = getaddrinfo(address.substr(0, colon).c_str(),
                                 address.substr(colon + 1).c_str(), &hints, &found);
  if (status != 0)
    throw Error(ErrorKind::dependency,
                fmt::format("looking up {} failed: {}", address, gai_strerror(status)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  for (const addrinfo* candidate = found; candidate != nullptr; candidate = candidate->ai_next) {
    const int connection =
        socket(candidate->ai_family, candidate->ai_socktype | SOCK_CLOEXEC, candidate->ai_protocol);
    if (connection < 0) continue;
    if (connect(connection, candidate->ai_addr, candidate->ai_addrlen) == 0) {
      auto lines = std::make_unique<Lines>(connection, connection);
      lines->send(token + '\n');
      return lines;
    }
    close(connection);
  }
  throw Error(ErrorKind::dependency,
              fmt::format("connecting to {} failed: {}", address, std::strerror(errno)));
}

}  // namespace

void die_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

std::unique_ptr<Transport> open_transport(const std::string& address) {
  signal(SIGPIPE, SIG_IGN);
  if (address.empty()) return take_standard_streams();
  const char* token = std::getenv(protocol::token_variable);
  if (token == nullptr)
    throw Error(ErrorKind::usage,
                fmt::format("--connect needs a token in ${}", protocol::token_variable));
  return connect_to(address, token);
}

}  // namespace ridgeline::worker
