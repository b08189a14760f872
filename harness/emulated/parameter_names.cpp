#include "harness/emulated/parameter_names.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>

#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::emulated {
namespace {

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The last name in "const float* __restrict__ from" or "int n = 3"; empty when there is none.
std::string last_name(std::string_view parameter) {
  std::size_t end = parameter.find('=');
  end = end == std::string_view::npos ? parameter.size() : end;
  while (end > 0 && !is_of_a_name(parameter[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_of_a_name(parameter[begin - 1])) --begin;
  return std::string(parameter.substr(begin, end - begin));
}

/// A few lines of a file from `line` on; empty when it cannot be read. Its path is relative to the
/// source tree, which is looked for above the program.
std::string lines_from(const SourceLine& where) {
  constexpr int enough = 24;
  std::ifstream file;
  std::error_code no_program;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", no_program);
  do {
    folder = folder.parent_path();
    file.open(folder / where.file);
  } while (!file && folder.has_relative_path());
  std::string text, line;
  for (int i = 1; i < where.line + enough && std::getline(file, line); ++i)
    if (i >= where.line) text += line.substr(0, line.find("//")) + '\n';
  return text;
}

}  // namespace

std::vector<std::string> parameter_names(std::string_view source, std::string_view function) {
  const std::string_view plain = function.substr(0, function.find('<'));
  std::size_t at = source.find(plain);
  while (at != std::string_view::npos && at + plain.size() < source.size() &&
         source[at + plain.size()] != '(')
    at = source.find(plain, at + 1);
  if (plain.empty() || at == std::string_view::npos) return {};
  std::vector<std::string> names;
  int depth = 0;
  std::size_t begin = at + plain.size() + 1;
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
  // In its first instruction.
  const std::uint32_t pcs[] = {static_cast<std::uint32_t>(address) + 1};
  const SourceLine line = source_lines(pcs).at(pcs[0]);
  return parameter_names(lines_from(line), function_name(address));
}

}  // namespace ridgeline::emulated
