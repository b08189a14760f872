#include "harness/imported/nccl_noise.hpp"

#include <algorithm>

#include "harness/imported/lines.hpp"

namespace ridgeline::imported {
namespace {

constexpr std::string_view digits = "0123456789";

std::size_t skip(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
}

}  // namespace

PrefixedLine without_prefix(std::string_view line) {
  const std::size_t begin = skip(line, 0, " ");
  const std::size_t end = skip(line, begin, digits);
  if (end > begin && line.substr(end).starts_with(": "))
    return {std::string(line.substr(begin, end - begin)), line.substr(end + 2)};
  if (line.starts_with('[')) {
    const std::size_t mark = line.substr(0, 200).find("]<std");
    const std::size_t colon = mark == std::string_view::npos ? mark : line.find(">:", mark);
    if (colon != std::string_view::npos && colon < mark + 12)
      return {std::string(line.substr(0, mark + 1)), line.substr(colon + 2)};
  }
  return {{}, line};
}

std::size_t begin_of_noise(std::string_view text) {
  if (text.starts_with("NCCL ")) return 0;
  constexpr std::string_view marks[] = {" NCCL ", " UCX "};
  if (std::ranges::none_of(
          marks, [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; }))
    return text.size();
  // No number of a row has a colon or a bracket in it, but the time of day of -S has colons.
  for (const std::string_view part : tokens(text))
    if (part.find('[') != std::string_view::npos ||
        (part.find(':') != std::string_view::npos &&
         part.find_first_not_of("0123456789:") != std::string_view::npos))
      return static_cast<std::size_t>(part.data() - text.data());
  return text.size();
}

}  // namespace ridgeline::imported
