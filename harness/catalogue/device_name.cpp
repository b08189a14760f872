#include "harness/catalogue/device_name.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::catalogue {
namespace {

/// Lower case, with one '-' for whatever stands between letters and digits.
std::string hyphenated(std::string_view text) {
  std::string slug;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0)
      slug += static_cast<char>(std::tolower(c));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  if (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::set<std::string> words(const std::string& slug) {
  std::set<std::string> found;
  for (std::size_t at = 0; at < slug.size();) {
    const std::size_t end = std::min(slug.find('-', at), slug.size());
    found.insert(slug.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

bool is_module(const Datasheet& sheet) { return sheet.model.find("SXM") != std::string_view::npos; }

}  // namespace

std::string slug(const Datasheet& sheet) {
  std::string slug = hyphenated(sheet.model);
  if (slug.ends_with("-gb")) slug.erase(slug.size() - 3, 1);
  return slug;
}

Datasheet datasheet_named(std::string_view name) {
  std::set<std::string> asked = words(hyphenated(name));
  asked.erase("nvidia");
  const Datasheet* best = nullptr;
  const auto rank = [](const Datasheet& sheet) {
    return std::tuple(is_module(sheet), sheet.dram_gb_s);
  };
  std::vector<std::string> known;
  std::string all;
  for (const Datasheet& sheet : datasheets()) {
    const std::string slug = catalogue::slug(sheet);
    if (slug == hyphenated(name)) return sheet;
    const std::set<std::string> its = words(slug);
    if (!asked.empty() && std::ranges::includes(its, asked) &&
        (best == nullptr || rank(sheet) > rank(*best)))
      best = &sheet;
    known.push_back(slug);
    known.insert(known.end(), its.begin(), its.end());
    all += (all.empty() ? "" : ", ") + slug;
  }
  if (best != nullptr) return *best;
  const std::string near = nearest(hyphenated(name), known);
  throw Error(ErrorKind::usage, fmt::format("the catalogue has no device {}", printable(name)),
              near.empty() ? "there are: " + all : fmt::format("did you mean {}?", near));
}

}  // namespace ridgeline::catalogue
