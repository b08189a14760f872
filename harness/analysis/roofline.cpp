#include "harness/analysis/roofline.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

namespace ridgeline::analysis {
namespace {

/// The highest roof whose kind `wanted` accepts; measured ones win over a datasheet's.
template <class Wanted>
const record::Roof* highest(const std::vector<record::Roof>& roofs, Wanted&& wanted) {
  const record::Roof* best = nullptr;
  const auto rank = [](const record::Roof& roof) {
    return std::pair(record::is_measured(roof), roof.value);
  };
  for (const record::Roof& roof : roofs)
    if (wanted(roof.kind) && roof.value > 0 && (!best || rank(roof) > rank(*best))) best = &roof;
  return best;
}

/// What a case's operations are made of.
struct Made {
  double times = 1;  // as many operations
  std::string dtype;
  bool on_tensor_cores = false;
};

/// By the option products=3xf16; without it, or where it cannot be read, of the case's own type.
Made made_of(const record::CaseId& id) {
  const std::string products = option(id, "products", "");
  const std::size_t cross = products.find('x');
  int times = 0;
  const char* const end = products.data() + std::min(cross, products.size());
  if (const auto [stop, error] = std::from_chars(products.data(), end, times);
      cross == std::string::npos || error != std::errc() || stop != end || times < 1)
    return {.dtype = id.dtype};
  return {static_cast<double>(times), products.substr(cross + 1), true};
}

const record::Roof* roof_of(const Made& made, const std::vector<record::Roof>& roofs) {
  // Roofs know e4m3, however it is summed, by what datasheets call it.
  const std::string type = made.dtype.starts_with("e4m3") ? "fp8" : made.dtype;
  const auto of = [&](std::string_view unit) {
    return highest(roofs, [&](std::string_view kind) {
      return kind.starts_with(unit) && kind.substr(unit.size()) == type;
    });
  };
  const record::Roof* tensor = of("tensor.");
  return tensor || made.on_tensor_cores ? tensor : of("fma.");
}

}  // namespace

const record::Roof* compute_roof(const record::CaseId& id, const std::vector<record::Roof>& roofs) {
  return roof_of(made_of(id), roofs);
}

const record::Roof* memory_roof(const record::CaseId& id, const std::vector<record::Roof>& roofs) {
  const auto direction = std::ranges::find(id.problem, "direction", &record::Field::key);
  const bool to_host = !record::has_peer(id);  // whose link is given for both directions as one
  if (direction != id.problem.end())
    return highest(roofs, [&](std::string_view kind) {
      return (to_host && kind == "link") ||
             (record::class_of_roof(kind) == record::RoofClass::link &&
              kind.ends_with("." + direction->value));
    });
  return highest(roofs, [](std::string_view kind) {
    return record::class_of_roof(kind) == record::RoofClass::dram;
  });
}

const record::Roof* highest_roof(std::string_view kind, const std::vector<record::Roof>& roofs) {
  return highest(roofs, [&](std::string_view of) {
    return of == kind || (kind.ends_with('.') && of.starts_with(kind));
  });
}

std::optional<RoofTime> least_time(const record::CaseId& id, std::optional<double> flops,
                                   std::optional<double> bytes,
                                   const std::vector<record::Roof>& roofs) {
  RoofTime least;
  const auto consider = [&](std::optional<double> work, const record::Roof* roof) {
    if (!work || !(*work > 0) || !roof) return false;
    if (const double ns = *work / roof->value * 1e9; ns > least.ns) {
      least.ns = ns;
      least.roof = roof->kind;
    }
    return true;
  };
  const Made made = made_of(id);
  const auto operations = flops ? std::optional(*flops * made.times) : std::nullopt;
  least.compute = consider(operations, roof_of(made, roofs));
  if (bytes && *bytes > 0 && option(id, "cache", "cold") != "hot")
    least.whole = least.memory = consider(bytes, memory_roof(id, roofs));
  if (!(least.ns > 0)) return std::nullopt;
  return least;
}

}  // namespace ridgeline::analysis
