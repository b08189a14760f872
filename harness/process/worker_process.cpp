#include "harness/process/worker_process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/python_worker.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/rank_note.hpp"

namespace ridgeline::process {
namespace {

constexpr int tick_ms = 100;
constexpr double call_s = 1;

int ms_until(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, tick_ms));
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& worker, std::function<void()> tick,
                             const Variables& environment)
    : tick_(std::move(tick)) {
  Command command = worker_command(worker.program);
  command.arguments.insert(command.arguments.begin(), worker.arguments.begin(),
                           worker.arguments.end());
  command.environment.insert(command.environment.end(), environment.begin(), environment.end());
  child_ = std::make_unique<Child>(command);
  to_ = child_->input();
  from_ = child_->output();
  lines_ = std::make_unique<LineReader>(from_, protocol::max_message_bytes);
}

WorkerProcess::WorkerProcess(const std::filesystem::path& program, const Launcher& launcher,
                             int ranks, std::function<void()> tick, const Variables& environment)
    : reception_(std::make_unique<Reception>()), tick_(std::move(tick)), rank_count_(ranks) {
  Command command = launch_command(launcher, ranks, program, *reception_);
  command.environment.insert(command.environment.end(), environment.begin(), environment.end());
  child_ = std::make_unique<Child>(command);
  child_->sift_errors([this, token = reception_->token(), ranks](std::string_view line) {
    auto note = protocol::parse_rank_note(line, token, ranks);
    if (!note) return false;
    if (const auto* beat = std::get_if<protocol::Beat>(&note->said))
      ranks_.hear(note->rank, *beat, Clock::now());
    else if (!has_failed_ && !rank_failure_)
      rank_failure_ = std::get<protocol::Failure>(std::move(note->said));
    return true;
  });
}

protocol::Hello WorkerProcess::greet(Deadline deadline) {
  if (reception_) meet(deadline);
  auto answer = ask<protocol::Hello>(protocol::HelloRequest{}, deadline);
  if (const auto* failure = std::get_if<protocol::Failure>(&answer)) {
    // What its user wrote is wrong, which it says better than anybody else.
    if (failure->exit_code == static_cast<int>(ErrorKind::usage))
      throw Error(ErrorKind::usage, failure->message, failure->advice);
    throw Error(ErrorKind::dependency,
                fmt::format("the worker refused the conversation: {}", failure->message),
                failure->advice);
  }
  stops_ = Stops(child_->processes());
  auto hello = std::get<protocol::Hello>(std::move(answer));
  ranks_ = RankWatch(hello.hosts, rank_count_);
  call_ranks();  // from now on those that answer are known
  return hello;
}

// Whoever connects to the port may be anybody: only the holder of the token is listened to.
void WorkerProcess::meet(Deadline deadline) {
  while (!connection_) {
    wait(reception_->descriptor(), POLLIN, deadline);
    Descriptor visitor = reception_->accept();
    if (!visitor) continue;
    from_ = to_ = visitor.get();
    lines_ = std::make_unique<LineReader>(from_, reception_->token().size());
    const Deadline patience = std::min(deadline, after(2));
    LineReader::State state = LineReader::State::waiting;
    while ((state = lines_->pump()) == LineReader::State::waiting && Clock::now() < patience)
      wait(from_, POLLIN, deadline);
    if (state == LineReader::State::line && lines_->take() == reception_->token())
      connection_ = std::move(visitor);
  }
  lines_ = std::make_unique<LineReader>(from_, protocol::max_message_bytes);
  reception_.reset();
}

template <class Answer>
std::variant<Answer, protocol::Failure> WorkerProcess::ask(const protocol::Request& request,
                                                           Deadline deadline) {
  begin(request, deadline);
  return answer<Answer>(deadline);
}

void WorkerProcess::begin(const protocol::Request& request, Deadline deadline) {
  ranks_.begin(Clock::now());
  next_call_ = after(call_s);
  send(protocol::to_line(request), deadline);
}

template <class Answer>
std::variant<Answer, protocol::Failure> WorkerProcess::answer(Deadline deadline) {
  const std::string line = receive(deadline);
  try {
    auto answer = protocol::parse_answer<Answer>(line);
    // What other ranks say of the same failure is no answer to what is asked next.
    const auto* failure = std::get_if<protocol::Failure>(&answer);
    if (failure && failure->exit_code != static_cast<int>(ErrorKind::usage)) {
      has_failed_ = true;
      rank_failure_.reset();
    }
    return answer;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::dependency) throw;  // another version of the protocol
    lose(record::Outcome::crashed, error.what());
  }
}

template std::variant<protocol::Hello, protocol::Failure> WorkerProcess::ask(
    const protocol::Request&, Deadline);
template std::variant<protocol::Cases, protocol::Failure> WorkerProcess::ask(
    const protocol::Request&, Deadline);
template std::variant<protocol::Devices, protocol::Failure> WorkerProcess::ask(
    const protocol::Request&, Deadline);
template std::variant<protocol::Prepared, protocol::Failure> WorkerProcess::ask(
    const protocol::Request&, Deadline);
template std::variant<protocol::Sampled, protocol::Failure> WorkerProcess::ask(
    const protocol::Request&, Deadline);
template std::variant<protocol::Finished, protocol::Failure> WorkerProcess::ask(
    const protocol::Request&, Deadline);

template std::variant<protocol::Opened, protocol::Failure> WorkerProcess::answer(Deadline);

bool WorkerProcess::ready() {
  child_->drain_errors();
  if (rank_failure_) return false;
  pollfd end{child_->end(), POLLIN, 0};
  return poll(&end, 1, 0) == 0 && lines_->pump() == LineReader::State::waiting &&
         lines_->held().empty();
}

