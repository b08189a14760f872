#include "harness/emulated/program/rewriter/function_head.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ridgeline::program {
namespace {

using Tokens = std::vector<Token>;

bool is_one_of(const Token& token, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, token.text) != words.end();
}

/// Words before a "(" that is no list of parameters; their brackets are skipped.
bool takes_brackets(const Token& token) {
  return is_one_of(token, {"__attribute__", "__attribute", "alignas", "decltype", "noexcept",
                           "__declspec", "explicit", "requires", "__launch_bounds__", "typeof",
                           "__typeof__", "sizeof", "_Alignas", "__cluster_dims__", "__block_size__",
                           "static_assert", "asm", "__asm__", "__maxnreg__"});
}

/// Behind the "(" of the operator's parameters begins nothing of its name: "operator()(".
std::size_t parameters_of_operator(const Tokens& tokens, std::size_t word, std::size_t end) {
  std::size_t i = word + 1;
  if (i + 1 < end && tokens[i].is("(") && tokens[i + 1].is(")")) i += 2;
  while (i < end && !tokens[i].is("(")) ++i;
  return i;
}

bool is_plain_type(const Token& token) {
  return is_one_of(token, {"int",   "unsigned",     "signed",     "long",     "short", "char",
                           "float", "double",       "bool",       "void",     "const", "volatile",
                           "auto",  "size_t",       "struct",     "typename", "class", "enum",
                           "union", "__restrict__", "__restrict", "restrict"});
}

/// Behind `requires A<T> && (...)`, where one begins at `i`.
std::size_t behind_requirement(const Tokens& tokens, std::size_t i, std::size_t end) {
  if (i >= end || !tokens[i].is("requires")) return i;
  for (;;) {
    ++i;  // behind requires, or an operator
    while (i < end && (tokens[i].is("!") || tokens[i].is("::"))) ++i;
    for (bool goes_on = true; goes_on && i < end;) {  // A<T>::value
      if (tokens[i].is_word()) ++i;
      if (i < end && tokens[i].is("<")) i = closing_angle(tokens, i, end) + 1;
      goes_on = i < end && tokens[i].is("::");
      if (goes_on) ++i;
    }
    if (i < end && tokens[i].is("(")) i = closing(tokens, i) + 1;
    if (i >= end) return end;
    const bool is_pair = i + 1 < end && tokens[i + 1].is(tokens[i].text);  // && and || are two
    if (is_pair && is_one_of(tokens[i], {"&", "|"}))
      ++i;
    else if (!is_one_of(tokens[i], {"and", "or"}))
      return i;
  }
}

}  // namespace

std::optional<Range> template_head(const Source& source, std::size_t first, std::size_t end) {
  const Tokens& tokens = source.tokens;
  std::optional<Range> last;
  std::size_t i = first;
  while (i + 1 < end && tokens[i].is("template") && tokens[i + 1].is("<")) {
    const std::size_t close = closing_angle(tokens, i + 1, end);
    if (close >= end) break;
    last = Range{i + 1, close};
    i = close + 1;
  }
  return last;
}

std::size_t behind_templates(const Source& source, std::size_t first, std::size_t end) {
  const std::optional<Range> last = template_head(source, first, end);
  return last ? behind_requirement(source.tokens, last->end + 1, end) : first;
}

