#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/emulated/program/rewriter/tokens.hpp"

namespace ridgeline::program {

/// What stands before a function's body or the semicolon of its declaration.
struct FunctionHead {
  std::size_t name = 0;        // its token; of an operator the word `operator`
  std::size_t parameters = 0;  // the token "("
  bool is_kernel = false, is_device = false, is_constexpr = false, is_template = false;
  /// "<T, n>" of a template, or of a specialisation as it is written; else empty.
  std::string arguments;
};

/// Of the tokens [first, end); absent when they are no function's. Template parameters without a
/// name are called as parameters_of() would call them with the prefix "ridgeline_t".
std::optional<FunctionHead> function_head(const Source& source, std::size_t first, std::size_t end);

/// A parameter without a name, of a function or a template: where a name has to be inserted.
struct Parameter {
  std::string name;        // its own, or the one that it is to have
  std::size_t insert = 0;  // before this token; 0 when it has a name
  bool is_pack = false;
};
/// Of the tokens of a parameter list, without its brackets. `prefix` begins the names of those that
/// have none.
std::vector<Parameter> parameters_of(const Source& source, std::size_t first, std::size_t end,
                                     const std::string& prefix);

/// The last `template <...>` before a declaration that begins at `first`: the tokens "<" and ">".
/// Absent when there is none.
std::optional<Range> template_head(const Source& source, std::size_t first, std::size_t end);

/// Behind `template <...>` and attributes, where the declaration itself begins.
std::size_t behind_templates(const Source& source, std::size_t first, std::size_t end);

}  // namespace ridgeline::program