void WorkerProcess::say_bye() noexcept {
  said_bye_ = true;
  try {
    send(protocol::to_line(protocol::ByeRequest{}), after(1));
    child_->close_input();
  } catch (...) {  // NOLINT(bugprone-empty-catch): it is being ended anyway; whoever waits next
                   // sees an interrupt
  }
}

void WorkerProcess::bye() noexcept {
  if (!said_bye_) say_bye();
  try {
    wait(child_->end(), POLLIN, after(2));
  } catch (...) {  // NOLINT(bugprone-empty-catch): as above
  }
  child_->kill();
}

void WorkerProcess::send(const std::string& line, Deadline deadline) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t wrote = write(to_, line.data() + sent, line.size() - sent);
    if (wrote > 0)
      sent += static_cast<std::size_t>(wrote);
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      wait(to_, POLLOUT, deadline);
    else if (errno != EINTR)
      return;  // it has ended: receive() finds out how
  }
}

std::string WorkerProcess::receive(Deadline deadline) {
  while (true) {
    const LineReader::State state = lines_->pump();
    // A message is an object: what begins otherwise will not become one, however long it gets.
    if ((state == LineReader::State::waiting || state == LineReader::State::too_long) &&
        !lines_->held().empty() && lines_->held().front() != '{')
      lose(record::Outcome::crashed,
           fmt::format("the worker sent something that is not a message: {}",
                       printable(lines_->held(), 40)));
    switch (state) {
      case LineReader::State::line:
        return lines_->take();
      case LineReader::State::too_long:
        lose(record::Outcome::crashed, fmt::format("the worker sent a message longer than {} MiB",
                                                   protocol::max_message_bytes >> 20));
      case LineReader::State::ended: {
        const bool cut = !lines_->held().empty();
        const bool ended = ends_soon();
        child_->kill();
        child_->drain_errors();
        if (rank_failure_) return failure_of_rank();
        lose(record::Outcome::crashed,
             fmt::format("the worker {}{}",
                         ended ? child_->ending() : "closed its output, but did not end",
                         cut ? " in the middle of a message" : ""));
      }
      case LineReader::State::waiting:
        if (rank_failure_) return failure_of_rank();
        wait(from_, POLLIN, deadline);
    }
  }
}

/// As the answer to what was asked. Its ranks are of no use to anybody: the others wait for it.
std::string WorkerProcess::failure_of_rank() {
  child_->kill();
  // What rank 0 has said meanwhile answers nothing that is asked later.
  while (lines_->pump() == LineReader::State::line) lines_->take();
  std::string line = protocol::to_line(protocol::AnyAnswer(*std::exchange(rank_failure_, {})));
  line.pop_back();  // the newline
  return line;
}

/// Whether it ends by itself: a program that ends closes its output a moment before.
bool WorkerProcess::ends_soon() {
  pollfd end{child_->end(), POLLIN, 0};
  for (const Deadline patience = after(1); Clock::now() < patience;) {
    if (process::wait(&end, 1, tick_ms) > 0) return true;
    Interrupt::check();
    child_->drain_errors();
  }
  return false;
}

// Returns when the descriptor is ready, or now and then for nothing.
void WorkerProcess::wait(int descriptor, short events, Deadline deadline) {
  Interrupt::check();
  if (Clock::now() >= deadline) lose(record::Outcome::timeout, "the worker did not answer in time");
  pollfd waits[4] = {{descriptor, events, 0},
                     {child_->errors(), POLLIN, 0},
                     {child_->end(), POLLIN, 0},
                     {Interrupt::descriptor(), POLLIN, 0}};
  const bool ended_before = descriptor == child_->end();
  if (process::wait(waits, 4, ms_until(deadline)) < 0 && errno != EINTR)
    throw Error(ErrorKind::internal,
                fmt::format("cannot wait for a worker: {}", std::strerror(errno)));
  Interrupt::check();
  child_->drain_errors();
  look();
  // Nobody is left to wait for: rank 0 had not connected, or what it held open is not closed yet.
  if (waits[2].revents != 0 && waits[0].revents == 0 && !ended_before) {
    child_->kill();
    child_->drain_errors();
    if (rank_failure_ && connection_) return;  // which is the answer
    lose(record::Outcome::crashed, fmt::format("the worker {}", child_->ending()));
  }
  if (tick_) tick_();
}

/// At its processes, those of other hosts by what they say.
void WorkerProcess::look() {
  if (const auto now = Clock::now(); now >= next_call_) {
    // Whoever was held up itself did not ask, and hears nothing of ranks that were never asked.
    if (now >= next_call_ + std::chrono::duration<double>(call_s)) ranks_.begin(now);
    call_ranks();
  }
  stops_.look();
  if (const std::string who = stops_.for_good(); !who.empty())
    lose(record::Outcome::timeout,
         fmt::format("{} was stopped by a signal, and nobody resumed it for {:g} s", who,
                     longest_stop_s),
         true);
  if (const std::string fault = ranks_.fault(Clock::now()); !fault.empty())
    lose(record::Outcome::timeout, fault, true);
}

/// Those of other hosts, over the launcher, which carries its standard input there. One for which
/// there is no place is left out.
void WorkerProcess::call_ranks() {
  next_call_ = after(call_s);
  if (ranks_.has_away()) (void)!write(child_->input(), "\n", 1);
}

void WorkerProcess::lose(record::Outcome outcome, const std::string& reason, bool is_early) {
  child_->kill();
  std::string words = child_->last_words();
  if (rank_failure_) words = printable(rank_failure_->message, 500);
  throw WorkerLost(outcome,
                   words.empty() ? reason : fmt::format("{}; it last said: {}", reason, words),
                   is_early);
}

}  // namespace ridgeline::process
