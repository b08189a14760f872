#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/process/child.hpp"
#include "harness/process/clock.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/line_reader.hpp"
#include "harness/process/rank_watch.hpp"
#include "harness/process/stops.hpp"
#include "harness/protocol/messages.hpp"
#include "harness/record/outcome.hpp"

namespace ridgeline::process {

/// A worker may take this long to start, to say hello and to list: a driver that initialises many
/// GPUs takes seconds.
inline constexpr double start_s = 60;

/// A worker broke its side of the protocol: it ended, sent what is no answer, or let the deadline
/// pass. It has been killed. `what()` is the reason, fit to be stored.
class WorkerLost : public std::runtime_error {
 public:
  WorkerLost(record::Outcome outcome, const std::string& reason, bool is_early = false)
      : std::runtime_error(reason), outcome_(outcome), is_early_(is_early) {}
  record::Outcome outcome() const { return outcome_; }  // crashed or timeout
  /// Whether it is a timeout before the deadline, because one of its processes will not go on.
  bool is_early() const { return is_early_; }

 private:
  record::Outcome outcome_;
  bool is_early_;
};

/// How a worker is started: these arguments come before those of worker_command.
struct WorkerCommand {
  WorkerCommand(std::filesystem::path program = {},  // NOLINT(google-explicit-constructor)
                std::vector<std::string> arguments = {})
      : program(std::move(program)), arguments(std::move(arguments)) {}
  std::filesystem::path program;
  std::vector<std::string> arguments;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// A running worker and the conversation with it: one request, one answer. Every answer has a
/// deadline; a worker that breaks the protocol, or of which a process stays stopped while others go
/// on (Stops), or a rank stays away from them (RankWatch), is killed with all it started and
/// WorkerLost is thrown. When a rank other than 0 says why it cannot go on (protocol::RankNote),
/// and rank 0 has not answered before, all are killed, and that is the answer. Throws Interrupted
/// as soon as Interrupt asks for it.
class WorkerProcess {
 public:
  /// Starts it as worker_command has it, without waiting for it. `tick` is called a few times a
  /// second while waiting later. `environment` is added to this program's.
  explicit WorkerProcess(const WorkerCommand& worker, std::function<void()> tick = {},
                         const Variables& environment = {});
  /// Starts `ranks` of it under `launcher`; rank 0 will connect back to us.
  WorkerProcess(const std::filesystem::path& program, const Launcher& launcher, int ranks,
                std::function<void()> tick = {}, const Variables& environment = {});

  /// Waits until the worker is there and has introduced itself; comes before any other request.
  protocol::Hello greet(Deadline deadline);

  /// Sends the request and waits. A Failure means that the worker could not, and goes on.
  template <class Answer>
  std::variant<Answer, protocol::Failure> ask(const protocol::Request& request, Deadline deadline);
  /// The same in two steps, between which others can be asked.
  void begin(const protocol::Request& request, Deadline deadline);
  template <class Answer>
  std::variant<Answer, protocol::Failure> answer(Deadline deadline);

  /// Whether it is worth sending another request: false when it has ended or has said something
  /// unasked.
  bool ready();

  /// Stops all of its processes until it is resumed; it must not be asked anything meanwhile.
  void suspend() noexcept { child_->suspend(); }
  void resume() noexcept { child_->resume(); }

  /// Since it was started.
  double age_s() const { return seconds_since(started_); }

  /// For how long a process that it had when it was greeted was stopped while it was waited for, by
  /// others than suspend(): a signal or a debugger. A fifth of a second may pass unseen.
  double stopped_s() const { return stops_.total_s(); }
  /// Whether one was so when it was last waited for.
  bool is_stopped() const { return stops_.any(); }

  /// Says bye, without waiting for it to end; it must not be asked anything afterwards.
  void say_bye() noexcept;
  /// Says bye, when that has not been said, gives it a moment, and ends it.
  void bye() noexcept;
  void kill() noexcept { child_->kill(); }

 private:
  void meet(Deadline deadline);
  void send(const std::string& line, Deadline deadline);
  std::string receive(Deadline deadline);
  std::string failure_of_rank();
  bool ends_soon();
  void wait(int descriptor, short events, Deadline deadline);
  void look();
  void call_ranks();
  [[noreturn]] void lose(record::Outcome outcome, const std::string& reason, bool is_early = false);

  Clock::time_point started_ = Clock::now();
  std::unique_ptr<Child> child_;
  std::unique_ptr<Reception> reception_;  // when there is a launcher
  Descriptor connection_;                 // to rank 0, likewise
  int to_ = -1, from_ = -1;
  std::unique_ptr<LineReader> lines_;
  std::function<void()> tick_;
  Stops stops_;  // of all that it had when greeted: to find them takes a look at all processes
  int rank_count_ = 1;
  RankWatch ranks_;
  Deadline next_call_;                             // of ranks of other hosts
  std::optional<protocol::Failure> rank_failure_;  // the first one, not told yet
  bool has_failed_ = false;                        // told by whichever rank
  bool said_bye_ = false;
};

}  // namespace ridgeline::process
