#include "harness/emulated/compiler/dumped_functions.hpp"

#include <cctype>
#include <set>
#include <utility>

namespace ridgeline::emulated {
namespace {

constexpr std::string_view kernel_attribute = "no_profile_instrument_function";  // language.hpp

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

/// Whether it is "FILE:LINE:COLUMN", maybe with a discriminator behind.
bool is_place(std::string_view text) {
  text = text.substr(0, text.find(" discrim "));
  for (int i = 0; i < 2; ++i) {
    std::size_t digits = 0;
    while (!text.empty() && is_digit(text.back())) {
      text.remove_suffix(1);
      ++digits;
    }
    if (digits == 0 || text.empty() || text.back() != ':') return false;
    text.remove_suffix(1);
  }
  return !text.empty();
}

/// Takes the places "[FILE:LINE:COLUMN] " out of a line; the first one is the statement's.
DumpedStatement without_places(std::string_view line) {
  DumpedStatement statement;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t end =
        line[i] == '[' ? line.find_first_of("[]", i + 1) : std::string_view::npos;
    if (end == std::string_view::npos || line[end] != ']' ||
        !is_place(line.substr(i + 1, end - i - 1))) {
      statement.text += line[i];
      continue;
    }
    if (statement.place.empty()) {
      const std::string_view place = line.substr(i + 1, end - i - 1);
      statement.place = place.substr(0, place.find(" discrim "));
    }
    i = end + (end + 1 < line.size() && line[end + 1] == ' ' ? 1 : 0);
  }
  return statement;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "const struct S * from" declares `from` as "const struct S *"; "float t[64]" is an array, whose
/// type is "float".
void declare(DumpedFunction& function, std::string_view declaration) {
  declaration = declaration.substr(0, declaration.find('['));
  declaration = trimmed(declaration.substr(0, declaration.find(" = ")));
  std::size_t begin = declaration.size();
  while (begin > 0 && is_of_a_name(declaration[begin - 1])) --begin;
  if (begin == 0 || begin == declaration.size()) return;
  function.types[std::string(declaration.substr(begin))] = trimmed(declaration.substr(0, begin));
}

/// "struct S * to;", "static float t[64];", also with an initial value.
bool is_declaration(std::string_view text) {
  for (const std::string_view word : {"goto ", "return", "resx "})
    if (text.starts_with(word)) return false;
  if (text.starts_with("static ")) return true;
  return text.ends_with(';') && text.find_first_of("(=") == std::string_view::npos &&
         text.find(' ') != std::string_view::npos;
}

void declare_parameters(DumpedFunction& function, std::string_view signature) {
  int depth = 0;
  std::size_t end = signature.rfind(')');
  for (std::size_t i = end + 1; end != std::string_view::npos && i-- > 0;) {
    if (signature[i] == ')' || signature[i] == '>') ++depth;
    if (signature[i] == '(' || signature[i] == '<') --depth;
    if (depth > 1 || (depth == 1 && signature[i] != ',')) continue;
    const std::size_t begin = i + 1;
    declare(function, signature.substr(begin, end - begin));
    end = i;
    if (depth == 0) return;
  }
}

/// The complete constructor of a class without virtual bases is the base constructor, and is dumped
/// once.
std::string of_base(std::string symbol) {
  for (const auto& [from, to] : {std::pair{"C1E", "C2E"}, {"D1E", "D2E"}})
    if (const std::size_t at = symbol.rfind(from); at != std::string::npos)
      symbol.replace(at, 3, to);
  return symbol;
}

}  // namespace

std::string_view first_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_of_a_name(text[end])) ++end;
  return text.substr(0, end);
}

bool is_assigned_once(std::string_view name) {
  const std::size_t number = name.find_last_not_of("0123456789");
  return number != std::string_view::npos && name[number] == '_' && number + 1 < name.size();
}

std::string variable_of(std::string_view value) {
  value = first_name(value);
  const std::size_t number = value.find_last_not_of("0123456789");
  if (number == std::string_view::npos || number == 0 || value[number] != '_' ||
      number + 1 == value.size())
    return std::string(value);
  return std::string(value.substr(0, number));
}

bool DumpedFunction::is_local(std::string_view variable) const {
  const auto known = types.find(std::string(variable));
  return known != types.end() && !known->second.starts_with("static ");
}

std::vector<DumpedFunction> read_functions(std::istream& dump) {
  std::vector<DumpedFunction> functions;
  enum class Part { none, head, body } part = Part::none;
  for (std::string raw; std::getline(dump, raw);) {
    if (raw.starts_with(";; Function ")) {
      const std::size_t end = raw.rfind(", funcdef_no="), begin = raw.rfind(" (", end);
      if (end == std::string::npos || begin == std::string::npos || begin < 12) continue;
      functions.emplace_back();
      functions.back().name = raw.substr(12, begin - 12);
      functions.back().symbol = raw.substr(begin + 2, end - begin - 2);
      part = Part::head;
      continue;
    }
    if (part == Part::none) continue;
    DumpedFunction& function = functions.back();
    if (part == Part::head) {
      if (raw.starts_with("__attribute__"))
        function.is_kernel = function.is_kernel || raw.find(kernel_attribute) != std::string::npos;
      else if (raw == "{")
        part = Part::body;
      else if (raw.ends_with(')'))
        declare_parameters(function, raw);
      continue;
    }
    if (raw == "}") {
      part = Part::none;
      continue;
    }
    DumpedStatement statement = without_places(trimmed(raw));
    const std::string_view text = statement.text;
    if (text.empty() || text.starts_with('#') || text.starts_with('<') || !raw.starts_with("  "))
      continue;
    const std::size_t equals = text.find(" = ");
    if (statement.place.empty() && is_declaration(text)) {
      declare(function, text.substr(0, text.size() - 1));
      continue;
    }
    if (equals != std::string_view::npos && first_name(text).size() == equals &&
        is_assigned_once(first_name(text)))
      function.values.emplace(text.substr(0, equals),
                              text.substr(equals + 3, text.rfind(';') - equals - 3));
    function.statements.push_back(std::move(statement));
  }
  return functions;
}

std::vector<const DumpedFunction*> functions_of_kernels(
    const std::vector<DumpedFunction>& functions) {
  std::map<std::string, const DumpedFunction*, std::less<>> by_symbol;
  for (const DumpedFunction& function : functions) by_symbol[of_base(function.symbol)] = &function;
  std::vector<const DumpedFunction*> reached;
  std::set<const DumpedFunction*> known;
  for (const DumpedFunction& function : functions)
    if (function.is_kernel && known.insert(&function).second) reached.push_back(&function);
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (const DumpedStatement& statement : reached[next]->statements) {
      const std::string_view text = statement.text;
      for (std::size_t i = 0; i < text.size();) {
        const std::string_view name = first_name(text.substr(i));
        i += name.size() + 1;
        if (name.size() < 2) continue;
        const auto called = by_symbol.find(of_base(std::string(name)));
        if (called != by_symbol.end() && known.insert(called->second).second)
          reached.push_back(called->second);
      }
    }
  return reached;
}

}  // namespace ridgeline::emulated
