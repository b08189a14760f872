#include "harness/process/side_by_side.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <utility>

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/process/interrupt.hpp"

namespace ridgeline::process {
namespace {

constexpr std::size_t most_output = 64u << 20, longest_line = 64u << 10;

class Running {
 public:
  Running(const Command& command, std::function<void(std::string_view)> said)
      : child_(command), said_(std::move(said)) {
    child_.close_input();
  }

  bool has_ended() const { return ended_; }
  void add_waits(std::vector<pollfd>& waits) const {
    for (const int descriptor :
         {output_ended_ ? -1 : child_.output(), errors_ended_ ? -1 : child_.errors(), child_.end()})
      waits.push_back({descriptor, POLLIN, 0});
  }

  /// Takes what is there.
  void look(bool program_ended) {
    read_all();
    if (!program_ended && result_.output.size() < most_output) return;
    child_.kill();  // what it left running holds the pipes
    read_all();
    if (!line_.empty()) said_(line_);
    ended_ = true;
    result_.exit_code = child_.exit_code();
    result_.ending = child_.ending();
  }

  Ended result() && { return std::move(result_); }

 private:
  void read_all() {
    char buffer[16384];
    ssize_t got = -1;
    while (result_.output.size() < most_output &&
           (got = read(child_.output(), buffer, sizeof buffer)) > 0)
      result_.output.append(buffer, static_cast<std::size_t>(got));
    output_ended_ = output_ended_ || got == 0;
    // In turns: a program that never stops printing must not keep the others waiting.
    for (int turn = 0; turn < 64 && (got = read(child_.errors(), buffer, sizeof buffer)) > 0;
         ++turn)
      split(std::string_view(buffer, static_cast<std::size_t>(got)));
    errors_ended_ = errors_ended_ || got == 0;
  }

  void split(std::string_view text) {
    while (!text.empty()) {
      const std::size_t length = std::min(text.find('\n'), text.size());
      line_ += text.substr(0, std::min(length, longest_line - line_.size()));
      if (length == text.size()) return;
      said_(line_);
      line_.clear();
      text.remove_prefix(length + 1);
    }
  }

  Child child_;
  std::function<void(std::string_view)> said_;
  std::string line_;  // that has not ended
  Ended result_;
  bool output_ended_ = false, errors_ended_ = false, ended_ = false;
};

}  // namespace

std::vector<Ended> run_side_by_side(
    const std::vector<Command>& commands,
    const std::function<void(std::size_t, std::string_view)>& said) {
  Interrupt::check();
  std::list<Running> all;
  for (std::size_t i = 0; i < commands.size(); ++i)
    all.emplace_back(commands[i], [i, &said](std::string_view line) { said(i, line); });
  while (!std::ranges::all_of(all, &Running::has_ended)) {
    std::vector<pollfd> waits{{Interrupt::descriptor(), POLLIN, 0}};
    for (const Running& each : all)
      if (!each.has_ended()) each.add_waits(waits);
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR)
      throw Error(ErrorKind::internal,
                  fmt::format("cannot wait for programs: {}", std::strerror(errno)));
    Interrupt::check();
    std::size_t at = 1;
    for (Running& each : all) {
      if (each.has_ended()) continue;
      each.look(waits[at + 2].revents != 0);
      at += 3;
    }
  }
  std::vector<Ended> results;
  for (Running& each : all) results.push_back(std::move(each).result());
  return results;
}

}  // namespace ridgeline::process
