#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"

/// What fuzzes the readers of text and files that others wrote. A target is a file of this folder,
/// which defines the function of its name; CMake lists the folder.
namespace ridgeline::fuzzing {

/// A reader, and how inputs for it are made.
struct Target {
  /// Reads the input. It is accepted, or refused as its reader documents; whatever this throws is a
  /// finding.
  void (*attempt)(std::string_view input) = nullptr;
  /// Small inputs that are accepted.
  std::vector<std::string> (*seeds)() = nullptr;
  std::size_t longest = 4096;             // bytes of an input that are worth trying
  std::vector<std::string_view> words{};  // that inputs are made of
};

/// Something is accepted, or refused, as it must not be.
class Finding : public std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws a Finding unless `holds`.
inline void expect(bool holds, const std::string& what) {
  if (!holds) throw Finding(what);
}

/// Whether `read` came to its end. An Error of one of `kinds` is a refusal, whose words must be fit
/// to be printed; any other is a Finding.
bool accepts(std::initializer_list<ErrorKind> kinds, const std::function<void()>& read);

/// Takes an input apart, for targets whose inputs are no texts. Behind its end are zeros.
class Bytes {
 public:
  explicit Bytes(std::string_view input) : left_(input) {}
  bool empty() const { return left_.empty(); }
  std::size_t number(std::size_t bytes = 1);      // of so many bytes, little-endian
  std::string_view text(std::size_t most = 255);  // its length is in the byte before it
  std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
};

}  // namespace ridgeline::fuzzing