std::vector<Parameter> parameters_of(const Source& source, std::size_t first, std::size_t end,
                                     const std::string& prefix) {
  const Tokens& tokens = source.tokens;
  std::vector<Parameter> parameters;
  for (Range piece : between_commas(tokens, first, end)) {
    if (piece.end - piece.first == 1 && tokens[piece.first].is("void")) continue;
    if (piece.first >= piece.end) continue;
    Parameter parameter;
    std::size_t stop = piece.first;  // before a default, or an array's extent
    std::size_t inner = 0;           // the name in "(*name)(...)"
    int words = 0;
    for (; stop < piece.end; ++stop) {
      const Token& token = tokens[stop];
      if (token.is("=") || token.is("[")) break;
      if (token.is("(")) {
        if (stop + 2 < piece.end && (tokens[stop + 1].is("*") || tokens[stop + 1].is("&")))
          inner = stop + 2;
        break;
      }
      if (token.is("<")) {
        const std::size_t behind = closing_angle(tokens, stop, piece.end);
        if (behind < piece.end) stop = behind;
        continue;
      }
      if (token.is(".")) parameter.is_pack = true;
      if (takes_brackets(token) && stop + 1 < piece.end && tokens[stop + 1].is("("))
        stop = closing(tokens, stop + 1);
      else if (token.is_word() && !is_one_of(token, {"const", "volatile", "typename", "class",
                                                     "struct", "__grid_constant__"}))
        ++words;
    }
    const Token& last = tokens[stop - 1];
    const bool is_type_parameter =
        is_one_of(tokens[piece.first], {"typename", "class"}) || tokens[piece.first].is("template");
    const bool behind_scope = stop - 1 > piece.first && tokens[stop - 2].is("::");
    const bool has_name =
        last.is_word() && !is_plain_type(last) && !behind_scope &&
        (is_type_parameter ? last.text != "typename" && last.text != "class"
                           : words > 1 || tokens[stop - 2].is("*") || tokens[stop - 2].is("&") ||
                                 tokens[stop - 2].is(">") || tokens[stop - 2].is(".") ||
                                 tokens[stop - 2].is(")"));
    if (inner != 0 && tokens[inner].is_word()) {
      parameter.name = tokens[inner].text;
    } else if (has_name) {
      parameter.name = last.text;
    } else {
      parameter.name = prefix + std::to_string(parameters.size());
      parameter.insert = stop;
    }
    parameters.push_back(parameter);
  }
  return parameters;
}

std::optional<FunctionHead> function_head(const Source& source, std::size_t first,
                                          std::size_t end) {
  const Tokens& tokens = source.tokens;
  FunctionHead head;
  head.is_template = first < end && tokens[first].is("template");
  bool is_specialisation = false;
  if (const auto list = template_head(source, first, end)) {
    is_specialisation = list->end == list->first + 1;
    std::string arguments;
    for (const Parameter& each : parameters_of(source, list->first + 1, list->end, "ridgeline_t"))
      arguments += (arguments.empty() ? "" : ", ") + each.name + (each.is_pack ? "..." : "");
    if (!arguments.empty()) head.arguments = "<" + arguments + ">";
  }
  std::size_t name_end = 0;
  for (std::size_t i = behind_templates(source, first, end); i < end; ++i) {
    const Token& token = tokens[i];
    if (token.is("__global__")) head.is_kernel = head.is_device = true;
    if (token.is("__device__")) head.is_device = true;
    if (token.is("constexpr") || token.is("consteval")) head.is_constexpr = true;
    if (head.parameters != 0) continue;
    if (token.is("=")) return std::nullopt;
    if (takes_brackets(token) && i + 1 < end && tokens[i + 1].is("(")) {
      i = closing(tokens, i + 1);
      continue;
    }
    if (token.is("[") && i + 1 < end && tokens[i + 1].is("[")) {  // an attribute
      i = closing(tokens, i);
      continue;
    }
    if (token.is("operator")) {
      head.name = i;
      i = head.parameters = parameters_of_operator(tokens, i, end);
      if (i >= end) return std::nullopt;
      i = closing(tokens, i);
      continue;
    }
    if (token.is("<") && i > first && tokens[i - 1].is_word()) {
      const std::size_t behind = closing_angle(tokens, i, end);
      if (behind >= end) return std::nullopt;
      if (behind + 1 < end && tokens[behind + 1].is("(") && is_specialisation) {
        const std::size_t from = source.at(tokens[i]);
        head.arguments = source.text.substr(from, source.at(tokens[behind]) + 1 - from);
        head.name = i - 1;
        head.parameters = behind + 1;
        i = closing(tokens, head.parameters);
        continue;
      }
      i = behind;
      name_end = 0;
      continue;
    }
    if (token.is_word()) name_end = i;
    if (!token.is("(")) continue;
    if (name_end == 0 || name_end + 1 != i) return std::nullopt;
    head.name = name_end;
    head.parameters = i;
    i = closing(tokens, i);
  }
  if (head.parameters == 0) return std::nullopt;
  return head;
}

}  // namespace ridgeline::program
