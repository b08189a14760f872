#include "harness/emulated/compiler/aggregate_copies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ridgeline::emulated {
namespace {

constexpr std::string_view told_read = "__tsan_read";

/// "float4", "uchar2", "longlong3", "double4_32a".
bool is_vector(std::string_view name) {
  constexpr std::array elements{"char", "uchar", "short",    "ushort",    "int",   "uint",
                                "long", "ulong", "longlong", "ulonglong", "float", "double"};
  return std::ranges::any_of(elements, [&](std::string_view element) {
    if (!name.starts_with(element)) return false;
    const std::string_view count = name.substr(element.size());
    return (count.size() == 1 || (count.size() > 1 && count[1] == '_')) && count[0] >= '1' &&
           count[0] <= '4';
  });
}

/// Whether the text of a type or a statement names a struct that CUDA has for one value.
bool names_a_value(std::string_view text) {
  constexpr std::string_view word = "struct ";
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at)) {
    at += word.size();
    const std::string_view name = first_name(text.substr(at));
    if (is_vector(name) || name.starts_with("__half") || name.starts_with("__nv_")) return true;
  }
  return false;
}

std::string type_of(const DumpedFunction& function, std::string_view name) {
  const auto known = function.types.find(std::string(name));
  return known == function.types.end() ? "" : known->second;
}

/// Whether a statement writes to memory or to a variable that lies there, and not to a register:
/// what is no aggregate is always read to a register first.
bool is_written_to_memory(const DumpedFunction& function, std::string_view target) {
  if (first_name(target).size() != target.size()) return true;
  const std::string type = type_of(function, target);  // of a variable that is called like a value
  const bool is_object = type.find("struct ") != type.npos || type.find("union ") != type.npos;
  return !is_assigned_once(target) || (is_object && type.find_first_of("*&") == type.npos);
}

/// The bytes of a call's read: "__tsan_read16 (_4);", "__tsan_read_range (_4, 48);".
std::size_t bytes_of(std::string_view call) {
  std::string_view digits = call.substr(told_read.size());
  if (digits.starts_with("_range")) digits = call.substr(call.rfind(' ') + 1);
  std::size_t bytes = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  return bytes;
}

/// The object's bytes where the statement behind the call of a read copies an aggregate, else 0.
std::size_t copied_bytes(const DumpedFunction& function, std::string_view call,
                         std::string_view statement) {
  const std::size_t equals = statement.find(" = "), open = call.find('(');
  if (equals == std::string_view::npos || open == std::string_view::npos) return 0;
  const std::string_view target = statement.substr(0, equals);
  if (!is_written_to_memory(function, target) || names_a_value(statement) ||
      names_a_value(type_of(function, target)) ||
      names_a_value(type_of(function, variable_of(call.substr(open + 1)))) ||
      names_a_value(type_of(function, first_name(call.substr(open + 1)))))
    return 0;
  return bytes_of(call);
}

/// A function, the line and column, and what is called there: which is how a call in the dump is
/// found in the assembly. Calls of one kind are in the same order in both.
using Key = std::string;
Key key_of(std::string_view symbol, std::string_view line_and_column, std::string_view callee) {
  return std::string(symbol).append(" ").append(line_and_column).append(" ").append(callee);
}

std::map<Key, std::vector<std::size_t>> reads_of(const std::vector<DumpedFunction>& functions) {
  std::map<Key, std::vector<std::size_t>> reads;
  for (const DumpedFunction& function : functions) {
    const auto& statements = function.statements;
    for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
      const std::string_view call = statements[i].text, place = statements[i].place;
      if (!call.starts_with(told_read) || place.empty()) continue;
      const std::size_t line = place.rfind(':', place.rfind(':') - 1) + 1;
      reads[key_of(function.symbol, place.substr(line), first_name(call))].push_back(
          copied_bytes(function, call, statements[i + 1].text));
    }
  }
  return reads;
}

/// Follows lines of assembly.
class Reader {
 public:
  /// Of a line that calls for a read.
  std::optional<Key> read_in(std::string_view line) {
    constexpr std::string_view place = "\t.loc ", call = "\tcall\t";
    if (line.starts_with(place)) {
      const std::size_t number = line.find(' ', place.size()) + 1,  // behind the file's
          behind = line.find(' ', line.find(' ', number) + 1);
      place_ = line.substr(number, behind - number);
      std::ranges::replace(place_, ' ', ':');
    } else if (line.ends_with(':') && !line.starts_with('\t') && !line.starts_with(".L")) {
      symbol_ = line.substr(0, line.size() - 1);
      if (symbol_.ends_with(".cold")) symbol_.resize(symbol_.size() - 5);
    } else if (line.starts_with(call) && line.substr(call.size()).starts_with(told_read)) {
      return key_of(symbol_, place_, first_name(line.substr(call.size())));
    }
    return std::nullopt;
  }

 private:
  std::string symbol_, place_;
};

}  // namespace

void mark_aggregate_copies(std::istream& assembly, std::ostream& marked,
                           const std::vector<DumpedFunction>& functions) {
  const std::map<Key, std::vector<std::size_t>> reads = reads_of(functions);
  std::map<Key, std::size_t> counts, done;
  Reader counter, reader;
  for (std::string line; std::getline(assembly, line);)
    if (const auto key = counter.read_in(line)) ++counts[*key];
  assembly.clear();
  assembly.seekg(0);
  std::size_t number = 0;
  for (std::string line; std::getline(assembly, line);) {
    marked << line << '\n';
    const auto key = reader.read_in(line);
    const auto known = key ? reads.find(*key) : reads.end();
    if (known == reads.end()) continue;
    // Where the compiler has made more or fewer of them, only what is so of all is known.
    const std::vector<std::size_t>& bytes = known->second;
    const bool all_same = std::ranges::count(bytes, bytes.front()) == std::ssize(bytes);
    const std::size_t index = done[*key]++;
    const std::size_t copied = all_same                       ? bytes.front()
                               : counts[*key] == bytes.size() ? bytes[index]
                                                              : 0;
    if (copied == 0) continue;
    const std::string label = ".Lridgeline_copy_" + std::to_string(number++);
    // In the section group of its function, with which the linker may leave it out.
    marked << label << ":\n\t.pushsection\tridgeline_aggregate_copies,\"a?\",@progbits\n\t.quad\t"
           << label << ", " << copied << "\n\t.popsection\n";
  }
}

}  // namespace ridgeline::emulated
