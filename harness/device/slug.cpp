#include "harness/device/slug.hpp"

#include <cctype>
#include <regex>

namespace ridgeline::device {

std::string slug(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte)) {
      result += static_cast<char>(std::tolower(byte));
    } else if (c == '+') {
      result += "plus";
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  if (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

std::string clean_cpu_name(std::string_view name) {
  static const std::regex noise(
      R"(\((r|tm|c)\)|@.*$| with .*$|\b(cpu|processor)\b|\b[0-9]+-core\b)", std::regex::icase);
  const std::string bare = std::regex_replace(std::string(name), noise, " ");
  std::string result;
  for (const char c : bare) {
    if (!std::isspace(static_cast<unsigned char>(c))) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace ridgeline::device
