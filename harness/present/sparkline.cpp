#include "harness/present/sparkline.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace ridgeline::present {

Glyphs glyphs_of_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    std::string locale = value;
    std::ranges::transform(locale, locale.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const bool utf8 =
        locale.find("UTF-8") != std::string::npos || locale.find("UTF8") != std::string::npos;
    return utf8 ? Glyphs::unicode : Glyphs::ascii;
  }
  return Glyphs::ascii;
}

std::string sparkline(const std::vector<std::optional<double>>& values, Glyphs glyphs,
                      double height) {
  static constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr const char* lines[] = {"_", ".", ",", "-", "~", "=", "+", "^"};
  constexpr int levels = 8;
  std::optional<double> low, high;
  for (const std::optional<double>& value : values) {
    if (!value) continue;
    low = std::min(low.value_or(*value), *value);
    high = std::max(high.value_or(*value), *value);
  }
  std::string text;
  for (const std::optional<double>& value : values) {
    double level = 0.5;
    if (value && *high > *low)
      level += (*value - (*low + *high) / 2) / std::max(*high - *low, height);
    // Half a character up, so that the middle is inside one: values almost alike look alike.
    const int place = std::clamp(static_cast<int>(std::lround(level * levels)), 0, levels - 1);
    text += !value ? "x" : glyphs == Glyphs::unicode ? blocks[place] : lines[place];
  }
  return text;
}

}  // namespace ridgeline::present
