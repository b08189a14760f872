#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

/// True when `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view text);

/// `text` with every byte that is not well-formed UTF-8, or of a character that steers a terminal
/// (controls of C0 and C1, line separators, marks of writing direction) or is not seen, written as
/// \xNN; for showing what an untrusted program sent. What is longer than `limit` bytes and three
/// more is cut to at most `limit`, and "..." stands behind it: what was shown is shown as it is.
std::string printable(std::string_view text, std::size_t limit = 200);

/// Lines of `text` as neither a terminal nor the log of a CI system obeys them: as printable()
/// shows them, uncut and with their tabs, and without what runners take for a command: "::" at the
/// beginning of a line (GitHub), begins_log_command() anywhere.
/// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
std::string harmless(std::string_view text);

/// Whether `text` begins as "##[group]", "##vso[task.setvariable]" or "##teamcity[buildStop]".
bool begins_log_command(std::string_view text);

/// Whether `text` has 1 to `most` characters, all of them letters, digits, '.', '_' or '-'.
bool is_plain_name(std::string_view text, std::size_t most);

/// The candidate with the smallest edit distance to `word`, or empty when none is near (more than a
/// third differs).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// True when case `name` is picked by `pattern`: a glob, in which `*` matches any run of characters
/// (also '/') and `?` one, on the whole name or on a beginning of it that ends at a '/' ("gemm",
/// "gemm/naive/", "gemm/*/f32").
bool matches(std::string_view pattern, std::string_view name);

/// FNV-1a of `text`, behind whatever gave `state`.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t state = 0xcbf29ce484222325) {
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return state;
}

/// True when any of `patterns` picks case `name`, or there are none.
bool any_matches(const std::vector<std::string>& patterns, std::string_view name);

/// Throws a usage Error for the first of `patterns` that picks none of `names`, the cases of
/// `whose` ("the run"). Its advice is the nearest name, if any is near, and `otherwise`.
void check_picks(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                 std::string_view whose, const std::string& otherwise);

}  // namespace ridgeline
