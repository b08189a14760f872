#include "harness/emulated/program/rewriter/ptx_text.hpp"

#include <cctype>
#include <cstdlib>

namespace ridgeline::program {
namespace {

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return std::string(text);
}

std::string without_comments(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (text.substr(i, 2) == "/*") {
      i = text.find("*/", i + 2);
      if (i == std::string_view::npos) break;
      ++i;
      continue;
    }
    if (i < text.size()) plain += text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
  }
  return plain;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> pieces;
  int depth = 0;
  std::string piece;
  for (const char letter : text) {
    if (letter == '{' || letter == '[' || letter == '(') ++depth;
    if (letter == '}' || letter == ']' || letter == ')') --depth;
    if (letter == at && depth == 0) {
      pieces.push_back(trimmed(piece));
      piece.clear();
    } else {
      piece += letter;
    }
  }
  if (!trimmed(piece).empty()) pieces.push_back(trimmed(piece));
  return pieces;
}

bool is_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$' ||
         letter == '%';
}

/// "r<4>" is r0, r1, r2 and r3.
std::vector<std::string> registers(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& each : split(text, ',')) {
    const std::size_t open = each.find('<');
    if (open == std::string::npos) {
      names.push_back(each);
      continue;
    }
    const int count = std::atoi(each.c_str() + open + 1);
    for (int i = 0; i < count && i < 256; ++i)
      names.push_back(each.substr(0, open) + std::to_string(i));
  }
  return names;
}

PtxStatement statement(const std::string& text) {
  PtxStatement made;
  std::string_view left = text;
  if (left.starts_with(".reg")) {
    left.remove_prefix(4);
    const std::string rest = trimmed(left);
    const std::size_t space = rest.find_first_of(" \t");
    made.kind = PtxStatement::Kind::registers;
    made.text = rest.substr(1, space == std::string::npos ? space : space - 1);
    if (space != std::string::npos) made.operands = registers(rest.substr(space));
    return made;
  }
  if (left.starts_with('@')) {
    left.remove_prefix(1);
    made.negated = left.starts_with('!');
    if (made.negated) left.remove_prefix(1);
    std::size_t end = 0;
    while (end < left.size() && is_name(left[end])) ++end;
    made.predicate = left.substr(0, end);
    left.remove_prefix(end);
    while (left.starts_with(' ')) left.remove_prefix(1);
  }
  const std::size_t space = std::min(left.find(' '), left.size());
  made.text = left.substr(0, space);
  std::string part;
  for (const char letter : made.text + ".") {
    if (letter != '.') {
      part += letter;
    } else {
      made.parts.push_back(part);
      part.clear();
    }
  }
  made.operands = split(left.substr(space), ',');
  return made;
}

}  // namespace

std::vector<std::string> elements_of(const std::string& operand) {
  if (!operand.starts_with('{') || !operand.ends_with('}')) return {operand};
  return split(operand.substr(1, operand.size() - 2), ',');
}

std::vector<PtxStatement> read_ptx(std::string_view text, std::string& failure) {
  std::vector<PtxStatement> statements;
  const std::string plain = without_comments(text);
  std::string piece;
  int depth = 0;
  const auto end = [&] {
    const std::string whole = trimmed(piece);
    piece.clear();
    if (!whole.empty()) statements.push_back(statement(whole));
  };
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char letter = plain[i];
    const bool begins = trimmed(piece).empty();
    if ((letter == '{' || letter == '}') && depth == 0 && begins) continue;  // a block's
    if (letter == '{' || letter == '[') ++depth;
    if (letter == '}' || letter == ']') --depth;
    if (letter == ';' && depth == 0) {
      end();
      continue;
    }
    if (letter == ':' && depth == 0 && !begins && plain.substr(i, 2) != "::" &&
        (i == 0 || plain[i - 1] != ':') && trimmed(piece).find(' ') == std::string::npos &&
        trimmed(piece).find('.') == std::string::npos) {
      PtxStatement label;
      label.kind = PtxStatement::Kind::label;
      label.text = trimmed(piece);
      piece.clear();
      statements.push_back(label);
      continue;
    }
    piece += letter;
  }
  end();
  if (depth != 0) failure = "brackets that do not close";
  return statements;
}

}  // namespace ridgeline::program
