#include "harness/emulated/compiler/local_indices.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace ridgeline::emulated {
namespace {

// Statements between the comparison and the access: computations of other indices.
constexpr std::size_t most_between = 8;

struct Comparison {
  std::string_view index, last;
};

/// Of ".UBSAN_BOUNDS (0B, n_14(D), 3);".
Comparison comparison_in(std::string_view text) {
  constexpr std::string_view word = ".UBSAN_BOUNDS (";
  if (!text.starts_with(word) || !text.ends_with(");")) return {};
  text = text.substr(word.size(), text.size() - word.size() - 2);
  const std::size_t first = text.find(", "), second = text.rfind(", ");
  if (first == std::string_view::npos || second == first) return {};
  return {text.substr(first + 2, second - first - 2), text.substr(second + 2)};
}

/// The function's own array that the text has at `index`: of "x = tile.m[2][n_14(D)];" "tile", also
/// where a reference leads to it, as in "MEM <float[4]> [(float &)&tile][_8]". Empty: none.
std::string array_at(const DumpedFunction& function, std::string_view text,
                     std::string_view index) {
  std::string wanted(1, '[');
  wanted.append(index).append(1, ']');
  const std::size_t at = text.find(wanted);
  if (at == std::string_view::npos) return "";
  std::size_t begin = at;
  for (int depth = 0; begin > 0; --begin) {
    const char c = text[begin - 1];
    depth += c == ']' || c == ')' ? 1 : c == '[' || c == '(' ? -1 : 0;
    if (depth < 0 || (depth == 0 && (c == ' ' || c == '&'))) break;
  }
  std::string_view array = text.substr(begin, at - begin);
  if (array.starts_with('[')) array = array.substr(std::min(array.rfind('&') + 1, array.size()));
  array = first_name(array);
  array = array.substr(0, array.find('.', 1));
  return function.is_local(array) ? std::string(array) : "";
}

}  // namespace

std::vector<std::string> local_indices(const std::vector<DumpedFunction>& functions) {
  std::vector<std::string> found;
  for (const DumpedFunction* const function : functions_of_kernels(functions)) {
    const auto& statements = function->statements;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const Comparison comparison = comparison_in(statements[i].text);
      if (comparison.index.empty() || statements[i].place.empty()) continue;
      const std::size_t end = std::min(statements.size(), i + 1 + most_between);
      std::string array;
      for (std::size_t next = i + 1; next < end && array.empty(); ++next)
        array = array_at(*function, statements[next].text, comparison.index);
      if (array.empty()) continue;
      found.push_back(statements[i].place);
      found.push_back(array.append(", whose last index is ").append(comparison.last));
    }
  }
  return found;
}

std::vector<std::string> unset_variables(const std::vector<DumpedFunction>& functions) {
  std::vector<std::string> found;
  for (const DumpedFunction* const function : functions_of_kernels(functions))
    for (const DumpedStatement& statement : function->statements) {
      const std::size_t equals = statement.text.find(" = .DEFERRED_INIT (");
      if (equals == std::string::npos || statement.place.empty()) continue;
      std::string variable = variable_of(std::string_view(statement.text).substr(0, equals));
      if (variable.empty() || variable.starts_with("D.")) continue;  // the compiler's own
      std::string text = variable.append(" at ").append(statement.place);
      if (std::ranges::find(found, text) == found.end()) found.push_back(std::move(text));
    }
  return found;
}

}  // namespace ridgeline::emulated
