#include <string_view>

#include <fmt/core.h>

#include "harness/emulated/program/rewriter/body.hpp"

namespace ridgeline::program {

std::size_t Bodies::statement_begin(std::size_t at, std::size_t first) const {
  while (at > first && !tokens_[at - 1].is(";") && !tokens_[at - 1].is("{") &&
         !tokens_[at - 1].is("}"))
    --at;
  return at;
}

void Bodies::dynamic_shared(std::size_t first, std::size_t end, bool as_function) {
  std::string type;
  std::string_view name;
  std::size_t extent = end;
  for (std::size_t i = first; i < end; ++i) {
    const Token& token = tokens_[i];
    if (token.is("extern") || token.is("__shared__") || token.is("static")) continue;
    if (token.is("__attribute__") || token.is("alignas") || token.is("__align__")) {
      i = closing(tokens_, i + 1);
      continue;
    }
    if (token.is("[")) {
      extent = i;
      break;
    }
    if (i + 1 < end && tokens_[i + 1].is("[")) {
      name = token.text;
      continue;
    }
    type += std::string(token.text) + " ";
  }
  if (name.empty())
    return problem(first, "an extern __shared__ variable that is no array",
                   "declare it as type name[]");
  std::string rest;  // of more than one dimension
  const std::size_t behind = closing(tokens_, extent) + 1;
  if (behind < end) rest = text_of(behind, end);
  const std::string pointed = rest.empty() ? type + "*" : type + "(*)" + rest;
  const std::string from = "(" + pointed + ")::ridgeline::emulated::dynamic_shared()";
  if (as_function) {
    dynamic_.insert(name);
    replace(first, end,
            rest.empty() ? fmt::format("static inline {}* ridgeline_dynamic_{}() {{ return {}; }}",
                                       type, name, from)
                         : fmt::format("static inline auto ridgeline_dynamic_{}() {{ return {}; }}",
                                       name, from));
    return;
  }
  replace(first, end,
          rest.empty() ? fmt::format("{}* const {} = {}", type, name, from)
                       : fmt::format("auto* const {} = {}", name, from));
}

void Bodies::shared_variable(std::size_t at, std::size_t end) {
  const std::size_t first = statement_begin(at, body_);
  std::size_t last = at;
  bool is_extern = false;
  while (last < end && !tokens_[last].is(";")) {
    if (tokens_[last].is("(") || tokens_[last].is("{")) last = closing(tokens_, last);
    ++last;
  }
  for (std::size_t i = first; i < last; ++i) is_extern = is_extern || tokens_[i].is("extern");
  if (is_extern) return dynamic_shared(first, last, false);
  std::string word = "thread_local __attribute__((aligned(128)))";
  for (std::size_t i = first; i < last && !tokens_[i].is("=") && !tokens_[i].is("["); ++i) {
    if (!tokens_[i].is("alignas") || !tokens_[i + 1].is("(")) continue;
    const std::size_t close = closing(tokens_, i + 1);
    word += fmt::format(" __attribute__((aligned({})))", text_of(i + 2, close));
    replace(i, close + 1, "");
    i = close;
  }
  replace(at, at + 1, word);
}

}  // namespace ridgeline::program
