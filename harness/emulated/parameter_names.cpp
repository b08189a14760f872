#include "harness/emulated/parameter_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>

#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::emulated {
namespace {

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The last name in "const float* __restrict__ from", "int n = 3" or "int sizes[4]"; empty when
/// there is none.
std::string last_name(std::string_view parameter) {
  std::size_t end = std::min(parameter.find_first_of("=["), parameter.size());
  while (end > 0 && !is_of_a_name(parameter[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_of_a_name(parameter[begin - 1])) --begin;
  const bool is_pack = parameter.find("...") != std::string_view::npos;
  return begin == end ? ""
                      : std::string(parameter.substr(begin, end - begin)) + (is_pack ? "..." : "");
}

/// A space for each comment, and its ends of lines.
std::string without_comments(std::string_view text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//")) {
      i += std::min(rest.find('\n'), rest.size());
      kept += '\n';
    } else if (rest.starts_with("/*")) {
      const std::size_t end = std::min(rest.find("*/", 2), rest.size() - 2) + 2;
      kept += ' ';
      kept.append(static_cast<std::size_t>(std::count(
                      rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                  '\n');
      i += end - 1;
    } else {
      kept += rest.front();
    }
  }
  return kept;
}

/// A file up to a few lines behind `last`; empty when it cannot be read. Its path is relative to
/// the source tree, which is looked for above the program.
std::string beginning_of(const SourceLine& last) {
  constexpr int enough = 24;
  std::ifstream file;
  std::error_code no_program;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", no_program);
  do {
    folder = folder.parent_path();
    file.open(folder / last.file);
  } while (!file && folder.has_relative_path());
  std::string text, line;
  for (int i = 1; i < last.line + enough && std::getline(file, line); ++i) text += line + '\n';
  return without_comments(text);
}

/// Where its parameters begin, if a function's name that ends at `end` is followed by any: also
/// behind arguments of a template. A launch is not.
std::size_t parameters_at(std::string_view source, std::size_t end) {
  const auto skip_spaces = [&] {
    end = std::min(source.find_first_not_of(" \t\n", end), source.size());
  };
  skip_spaces();
  if (source.substr(end).starts_with("<<<")) return std::string_view::npos;
  if (source.substr(end).starts_with('<')) {
    int depth = 0;
    do {
      depth += source[end] == '<' ? 1 : source[end] == '>' ? -1 : 0;
      ++end;
    } while (depth > 0 && end < source.size());
    skip_spaces();
  }
  return end < source.size() && source[end] == '(' ? end + 1 : std::string_view::npos;
}

}  // namespace

std::vector<std::string> parameter_names(std::string_view source, std::string_view function,
                                         std::size_t place) {
  const std::string_view plain = function.substr(0, function.find('<'));
  std::size_t begin = std::string_view::npos;
  for (std::size_t at = source.find(plain); !plain.empty() && at != std::string_view::npos;
       at = source.find(plain, at + 1)) {
    if (at >= place && begin != std::string_view::npos) break;
    if (at > 0 && is_of_a_name(source[at - 1])) continue;
    const std::size_t parameters = parameters_at(source, at + plain.size());
    if (parameters != std::string_view::npos) begin = parameters;
  }
  if (begin == std::string_view::npos) return {};
  std::vector<std::string> names;
  int depth = 0;
  for (std::size_t i = begin; i < source.size(); ++i) {
    const char c = source[i];
    if (depth == 0 && (c == ',' || c == ')')) {
      names.push_back(last_name(source.substr(begin, i - begin)));
      if (names.back().empty()) return {};
      if (c == ')') return names;
      begin = i + 1;
    }
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
  }
  return {};
}

std::vector<std::string> parameter_names(std::uint64_t address) {
  const SourceLine line = function_line(address);
  if (line.file.empty()) return {};
  const std::string source = beginning_of(line);
  std::size_t place = 0;  // where the line ends
  for (int i = 0; i < line.line && place < source.size(); ++i)
    place = std::min(source.find('\n', place), source.size() - 1) + 1;
  return parameter_names(source, function_name(address), place);
}

}  // namespace ridgeline::emulated
