#include "harness/process/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/process/descendants.hpp"
#include "harness/process/last_line.hpp"

extern char** environ;

namespace ridgeline::process {
namespace {

constexpr std::size_t max_error_bytes = 64u << 10;
// As much as a pipe holds at most: a program that never stops printing, or forking, must not keep
// whoever waits for it from its deadline.
constexpr int reads_per_turn = 64, ends_per_turn = 1000;
constexpr int most_polite_ms = 5000;

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::internal,
                fmt::format("cannot make a pipe to a worker: {}", std::strerror(errno)));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<std::string> child_environment(const Command& command) {
  std::vector<std::pair<std::string, std::string>> set = command.environment;
  set.emplace_back("LC_ALL", "C");
  std::vector<std::string> lines;
  for (char** entry = environ; *entry; ++entry) {
    const std::string line = *entry;
    const std::string name = line.substr(0, line.find('='));
    bool keep = is_inherited(name);
    for (const auto& [key, value] : set) keep = keep && name != key;
    if (keep) lines.push_back(line);
  }
  for (const auto& [key, value] : set) lines.push_back(key + '=' + value);
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// Descriptors of ridgeline that came along with a fork (database, lock, other workers' pipes) must
/// not live as long as the guard does.
void close_all_but(std::array<int, 3> kept) {
  std::sort(kept.begin(), kept.end());
  int first = 0;
  for (const int fd : kept) {
    if (fd > first) close_range(static_cast<unsigned>(first), static_cast<unsigned>(fd - 1), 0);
    first = fd + 1;
  }
  close_range(static_cast<unsigned>(first), ~0u, 0);
}

struct Ends {
  int input, output, errors;  // the program's
  int alive;                  // hangs up when ridgeline is gone or wants an end
  int end;                    // the program's status goes here
  int failure;                // errno when the program cannot be executed
};

/// Begins once the guard has closed both ends of the pipe `guarded`.
[[noreturn]] void become_program(const Ends& ends, const int (&guarded)[2], pid_t guard,
                                 const char* program, char* const* arguments,
                                 char* const* environment) {
  // A program may stop its guard. Until that has closed what it need not hold, whoever starts the
  // program waits for it.
  close(guarded[1]);
  char nothing;
  (void)!read(guarded[0], &nothing, 1);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    signal(number, SIG_DFL);
  const bool ready = getppid() == guard && dup2(ends.input, 0) == 0 && dup2(ends.output, 1) == 1 &&
                     dup2(ends.errors, 2) == 2;
  if (ready) {
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    execve(program, arguments, environment);
  }
  const int failure = errno;
  (void)!write(ends.failure, &failure, sizeof failure);
  _exit(127);
}

/// Ends it, after it had so long to end by itself, and returns its status.
int end_program(pid_t program, int polite_ms) {
  constexpr int look_ms = 5;
  int status = -1;
  polite_ms = std::min(polite_ms, most_polite_ms);
  if (polite_ms > 0) {
    kill(program, SIGTERM);
    kill(-program, SIGCONT);  // it may be stopped, with those that it waits for
  }
  for (int waited_ms = 0; waited_ms < polite_ms; waited_ms += look_ms) {
    if (waitpid(program, &status, WNOHANG) == program) return status;
    poll(nullptr, 0, look_ms);
  }
  kill(program, SIGKILL);
  waitpid(program, &status, 0);
  return status;
}

/// Runs in the forked guard: waits for the end of the program or of ridgeline, then leaves nothing
/// running below.
[[noreturn]] void guard(const Ends& ends, const char* program, char* const* arguments,
                        char* const* environment, int polite_ms,
                        const std::vector<std::filesystem::path>& scratch) {
  prctl(PR_SET_NAME, "ridgeline-guard", 0, 0, 0);
  setpgid(0, 0);
  adopt_orphans();
  const pid_t self = getpid();
  sigset_t signals;  // all signals are blocked since before the fork
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  const int child_ended = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  int guarded[2] = {-1, -1};  // without a pipe, the program begins at once
  (void)!pipe2(guarded, O_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) become_program(ends, guarded, self, program, arguments, environment);
  if (child < 0) {
    const int failure = errno;
    (void)!write(ends.failure, &failure, sizeof failure);
  }
  close_all_but({ends.alive, ends.end, child_ended});  // the program begins
  int status = -1;
  for (bool all_reaped = true; child > 0;) {
    pollfd waits[2] = {{ends.alive, POLLIN, 0}, {child_ended, POLLIN, 0}};
    poll(waits, 2, all_reaped ? -1 : 0);
    signalfd_siginfo ignored;
    (void)!read(child_ended, &ignored, sizeof ignored);  // one signal stands for all before it
    pid_t ended = 1;
    int ended_status = 0;
    for (int i = 0; i < ends_per_turn && ended > 0 && status == -1; ++i) {
      ended = waitpid(-1, &ended_status, WNOHANG);
      if (ended == child) status = ended_status;
    }
    all_reaped = ended <= 0;
    if (status != -1) break;
    if (waits[0].revents != 0) {
      status = end_program(child, polite_ms);
      break;
    }
  }
  if (child > 0) kill(-child, SIGKILL);  // its group at once: nobody in it can fork past that
  end_descendants();
  std::error_code ignored;
  for (const std::filesystem::path& folder : scratch) std::filesystem::remove_all(folder, ignored);
  (void)!write(ends.end, &status, sizeof status);
  _exit(0);
}

}  // namespace

bool is_inherited(std::string_view name) {
  return name != "CUDA_LAUNCH_BLOCKING" && name != "RIDGELINE_EXPECTED";
}

Child::Child(const Command& command) {
  std::vector<std::string> arguments{command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = child_environment(command);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  Pipe input = make_pipe(), output = make_pipe(), errors = make_pipe(), alive = make_pipe(),
       end = make_pipe(), failure = make_pipe();
  const Ends ends{command.takes_input ? STDIN_FILENO : input.read.get(),
                  command.output_to_errors ? errors.write.get() : output.write.get(),
                  errors.write.get(),
                  alive.read.get(),
                  end.write.get(),
                  failure.write.get()};

  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  guard_ = fork();
  if (guard_ == 0)
    guard(ends, command.program.c_str(), argv.data(), envp.data(), command.polite_ms,
          command.scratch);
  const int fork_failure = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (guard_ < 0)
    throw Error(ErrorKind::internal, fmt::format("cannot start {}: {}", command.program.string(),
                                                 std::strerror(fork_failure)));

  input_ = std::move(input.write);
  output_ = std::move(output.read);
  errors_ = std::move(errors.read);
  end_ = std::move(end.read);
  alive_ = std::move(alive.write);
  for (const int fd : {output_.get(), errors_.get()}) fcntl(fd, F_SETFL, O_NONBLOCK);
  fcntl(input_.get(), F_SETFL, O_NONBLOCK);
  for (Pipe* pipe : {&input, &output, &errors, &alive, &end, &failure}) {
    if (pipe != &failure) pipe->read.reset();
    pipe->write.reset();
  }
  int reason = 0;
  ssize_t got = 0;
  do got = read(failure.read.get(), &reason, sizeof reason);
  while (got < 0 && errno == EINTR);
  if (got == sizeof reason) {
    kill();
    throw Error(
        ErrorKind::dependency,
        fmt::format("cannot execute {}: {}", command.program.string(), std::strerror(reason)));
  }
}

Child::~Child() { kill(); }

bool Child::drain_errors(std::ostream* log) {
  char buffer[16384];
  ssize_t got = 1;
  for (int i = 0; i < reads_per_turn; ++i) {
    got = read(errors_.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    if (log) log->write(buffer, got).flush();
    keep_errors({buffer, static_cast<std::size_t>(got)});
    if (error_text_.size() > 2 * max_error_bytes)
      error_text_.erase(0, error_text_.size() - max_error_bytes);
  }
  if (error_text_.size() > max_error_bytes)
    error_text_.erase(0, error_text_.size() - max_error_bytes);
  return got != 0;
}

void Child::keep_errors(std::string_view text) {
  if (!take_) {
    error_text_ += text;
    return;
  }
  begun_ += text;
  std::string_view left = begun_;
  for (std::size_t end = 0; (end = left.find('\n')) != std::string_view::npos;) {
    if (!take_(left.substr(0, end))) error_text_ += left.substr(0, end + 1);
    left.remove_prefix(end + 1);
  }
  if (left.size() > max_error_bytes) {  // longer than anything that is taken
    error_text_ += left;
    left = {};
  }
  begun_ = std::string(left);
}

std::string Child::last_words() {
  drain_errors();
  return printable(last_line(error_text_ + begun_), 500);
}

void Child::suspend() noexcept {
  if (guard_ <= 0 || !stopped_.empty()) return;
  stopped_ = descendants(guard_);
  for (const pid_t pid : stopped_) ::kill(pid, SIGSTOP);
}

void Child::resume() noexcept {
  // A process that has ended meanwhile stays a zombie until the guard, which reaps all below it,
  // has seen its end; that its number was given to another since is as unlikely as it is harmless.
  for (const pid_t pid : stopped_) ::kill(pid, SIGCONT);
  stopped_.clear();
}

std::vector<pid_t> Child::processes() const {
  return guard_ > 0 ? descendants(guard_) : std::vector<pid_t>();
}

void Child::begin_end() noexcept {
  stopped_.clear();  // a signal that kills needs no resuming
  alive_.reset();
}

void Child::kill() noexcept {
  if (guard_ <= 0) return;
  begin_end();
  ::kill(guard_, SIGCONT);  // somebody may have stopped it
  // The guard needs milliseconds, and longer for thousands of processes. Should it be held or dead,
  // its charges are killed from here, and fall to this process.
  pollfd wait{end_.get(), POLLIN, 0};
  const int patience_ms = static_cast<int>(1000 * (1 + longest_end_s)) + most_polite_ms;
  for (int tries = 0; poll(&wait, 1, patience_ms) < 0 && errno == EINTR && tries < 100;) ++tries;
  int status = -1;
  if (wait.revents == 0 || read(end_.get(), &status, sizeof status) != sizeof status) {
    for (const pid_t pid : descendants(guard_)) ::kill(pid, SIGKILL);
    ::kill(guard_, SIGKILL);
  }
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
  guard_ = 0;
}

bool Child::succeeded() const { return exit_code() == 0; }

std::optional<int> Child::exit_code() const {
  if (status_ == -1 || !WIFEXITED(status_)) return std::nullopt;
  return WEXITSTATUS(status_);
}

std::string Child::ending() const {
  if (status_ == -1) return "ended in an unknown way";
  if (const auto code = exit_code()) return fmt::format("exited with code {}", *code);
  return fmt::format("was killed by signal {} ({})", WTERMSIG(status_),
                     strsignal(WTERMSIG(status_)));
}

}  // namespace ridgeline::process
