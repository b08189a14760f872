#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::program {

/// A piece of a preprocessed source. `text` points into the source's. Marks are single letters, but
/// for "::" and "->", so that "<<<" and "> >" need no other rules.
struct Token {
  enum class Kind : std::uint8_t { word, number, text, mark, end };
  Kind kind = Kind::end;
  bool is_system = false;  // it comes from a header that is not the user's
  bool follows = false;    // without a space behind the token before it
  int line = 0;            // in its file, from 1
  std::size_t file = 0;    // its place in Source::files
  std::string_view text;

  bool is(std::string_view what) const { return text == what; }
  bool is_word() const { return kind == Kind::word; }
};

/// A translation unit as `g++ -E` leaves it.
struct Source {
  std::string text;
  std::vector<std::string> files;
  std::vector<Token> tokens;  // the last one is Kind::end

  std::size_t at(const Token& token) const {
    return static_cast<std::size_t>(token.text.data() - text.data());
  }
  /// "program.cu:12".
  std::string place(const Token& token) const;
};

/// Takes a text apart. Line markers say where its tokens come from; pragmas are in no token.
void read_tokens(Source& source);

/// The place of the mark that closes the one at `open`: of (, [, {. The last token when none does.
std::size_t closing(const std::vector<Token>& tokens, std::size_t open);

/// The place of the > that closes the < at `open`, as far as a list of template arguments may reach
/// before `end`; `end` when there is none.
std::size_t closing_angle(const std::vector<Token>& tokens, std::size_t open, std::size_t end);

/// Pieces of [first, end) between the commas that are in no brackets, with braces and template
/// arguments counted as brackets; none of an empty range.
struct Range {
  std::size_t first = 0, end = 0;
};
std::vector<Range> between_commas(const std::vector<Token>& tokens, std::size_t first,
                                  std::size_t end);

}  // namespace ridgeline::program
