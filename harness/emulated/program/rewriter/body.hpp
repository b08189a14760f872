#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/emulated/program/rewriter/edits.hpp"
#include "harness/emulated/program/rewriter/rewrite.hpp"
#include "harness/emulated/program/rewriter/tokens.hpp"

namespace ridgeline::program {

/// Of words that may stand before an expression, so that what follows is not declared by them.
bool may_precede_expression(const Token& token);

/// Rewrites what stands in functions: launches, shared memory, words of the device, inline PTX.
class Bodies {
 public:
  Bodies(const Source& source, Edits& edits, std::vector<Problem>& problems)
      : source_(source), tokens_(source.tokens), edits_(edits), problems_(problems) {}

  using Names = std::set<std::string, std::less<>>;
  /// The tokens [first, end) of a function's body, or of an expression that may have lambdas.
  /// `own` are names that the function has itself, so that they are not the device's.
  void rewrite(std::size_t first, std::size_t end, bool for_device, Names own = {});
  /// `extern __shared__` outside of functions: what it names becomes a call.
  void name_dynamic(std::string_view name) { dynamic_.insert(name); }
  /// The declaration [first, end] that begins with, or holds, `extern` and `__shared__`. Outside of
  /// functions `as_function`.
  void dynamic_shared(std::size_t first, std::size_t end, bool as_function);

 private:
  struct Scope {
    std::size_t end = 0;
    bool for_device = false;
  };
  void device_word(std::size_t at, Names& own);
  bool declares(std::size_t at) const;
  void launch(std::size_t at, std::size_t end);
  void launch_call(std::size_t at, std::size_t function);
  void shared_variable(std::size_t at, std::size_t end);
  std::size_t inline_assembly(std::size_t at, std::size_t end);
  std::size_t callee_of(std::size_t launch, std::size_t first) const;
  std::size_t statement_begin(std::size_t at, std::size_t first) const;
  std::size_t lambda_body(std::size_t open, std::size_t end, bool& for_device) const;
  std::string text_of(std::size_t first, std::size_t end) const;
  void replace(std::size_t first, std::size_t end, std::string text);
  void problem(std::size_t at, std::string what, std::string hint);

  const Source& source_;
  const std::vector<Token>& tokens_;
  Edits& edits_;
  std::vector<Problem>& problems_;
  std::set<std::string_view> dynamic_;
  std::size_t body_ = 0;  // where the function's begins
};

}  // namespace ridgeline::program
