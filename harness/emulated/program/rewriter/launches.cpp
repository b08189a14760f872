#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/emulated/program/rewriter/body.hpp"

namespace ridgeline::program {

bool may_precede_expression(const Token& token) {
  constexpr std::string_view words[] = {"return", "case",  "else",   "do",        "and",     "or",
                                        "not",    "throw", "sizeof", "co_return", "co_yield"};
  return std::ranges::find(words, token.text) != std::ranges::end(words);
}

std::size_t Bodies::callee_of(std::size_t launch, std::size_t first) const {
  std::size_t i = launch;
  while (i > first) {
    const std::size_t before = i - 1;
    const Token& token = tokens_[before];
    if (token.is(")") || token.is("]") || token.is(">")) {
      const std::string_view closes = token.text;
      const std::string_view opens = closes == ")" ? "(" : closes == "]" ? "[" : "<";
      int depth = 0, round = 0;
      std::size_t j = before;
      for (;; --j) {
        if (tokens_[j].is(")")) ++round;
        if (tokens_[j].is("(")) --round;
        // Of template arguments, what stands in round brackets may compare.
        if (closes == ">" && round > 0) {
          if (j == first) return first;
          continue;
        }
        if (tokens_[j].is(closes)) ++depth;
        if (tokens_[j].is(opens) && --depth == 0) break;
        if (j == first) return first;
      }
      i = j;
      if (closes == ")" && i == launch) break;
      if (i > first && closes != ")" && !tokens_[i - 1].is_word()) continue;
      if (closes == ")" && (i == first || (!tokens_[i - 1].is_word() && !tokens_[i - 1].is(">"))))
        break;  // "(*kernel)"
      continue;
    }
    if (token.is_word() && !may_precede_expression(token)) {
      i = before;
      if (i > first &&
          (tokens_[i - 1].is("::") || tokens_[i - 1].is("->") || tokens_[i - 1].is("."))) {
        --i;
        continue;
      }
      break;
    }
    break;
  }
  return i;
}

/// `kernel<T><<<grid, block, shared, stream>>>(arguments)`, with its <<< at `at`.
void Bodies::launch(std::size_t at, std::size_t end) {
  const std::size_t inside = at + 3;
  std::size_t close = end;
  for (std::size_t i = inside; i + 2 < end; ++i) {
    const Token& token = tokens_[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = closing(tokens_, i);
      continue;
    }
    if (token.is(";")) break;
    if (token.is("<") && tokens_[i - 1].is_word()) {  // template arguments, if they end in time
      std::size_t behind = i + 1;
      int depth = 1;
      for (; behind < end && depth > 0; ++behind) {
        const Token& part = tokens_[behind];
        if (part.is("<")) ++depth;
        if (part.is(">")) --depth;
        if (part.is("(") || part.is("[")) behind = closing(tokens_, behind);
        if (part.is(";") || part.is("?") || part.is("&") || part.is("|")) break;
      }
      // Behind them a value or a member follows: f<4>(x), s<4>::n; or the configuration goes on.
      if (depth == 0 && behind < end && !tokens_[behind].is_word() &&
          tokens_[behind].kind != Token::Kind::number) {
        i = behind - 1;
        continue;
      }
    }
    // Some write "> >>", which nvcc takes, too.
    if (token.is(">") && tokens_[i + 1].is(">") && tokens_[i + 2].is(">") && i + 3 < end &&
        tokens_[i + 3].is("(")) {
      close = i;
      break;
    }
  }
  if (close >= end)
    return problem(at, "a launch whose >>>(arguments) is not found",
                   "write kernel<<<grid, block>>>(arguments)");
  const std::size_t callee = callee_of(at, body_);
  if (callee == at)
    return problem(at, "a launch without a kernel before its <<<", "name the kernel there");
  const std::string kernel = text_of(callee, at);
  replace(callee, at + 3, "(::ridgeline::program::configure(");
  replace(close, close + 3, "), " + kernel);
  const Token& behind = tokens_[closing(tokens_, close + 3)];
  edits_.insert(source_.at(behind) + 1, ")");
}

/// cudaLaunchKernel(...) and its like take a kernel as an address without a type; here with it.
void Bodies::launch_call(std::size_t at, std::size_t function) {
  const std::vector<Range> arguments = between_commas(tokens_, at + 2, closing(tokens_, at + 1));
  if (function >= arguments.size()) return;
  std::size_t first = arguments[function].first;
  const std::size_t end = arguments[function].end;
  if (tokens_[first].is("reinterpret_cast") && tokens_[first + 1].is("<")) {
    const std::size_t behind = closing_angle(tokens_, first + 1, end);
    if (behind < end)
      edits_.replace(source_.at(tokens_[first]),
                     source_.at(tokens_[behind]) + 1 - source_.at(tokens_[first]), "");
    return;
  }
  if (!tokens_[first].is("(")) return;
  const std::size_t behind = closing(tokens_, first);
  bool is_pointer = behind + 1 < end;
  for (std::size_t i = first + 1; i < behind; ++i)
    is_pointer =
        is_pointer && (tokens_[i].is("void") || tokens_[i].is("const") || tokens_[i].is("*"));
  if (is_pointer) replace(first, behind + 1, "");
}

}  // namespace ridgeline::program
