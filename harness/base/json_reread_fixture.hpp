#pragma once

#include <nlohmann/json.hpp>

#include "harness/base/json.hpp"

namespace ridgeline::json {

/// The document as whoever reads its text sees it.
inline nlohmann::ordered_json reread(const Value& value) {
  return nlohmann::ordered_json::parse(value.dump());
}

}  // namespace ridgeline::json
