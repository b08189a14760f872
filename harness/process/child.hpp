#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "harness/process/descriptor.hpp"

namespace ridgeline::process {

/// What is executed, with what it is given beyond the environment of this process.
struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  bool output_to_errors = false;  // stdout joins stderr, for launchers, which print what nobody
                                  // should read
  int polite_ms = 0;  // after SIGTERM, in which the program may end by itself, when it is to end
  std::vector<std::filesystem::path> scratch{};  // folders that are removed, with all in them, when
                                                 // the program is gone
  bool takes_input = false;  // it reads this process's standard input, and input() leads nowhere
};

/// Whether a Child gets the variable of this name from the caller: not what would change what is
/// measured, nor what only a gate tells its workers.
bool is_inherited(std::string_view name);

/// A program below a guard: a process of our own that adopts whatever the program forks. When the
/// program ends, when kill() is called, or when this process dies in any way, the guard kills all
/// that is left by descent, so that neither a zombie nor an orphan stays behind. The program leads
/// a process group of its own: the terminal's Ctrl-C does not reach it.
class Child {
 public:
  /// Throws a dependency Error when the program cannot be executed. Must be called while this
  /// process has one thread.
  explicit Child(const Command& command);
  Child(const Child&) = delete;
  ~Child();

  int input() const { return input_.get(); }    // written by us
  int output() const { return output_.get(); }  // what the program prints
  int errors() const { return errors_.get(); }
  int end() const { return end_.get(); }  // readable once the program has ended

  void close_input() { input_.reset(); }
  /// Takes up to 1 MiB of what stderr holds without waiting, and writes it to the log, if any; all
  /// but its last 64 KiB are dropped. False once stderr has ended.
  bool drain_errors(std::ostream* log = nullptr);
  /// Shows each whole line of stderr to `take` first: what that takes, by returning true, is not
  /// kept among the words of the program.
  void sift_errors(std::function<bool(std::string_view line)> take) { take_ = std::move(take); }
  /// The last_line() of stderr, fit to be shown; empty when there is none.
  std::string last_words();

  /// Stops the program and everything below it, threads included, until it is resumed: what polls
  /// or spins while it waits takes no time from others then.
  void suspend() noexcept;
  void resume() noexcept;
  /// The program and everything below it, as it is now.
  std::vector<pid_t> processes() const;

  /// Has the program ended as by kill(), without waiting for that: end() tells.
  void begin_end() noexcept;
  /// Ends the program, in the way that its command says, and everything below it, and waits until
  /// nothing is left. Fine to call again.
  void kill() noexcept;
  /// After the end: whether it exited with code 0.
  bool succeeded() const;
  /// After the end: absent unless the program ended by itself.
  std::optional<int> exit_code() const;
  /// After the end: "exited with code 3", "was killed by signal 11 (Segmentation fault)".
  std::string ending() const;

 private:
  void keep_errors(std::string_view text);

  Descriptor input_, output_, errors_, end_, alive_;
  pid_t guard_ = 0;
  std::vector<pid_t> stopped_;
  int status_ = -1;  // of the program, as waitpid gives it; -1 while unknown
  std::string error_text_;
  std::function<bool(std::string_view)> take_;
  std::string begun_;  // a line that may still be taken
};

}  // namespace ridgeline::process
