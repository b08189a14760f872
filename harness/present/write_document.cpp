#include "harness/present/write_document.hpp"

#include <string>
#include <string_view>

namespace ridgeline::present {
namespace {

constexpr std::size_t deepest = 4;  // document, runs, run, cases, case

void write(std::ostream& stream, const json::Value& value, std::size_t depth) {
  if (depth == deepest || value.size() == 0) {
    stream << value.dump();
    return;
  }
  const std::string indent = '\n' + std::string(depth + 1, ' ');
  std::string_view before = "";
  stream << (value.is_array() ? '[' : '{');
  if (value.is_array())
    for (const json::Value& element : value.elements()) {
      stream << before << indent;
      write(stream, element, depth + 1);
      before = ",";
    }
  else
    for (const auto& [key, member] : value.members()) {
      stream << before << indent << json::Value(key).dump() << ": ";
      write(stream, member, depth + 1);
      before = ",";
    }
  stream << '\n' << std::string(depth, ' ') << (value.is_array() ? ']' : '}');
}

}  // namespace

void write_document(std::ostream& stream, const json::Value& document) {
  write(stream, document, 0);
  stream << '\n';
}

}  // namespace ridgeline::present
