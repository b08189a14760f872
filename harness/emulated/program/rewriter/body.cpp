#include "harness/emulated/program/rewriter/body.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "harness/emulated/program/rewriter/ptx.hpp"

namespace ridgeline::program {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> variables{
    {{"threadIdx", "(::ridgeline::emulated::thread_index())"},
     {"blockIdx", "(::ridgeline::emulated::block_index())"},
     {"blockDim", "(::ridgeline::program::block_dim())"},
     {"gridDim", "(::ridgeline::program::grid_dim())"},
     {"warpSize", "32"}}};

/// Functions of the host's libraries that have another meaning in a kernel.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> calls{
    {{"clock", "::ridgeline::program::device_clock"},
     {"malloc", "::ridgeline::program::device_malloc"},
     {"free", "::ridgeline::program::device_free"},
     {"memcpy", "::ridgeline::program::device_memcpy"},
     {"memset", "::ridgeline::program::device_memset"},
     {"__assert_fail", "::ridgeline::program::device_assert"},
     {"abort", "::ridgeline::program::device_trap"},
     {"__builtin_trap", "::ridgeline::program::device_trap"},
     {"__shfl", "::ridgeline::program::old__shfl"},
     {"__shfl_up", "::ridgeline::program::old__shfl_up"},
     {"__shfl_down", "::ridgeline::program::old__shfl_down"},
     {"__shfl_xor", "::ridgeline::program::old__shfl_xor"},
     {"__ballot", "::ridgeline::program::old__ballot"},
     {"__any", "::ridgeline::program::old__any"},
     {"__all", "::ridgeline::program::old__all"}}};

bool is_assembly(const Token& token) {
  return token.is("asm") || token.is("__asm__") || token.is("__asm");
}

}  // namespace

std::string Bodies::text_of(std::size_t first, std::size_t end) const {
  if (first >= end) return "";
  const std::size_t from = source_.at(tokens_[first]);
  std::string text =
      source_.text.substr(from, source_.at(tokens_[end - 1]) + tokens_[end - 1].text.size() - from);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {  // one line, without markers of lines
    if (text[i] == '\n' && i + 1 < text.size() && text[i + 1] == '#')
      i = std::min(text.find('\n', i + 1), text.size());
    plain += i < text.size() && text[i] != '\n' ? text[i] : ' ';
  }
  return plain;
}

void Bodies::replace(std::size_t first, std::size_t end, std::string text) {
  const std::size_t from = source_.at(tokens_[first]);
  edits_.replace(from, source_.at(tokens_[end - 1]) + tokens_[end - 1].text.size() - from,
                 std::move(text));
}

void Bodies::problem(std::size_t at, std::string what, std::string hint) {
  problems_.push_back({source_.place(tokens_[at]), std::move(what), std::move(hint)});
}

/// The place of the { of the lambda whose capture begins at `open`; `end` when there is none.
std::size_t Bodies::lambda_body(std::size_t open, std::size_t end, bool& for_device) const {
  std::size_t i = closing(tokens_, open) + 1;
  bool marked = false, on_device = false;
  for (; i < end; ++i) {
    const Token& token = tokens_[i];
    if (token.is("{")) break;
    if (token.is("__device__")) on_device = marked = true;
    if (token.is("__host__")) marked = true;
    if (token.is("(")) {
      i = closing(tokens_, i);
    } else if (token.is("<")) {
      i = closing_angle(tokens_, i, end);
    } else if (!token.is_word() && !token.is("->") && !token.is("::") && !token.is("*") &&
               !token.is("&") && !token.is(">")) {
      return end;
    }
  }
  if (marked) for_device = on_device;
  return i;
}

/// Returns the place of its last token.
std::size_t Bodies::inline_assembly(std::size_t at, std::size_t end) {
  std::size_t open = at + 1;
  while (open < end && tokens_[open].is_word()) ++open;  // volatile, goto
  if (open >= end || !tokens_[open].is("(")) return at;
  const std::size_t close = closing(tokens_, open);
  const auto word = [&](std::size_t i) -> std::string {
    for (const auto& [name, instead] : variables)
      if (tokens_[i].is(name) && !tokens_[i - 1].is(".") && !tokens_[i - 1].is("->"))
        return std::string(instead);
    if (dynamic_.contains(tokens_[i].text))
      return fmt::format("(ridgeline_dynamic_{}())", tokens_[i].text);
    return std::string(tokens_[i].text);
  };
  const Translation made = translate_assembly(source_, open + 1, close, word);
  if (!made.failure.empty() && tokens_[at].is_system) {  // nobody may call it
    replace(at, close + 1, "::ridgeline::emulated::unsupported(\"inline PTX of a header\")");
    return close;
  }
  if (!made.failure.empty()) {
    problem(at, "inline PTX: " + made.failure,
            "docs/emulated-device.md says which instructions are modelled; keep others behind "
            "#ifndef RIDGELINE_CHECK");
    return close;
  }
  replace(at, close + 1, made.text);
  return close;
}

