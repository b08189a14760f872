#include "harness/process/line_reader.hpp"

#include <cerrno>

#include <unistd.h>

namespace ridgeline::process {

LineReader::State LineReader::pump() {
  while (true) {
    searched_ = buffer_.find('\n', searched_);
    if (searched_ != std::string::npos)
      return searched_ > max_line_ ? State::too_long : State::line;
    searched_ = buffer_.size();
    if (buffer_.size() > max_line_) return State::too_long;
    if (ended_) return State::ended;
    char bytes[65536];
    const ssize_t got = read(descriptor_, bytes, sizeof bytes);
    if (got > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(got));
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return State::waiting;
    } else {
      ended_ = true;
    }
  }
}

std::string LineReader::take() {
  std::string line = buffer_.substr(0, searched_);
  buffer_.erase(0, searched_ + 1);
  searched_ = 0;
  return line;
}

}  // namespace ridgeline::process
