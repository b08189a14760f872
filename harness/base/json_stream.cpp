#include "harness/base/json_stream.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace ridgeline::json {
namespace {

/// The characters of a document, with the words for what is no number in quotes.
class Characters {
 public:
  Characters(std::istream& stream, const StreamLimits& limits) : stream_(stream), limits_(limits) {
    advance();
  }
  std::size_t line() const { return line_; }
  bool ended() const { return ended_; }
  char current() const { return current_; }

  /// The parser reads one character beyond a number: a line begins with what follows its end.
  void advance() {
    if (ends_line_) ++line_;
    ends_line_ = !ended_ && current_ == '\n';
    if (next_ < word_.size()) {
      current_ = word_[next_++];
      return;
    }
    const int c = get();
    ended_ = c == std::char_traits<char>::eof();
    if (ended_) return;
    current_ = static_cast<char>(c);
    if (in_text_)
      follow_text();
    else
      follow_token();
  }

 private:
  int get() {
    if (begin_ == end_) {
      stream_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      begin_ = 0;
      end_ = static_cast<std::size_t>(stream_.gcount());
      if (end_ == 0) return std::char_traits<char>::eof();
    }
    return static_cast<unsigned char>(buffer_[begin_++]);
  }
  int peek() {
    const int c = get();
    if (c != std::char_traits<char>::eof()) --begin_;
    return c;
  }

  void follow_text() {
    if (++length_ > limits_.text_bytes)
      throw StreamError(line_,
                        "a text is longer than " + std::to_string(limits_.text_bytes) + " bytes");
    if (escaped_)
      escaped_ = false;
    else if (current_ == '\\')
      escaped_ = true;
    else if (current_ == '"')
      in_text_ = false;
    if (!in_text_) length_ = 0;
  }

  void follow_token() {
    constexpr std::size_t longest_number = 1000;
    const bool letter = std::isalpha(static_cast<unsigned char>(current_)) != 0;
    if (current_ == '"') {
      in_text_ = true;
      length_ = 0;
    } else if (letter || std::isdigit(static_cast<unsigned char>(current_)) != 0 ||
               current_ == '-' || current_ == '+' || current_ == '.') {
      if (length_ == 0 && (letter || (current_ == '-' && std::isalpha(peek()) != 0))) take_word();
      if (++length_ > longest_number)
        throw StreamError(
            line_, "a number has more than " + std::to_string(longest_number) + " characters");
    } else {
      length_ = 0;
    }
  }

  /// A word, or its sign, is the current character.
  void take_word() {
    constexpr std::size_t longest = 9;  // "infinity" and a letter
    std::string word(1, current_);
    while (word.size() <= longest && peek() != std::char_traits<char>::eof() &&
           std::isalpha(peek()) != 0)
      word += static_cast<char>(get());
    const bool negative = word.front() == '-';
    std::string low = word.substr(negative ? 1 : 0);
    std::ranges::transform(low, low.begin(), [](unsigned char c) { return std::tolower(c); });
    if (low == "nan")
      word = "\"NaN\"";
    else if (low == "inf" || low == "infinity")
      word = negative ? "\"-Infinity\"" : "\"Infinity\"";
    word_ = word;
    current_ = word_.front();
    next_ = 1;
  }

  std::istream& stream_;
  const StreamLimits& limits_;
  // Small, since a file may have a document a line: 64 KiB that are given back have the C library
  // tidy up its whole heap each time.
  std::array<char, 1 << 13> buffer_{};
  std::size_t begin_ = 0, end_ = 0;
  std::string word_;  // given out before what follows
  std::size_t next_ = 0;
  char current_ = ' ';
  bool ends_line_ = false, ended_ = false, in_text_ = false, escaped_ = false;
  std::size_t length_ = 0;  // of the text or number so far
  std::size_t line_ = 1;
};

/// What the parser reads them through.
struct Character {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Characters* all = nullptr;  // null: the end
  char operator*() const { return all->current(); }
  Character& operator++() {
    all->advance();
    return *this;
  }
  Character operator++(int) {
    const Character before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Character& other) const { return is_end() == other.is_end(); }
  bool operator!=(const Character& other) const { return !(*this == other); }
  bool is_end() const { return all == nullptr || all->ended(); }
};

/// Builds values, and gives away those that were asked for. The names of its functions are the
/// library's.
class Gatherer {
 public:
  Gatherer(const Characters& characters, const std::vector<std::string>& paths,
           const std::function<void(Element&&)>& take, const StreamLimits& limits)
      : characters_(characters), paths_(paths), take_(take), limits_(limits) {}

