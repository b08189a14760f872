#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/record/run.hpp"
#include "harness/run/fitness.hpp"
#include "harness/run/selection.hpp"

/// What a device's cases need beside it: libraries, tools, a driver that fits, room.
namespace ridgeline::run {

struct Software {
  std::map<std::string, bool> libraries;  // by name, whether it can be loaded
  std::map<std::string, bool> tools;      // by name, whether it is on the PATH
  std::optional<std::string> drawing;     // why figures cannot be drawn; empty when they can
  std::string how_to_draw;                // what to do about that
};

/// `home`: Ridgeline's folder.
Software look_for_software(DeviceKind kind, const std::filesystem::path& home);

Findings judge_software(const record::Device& device, const Software& software);

/// Whether the caches of a device are known, and its memory holds what `profile` measures.
Findings judge_sizes(const record::Device& device, const Profile& profile,
                     const std::vector<Selected>& cases);

}  // namespace ridgeline::run
