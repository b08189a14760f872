#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridgeline::imported {

/// The lines of a text file, one after the other, with their numbers and without their ends (also
/// CR LF). Refuses a line of more than a megabyte.
class Lines {
 public:
  Lines(std::istream& stream, std::string file) : stream_(stream), file_(std::move(file)) {}
  bool next();
  std::size_t number() const { return number_; }
  std::string_view text() const { return text_; }

 private:
  std::istream& stream_;
  std::string file_, text_;
  std::size_t number_ = 0;
};

/// The parts of `text` between spaces and tabs; they point into it.
std::vector<std::string_view> tokens(std::string_view text);

/// `text` without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace ridgeline::imported
