#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace ridgeline {

/// What a failure is about; the value is the exit code of a program that ends because of it (BSD
/// sysexits).
enum class ErrorKind {
  usage = 64,       // the caller asked for something that cannot be asked for
  dependency = 69,  // a program, library or device that is needed is not there
  internal = 70,  // Ridgeline itself is wrong, or the operating system refused something unexpected
  store = 74,     // a database or file cannot be read or written
};

/// The one exception of Ridgeline. `what()` says what was tried, on what, and why it failed, as one
/// sentence without a full stop; `advice()` says what the reader can do about it, or is empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& failure, std::string advice = {})
      : std::runtime_error(failure), kind_(kind), advice_(std::move(advice)) {}

  ErrorKind kind() const noexcept { return kind_; }
  int exit_code() const noexcept { return static_cast<int>(kind_); }
  const std::string& advice() const noexcept { return advice_; }

 private:
  ErrorKind kind_;
  std::string advice_;
};

/// Memory did not suffice: the same may work once others have given theirs back. Thrown wherever a
/// device allocates.
class OutOfMemory : public Error {
 public:
  explicit OutOfMemory(const std::string& failure, std::string advice = {})
      : Error(ErrorKind::dependency, failure, std::move(advice)) {}
};

/// Throws an internal Error unless `holds`. Active in every build type.
inline void require(bool holds, const char* statement) {
  if (!holds) throw Error(ErrorKind::internal, std::string("internal check failed: ") + statement);
}

}  // namespace ridgeline