  Value result;

  bool null() { return add(Value()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& text) { return add(std::move(text)); }
  bool binary(const nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Value::object()); }
  bool start_array(std::size_t) { return open(Value::array()); }
  bool key(std::string& name) {
    Frame& frame = frames_.back();
    if (frame.value.size() == limits_.members)
      refuse("an object holds more than " + std::to_string(limits_.members) + " members");
    if (frame.value.find(name) != nullptr) refuse("an object holds one member twice");
    frame.key = std::move(name);
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    // "parse error at line 1, column 2: ..." counts without the words that were put into quotes.
    const std::string_view said = error.what();
    const std::size_t colon = said.find(": ");
    refuse("it is not JSON from here on: " +
           std::string(colon == std::string_view::npos ? said : said.substr(colon + 2)));
  }

 private:
  struct Frame {
    Value value;
    std::string key;                        // of the member that comes next
    std::string path;                       // of what it holds
    std::size_t given = std::string::npos;  // which path its elements are given away by
    std::size_t line = 0, values_before = 0;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw StreamError(characters_.line(), what);
  }

  void count_value() {
    if (++values_ > limits_.values)
      refuse("it holds more than " + std::to_string(limits_.values) + " values in one piece");
  }

  bool open(Value value) {
    if (static_cast<int>(frames_.size()) == limits_.depth)
      refuse("it is nested deeper than " + std::to_string(limits_.depth) + " levels");
    Frame frame;
    frame.values_before = values_;
    frame.line = characters_.line();
    count_value();
    if (!frames_.empty()) {
      const Frame& around = frames_.back();
      const std::string& name = around.value.is_array() ? star_ : around.key;
      frame.path = around.path.empty() && frames_.size() == 1 ? name : around.path + '/' + name;
    }
    if (value.is_array()) {
      const auto found = std::ranges::find(paths_, frame.path);
      if (found != paths_.end()) frame.given = static_cast<std::size_t>(found - paths_.begin());
    }
    frame.value = std::move(value);
    frames_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return put(std::move(frame.value), frame.line, frame.values_before);
  }

  bool add(Value value) {
    const std::size_t before = values_;
    count_value();
    return put(std::move(value), characters_.line(), before);
  }

  bool put(Value value, std::size_t line, std::size_t values_before) {
    if (frames_.empty()) {
      result = std::move(value);
      return true;
    }
    Frame& frame = frames_.back();
    if (frame.given != std::string::npos) {
      static const Value none;
      take_({frame.given, line, std::move(value),
             frames_.size() > 1 ? frames_[frames_.size() - 2].value : none});
      values_ = values_before;
    } else if (frame.value.is_array()) {
      frame.value.push_back(std::move(value));
    } else {
      frame.value[frame.key] = std::move(value);
    }
    return true;
  }

  const Characters& characters_;
  const std::vector<std::string>& paths_;
  const std::function<void(Element&&)>& take_;
  const StreamLimits& limits_;
  const std::string star_ = "*";
  std::vector<Frame> frames_;
  std::size_t values_ = 0;
};

}  // namespace

Value read_elements(std::istream& stream, const std::vector<std::string>& paths,
                    const std::function<void(Element&&)>& take, const StreamLimits& limits) {
  const auto characters = std::make_unique<Characters>(stream, limits);
  Gatherer gatherer(*characters, paths, take, limits);
  nlohmann::json::sax_parse(Character{characters.get()}, Character{}, &gatherer);
  return std::move(gatherer.result);
}

}  // namespace ridgeline::json
