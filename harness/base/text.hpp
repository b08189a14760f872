#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

/// True when `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view text);

/// `text` with every byte that is not printable, well-formed UTF-8 written as \xNN, and cut to at most `limit` bytes;
/// for showing what an untrusted program sent.
std::string printable(std::string_view text, std::size_t limit = 200);

/// The candidate with the smallest edit distance to `word`, or empty when none is near (more than a third differs).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// True when case `name` is picked by `pattern`: a glob, in which `*` matches any run of characters (also '/') and `?`
/// one, on the whole name or on a beginning of it that ends at a '/' ("gemm", "gemm/naive/", "gemm/*/f32").
bool matches(std::string_view pattern, std::string_view name);

}  // namespace ridgeline