/// Whether the name at `at` is declared there: behind a type, or as `type* name =` or `type* name;`
/// at a statement's beginning.
bool Bodies::declares(std::size_t at) const {
  std::size_t type = at - 1;
  while (type > body_ && (tokens_[type].is("*") || tokens_[type].is("&"))) --type;
  if (!tokens_[type].is_word() || may_precede_expression(tokens_[type])) return false;
  if (type == at - 1) return true;
  const bool ends =
      tokens_[at + 1].is(";") || (tokens_[at + 1].is("=") && !tokens_[at + 2].is("="));
  const std::size_t first = statement_begin(at, body_);
  return ends && (first == type || (first + 1 == type && tokens_[first].is("const")));
}

void Bodies::device_word(std::size_t at, Names& own) {
  const Token& token = tokens_[at];
  const Token& before = tokens_[at - 1];
  if (before.is(".") || before.is("->")) return;
  for (const auto& [name, instead] : variables) {
    if (!token.is(name) || own.contains(name)) continue;
    if (before.is("::") && at > 1 && tokens_[at - 2].is_word()) return;
    if (declares(at)) {
      own.emplace(name);
      return;
    }
    return replace(at, at + 1, std::string(instead));
  }
  if (dynamic_.contains(token.text) && !own.contains(token.text)) {
    if (declares(at)) {
      own.emplace(token.text);
      return;
    }
    return replace(at, at + 1, fmt::format("(ridgeline_dynamic_{}())", token.text));
  }
  if (tokens_[at + 1].is("(") && !token.is_system) {
    for (const auto& [name, instead] : calls) {
      if (!token.is(name)) continue;
      const bool of_std = before.is("::");
      const bool is_scoped = of_std && tokens_[at - 2].is("std");
      if (of_std && tokens_[at - 2].is_word() && !is_scoped) return;
      if (before.is_word() && !may_precede_expression(before)) return;
      return replace(is_scoped ? at - 2 : of_std ? at - 1 : at, at + 1, std::string(instead));
    }
  }
  if (token.is("new") && !tokens_[at + 1].is("(") && !before.is("operator"))
    return replace(at, at + 1, "new (::ridgeline::program::heap)");
}

void Bodies::rewrite(std::size_t first, std::size_t end, bool for_device, Names own) {
  body_ = first;
  std::vector<Scope> scopes{{end, for_device}};
  for (std::size_t i = first; i < end; ++i) {
    while (scopes.size() > 1 && i >= scopes.back().end) scopes.pop_back();
    const bool on_device = scopes.back().for_device;
    const Token& token = tokens_[i];
    if (token.kind == Token::Kind::mark) {
      if (token.is("<") && i + 2 < end && tokens_[i + 1].is("<") && tokens_[i + 2].is("<") &&
          tokens_[i + 1].follows) {
        launch(i, end);
        i += 2;
      } else if (token.is("[") && (tokens_[i - 1].kind == Token::Kind::mark
                                       ? !tokens_[i - 1].is(")") && !tokens_[i - 1].is("]")
                                       : may_precede_expression(tokens_[i - 1]))) {
        bool marked = on_device;
        const std::size_t body = lambda_body(i, end, marked);
        if (body < end && tokens_[body].is("{")) scopes.push_back({closing(tokens_, body), marked});
      }
      continue;
    }
    if (token.kind != Token::Kind::word) continue;
    if (token.is("__shared__")) {
      shared_variable(i, end);
    } else if (token.is("__device__") || token.is("__host__") || token.is("__constant__") ||
               token.is("__managed__") || token.is("__grid_constant__")) {
      replace(i, i + 1, "");
    } else if (is_assembly(token) && on_device) {
      i = inline_assembly(i, end);
    } else if (on_device) {
      device_word(i, own);
    } else if ((token.is("exit") || token.is("_exit") || token.is("quick_exit")) &&
               tokens_[i + 1].is("(") && !tokens_[i - 1].is(".") && !tokens_[i - 1].is("->") &&
               (!tokens_[i - 1].is_word() || may_precede_expression(tokens_[i - 1]))) {
      const bool scoped = tokens_[i - 1].is("::");
      replace(scoped && tokens_[i - 2].is("std") ? i - 2
              : scoped                           ? i - 1
                                                 : i,
              i + 1, "::ridgeline::program::leave");
    } else if ((token.is("cudaLaunchKernel") || token.is("cudaLaunchCooperativeKernel")) &&
               tokens_[i + 1].is("(")) {
      replace(i, i + 1,
              token.is("cudaLaunchKernel") ? "::ridgeline::program::launch_kernel"
                                           : "::ridgeline::program::launch_cooperative");
      launch_call(i, 0);
    } else if ((token.is("cudaLaunchKernelEx") || token.is("cudaLaunchKernelExC")) &&
               tokens_[i + 1].is("(")) {
      replace(i, i + 1,
              token.is("cudaLaunchKernelEx") ? "::ridgeline::program::launch_kernel_ex"
                                             : "::ridgeline::program::launch_kernel_exc");
      launch_call(i, 1);
    }
  }
}

}  // namespace ridgeline::program
