#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

/// What a list of fields says of each, beside its name and its member. A list is a function, found
/// by argument-dependent lookup:
///
///     void fields(auto& visit, Of<Roof> auto& roof) {
///       visit("kind", roof.kind);
///       visit("value", roof.value);
///     }
///
/// A visitor writes JSON or reads it, binds a row's values or reads them. For a reader the record
/// is not const.
namespace ridgeline::record {

/// Longest texts that a message may hold, in bytes.
inline constexpr std::size_t max_name_bytes = 400, max_text_bytes = 8000;

/// The characters of a word: names of cases are made of words, which are split at other characters,
/// typed in a shell, and name files.
inline constexpr std::string_view word_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+-";

/// Longest name of a device model: it names files, of which file systems allow 255 bytes with all
/// that is put behind it.
inline constexpr std::size_t max_model_bytes = 200;

/// Whether a word may name a file in a folder of results: none that is hidden, or the folder.
constexpr bool names_a_file(std::string_view word) {
  return !word.empty() && word.size() <= max_model_bytes && word.front() != '.' &&
         word.find_first_not_of(word_characters) == std::string_view::npos;
}

/// Bounds of what is measured, far beyond what there is, so that a product or quotient of any two
/// is a number and not 0. Times: from a picosecond, of which a cycle of any processor has a
/// hundred, to 11 days, which no run lasts. Amounts, of work too: 1e30 operations keep a machine of
/// 1e18 per second busy for 30,000 years.
inline constexpr double shortest_ns = 1e-3, longest_ns = 1e15, largest_amount = 1e30,
                        smallest_amount = 1e-30;

/// What a double, and so any JSON parser, holds.
inline constexpr std::int64_t largest_count = std::int64_t{1} << 53;

inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

/// What a text from another program must be.
enum class Text {
  any,
  word,  // of the characters that names of cases are made of: it is split, typed in a shell, and
         // names files
  line,  // without control characters: it is printed
  filled_line,  // and not empty
  source,       // without NUL
  time,         // a second of UTC: "2026-01-31T23:59:59Z"
  id,           // of a run or gate, or the name of a baseline: as is_plain_name has it
};

/// Longest id, and longest text that is stored: a gate keeps the names of all its cases in one.
inline constexpr std::size_t max_id_bytes = 100, max_stored_bytes = 4u << 20;

enum class Presence {
  required,
  may_lack,             // a message may leave it out
  left_out_when_empty,  // and ours do when it is empty or zero
};

struct Rule {
  double least = std::numeric_limits<double>::lowest();  // of numbers, of those in a list, too
  double greatest = std::numeric_limits<double>::max();  // likewise
  double smallest = 0;                                   // of the size of a number that is not 0
  std::int64_t most = unbounded;         // of a whole number, or of a list's elements, in a message
  std::size_t longest = max_text_bytes;  // of a text in a message
  Text text = Text::any;
  bool cut = false;    // what is too long is cut, and what cannot be printed escaped, before it is
                       // sent
  bool finite = true;  // else a message says "nan" or "inf", and the store NULL or the largest
                       // number
  Presence presence = Presence::required;  // what is optional may always be left out
  const char* column = nullptr;  // where it differs from the name; "": it has no column of its own.
                                 // Of a record that may be absent, the column that is NULL then
  bool null_when_empty = false;  // of a text

  constexpr bool allows(double number) const {  // false for NaN
    return number >= least && number <= greatest &&
           (number == 0 || number >= smallest || number <= -smallest);
  }
};

/// Where `rule` says nothing else, fields are stored under their name.
constexpr const char* column_of(const char* name, const Rule& rule) {
  return rule.column ? rule.column : name;
}

/// What a list of fields takes: a Record that is written, or one that is read.
template <class T, class Record>
concept Of = std::same_as<std::remove_const_t<T>, Record>;

/// Records have a list of fields; all else is a value.
template <class T>
concept Listed = requires(int& visit, T& record) {
  fields(visit, record);
};

}  // namespace ridgeline::record
