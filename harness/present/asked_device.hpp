#pragma once

#include <string>

#include "harness/record/run.hpp"

namespace ridgeline::present {

/// Whether `words` mean the device: its id, words of its model, or the start of its UUID; empty
/// words mean all.
inline bool is_asked_for(const record::Device& device, const std::string& words) {
  return words.empty() || device.id == words || device.uuid.starts_with(words) ||
         device.model.find(words) != std::string::npos;
}

}  // namespace ridgeline::present
