#include "harness/emulated/program/rewriter/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <unordered_map>

#include <fmt/core.h>

namespace ridgeline::program {
namespace {

bool begins_word(char letter) {
  return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$' ||
         static_cast<unsigned char>(letter) >= 0x80;
}
bool continues_word(char letter) {
  return begins_word(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0;
}
bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

class Reader {
 public:
  explicit Reader(Source& source) : source_(source), text_(source.text) {}

  void read() {
    bool at_line_start = true;
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (letter == '\n') {
        ++line_, ++at_;
        at_line_start = true;
      } else if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
        ++at_;
      } else if (letter == '#' && at_line_start) {
        directive();
      } else {
        at_line_start = false;
        token();
      }
    }
    add(Token::Kind::end, text_.size(), text_.size());
  }

 private:
  /// `# 12 "file.cu" 1 3`, or anything else, which is left where it is.
  void directive() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view rest = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end;
    if (rest.starts_with("line")) rest.remove_prefix(4);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    int number = 0;
    const auto [behind, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc{}) return;
    rest.remove_prefix(static_cast<std::size_t>(behind - rest.data()));
    line_ = number - 1;  // the line behind the marker has it
    const std::size_t quote = rest.find('"');
    if (quote == std::string_view::npos) return;
    std::string name;
    std::size_t i = quote + 1;
    for (; i < rest.size() && rest[i] != '"'; ++i) {
      if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
      name += rest[i];
    }
    const auto [known, is_new] = numbers_.try_emplace(name, source_.files.size());
    if (is_new) {
      // Later markers say 3 of the user's own lines, too, where a system's macro stands in them.
      const bool marked = i < rest.size() && rest.substr(i + 1).find('3') != std::string_view::npos;
      source_.files.push_back(name);
      systems_.push_back(marked || name.find("/harness/emulated/") != std::string::npos);
    }
    file_ = known->second;
    is_system_ = systems_[file_];
  }

  void token() {
    const std::size_t first = at_;
    const char letter = text_[at_];
    if (begins_word(letter)) {
      while (at_ < text_.size() && continues_word(text_[at_])) ++at_;
      const std::string_view word = text_.substr(first, at_ - first);
      const bool is_prefix = word == "R" || word == "L" || word == "u" || word == "U" ||
                             word == "u8" || word == "LR" || word == "uR" || word == "UR" ||
                             word == "u8R";
      if (is_prefix && at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
        quoted(word.ends_with('R'));
        return add(Token::Kind::text, first, at_);
      }
      return add(Token::Kind::word, first, at_);
    }
    if (is_digit(letter) || (letter == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      number();
      return add(Token::Kind::number, first, at_);
    }
    if (letter == '"' || letter == '\'') {
      quoted(false);
      return add(Token::Kind::text, first, at_);
    }
    const std::string_view two = text_.substr(at_, 2);
    at_ += two == "::" || two == "->" ? 2 : 1;
    add(Token::Kind::mark, first, at_);
  }

  void number() {
    while (at_ < text_.size()) {
      const char letter = text_[at_], before = text_[at_ - 1];
      const bool is_sign = (letter == '+' || letter == '-') &&
                           (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separates =
          letter == '\'' && at_ + 1 < text_.size() && continues_word(text_[at_ + 1]);
      // 0xE+1 is one number to the preprocessor, too, and no compiler takes it.
      if (!continues_word(letter) && letter != '.' && !is_sign && !separates) break;
      ++at_;
    }
  }

  void quoted(bool raw) {
    const char quote = text_[at_];
    if (raw) {
      const std::size_t open = text_.find('(', at_);
      const std::string ending =
          open == std::string_view::npos
              ? ""
              : ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
      const std::size_t end = text_.find(ending, at_);
      const std::size_t behind = end == std::string_view::npos ? text_.size() : end + ending.size();
      line_ +=
          static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                      text_.begin() + static_cast<std::ptrdiff_t>(behind), '\n'));
      at_ = behind;
      return;
    }
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }

  void add(Token::Kind kind, std::size_t first, std::size_t end) {
    source_.tokens.push_back(
        {kind, is_system_, first == last_end_, line_, file_, text_.substr(first, end - first)});
    last_end_ = end;
  }

  Source& source_;
  std::string_view text_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<bool> systems_;
  std::size_t at_ = 0, last_end_ = 0, file_ = 0;
  int line_ = 1;
  bool is_system_ = false;
};

}  // namespace

std::string Source::place(const Token& token) const {
  return fmt::format("{}:{}", token.file < files.size() ? files[token.file] : "", token.line);
}

void read_tokens(Source& source) {
  source.tokens.clear();
  source.files.clear();
  Reader(source).read();
}

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  const char opens = tokens[open].text[0];
  const char closes = opens == '(' ? ')' : opens == '[' ? ']' : '}';
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::mark) continue;
    const char letter = tokens[i].text[0];
    if (letter == opens) ++depth;
    if (letter == closes && --depth == 0) return i;
  }
  return tokens.size() - 1;
}

std::size_t closing_angle(const std::vector<Token>& tokens, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.kind != Token::Kind::mark) continue;
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = closing(tokens, i);
      continue;
    }
    if (token.is(")") || token.is("]") || token.is("}") || token.is(";")) return end;
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) return i;
  }
  return end;
}

std::vector<Range> between_commas(const std::vector<Token>& tokens, std::size_t first,
                                  std::size_t end) {
  std::vector<Range> pieces;
  if (first >= end) return pieces;
  pieces.push_back({first, end});
  for (std::size_t i = first; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.kind != Token::Kind::mark) continue;
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = closing(tokens, i);
    } else if (token.is("<") && i > first && tokens[i - 1].is_word()) {
      const std::size_t behind = closing_angle(tokens, i, end);
      if (behind < end) i = behind;
    } else if (token.is(",")) {
      pieces.back().end = i;
      pieces.push_back({i + 1, end});
    }
  }
  return pieces;
}

}  // namespace ridgeline::program
