#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/process/descriptor.hpp"
#include "harness/process/line_reader.hpp"

/// Lines of a worker as they come, in pieces. The first two bytes are the longest line that is
/// taken and the size of the pieces.
namespace ridgeline::fuzzing::targets {

static void read_lines(std::string_view input) {
  using State = process::LineReader::State;
  Bytes bytes(input);
  const std::size_t longest = bytes.number(), piece = bytes.number() + 1;
  std::string_view text = bytes.rest().substr(0, 30'000);  // a pipe holds more
  int ends[2];
  expect(::pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0, "no pipe");
  const process::Descriptor from(ends[0]);
  process::Descriptor to(ends[1]);
  process::LineReader reader(from.get(), longest);
  std::string taken;
  bool too_long = false;
  for (std::size_t at = 0; at <= text.size() && !too_long; at += piece) {
    const std::string_view part = text.substr(at, piece);
    if (!part.empty() &&
        ::write(to.get(), part.data(), part.size()) != static_cast<ssize_t>(part.size()))
      throw Finding("a pipe takes less than it holds");
    State state = reader.pump();
    for (; state == State::line; state = reader.pump()) {
      const std::string line = reader.take();
      expect(line.size() <= longest && line.find('\n') == std::string::npos,
             "a line that is longer than allowed, or several");
      taken += line + '\n';
    }
    expect(reader.held().find('\n') == std::string_view::npos || state == State::too_long,
           "a line that is held back");
    too_long = state == State::too_long;
  }
  to = process::Descriptor();
  expect(reader.pump() == (too_long ? State::too_long : State::ended), "no end");
  expect(text.starts_with(taken), "lines that were not sent");
  if (!too_long) expect(taken + std::string(reader.held()) == text, "lines that were lost");
}

static std::vector<std::string> line_seeds() {
  return {std::string("\x10\x03") + "{}\n{\"a\": 1}\n\nrest",
          std::string("\x04\x20") + "four\nfive \n", std::string("\0\0\n\n", 4)};
}

Target lines() { return {read_lines, line_seeds, 2048, {"\n", "\n\n", "\r\n"}}; }

}  // namespace ridgeline::fuzzing::targets
