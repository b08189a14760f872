#include "harness/store/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ridgeline::store {

std::string Columns::insertion(const char* into) const {
  return fmt::format("{} ({}) VALUES ({})", into, fmt::join(names_, ", "),
                     fmt::join(std::vector<const char*>(names_.size(), "?"), ", "));
}

std::string Columns::search(const char* table) const {
  return fmt::format("SELECT id FROM {} WHERE {} IS ?", table, fmt::join(names_, " IS ? AND "));
}

}  // namespace ridgeline::store
