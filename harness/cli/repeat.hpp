#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ridgeline::cli {

/// The line that does a stored run or gate again: `command_line` as it was typed, with --device and --seed where it
/// left them to chance, `cases`, when there are any, in place of its patterns, and for the options that `instead` names
/// ("--baseline-ref") those values.
std::string repeating_line(const std::string& command_line, const std::string& device, std::uint64_t seed,
                           const std::vector<std::string>& cases = {},
                           const std::map<std::string, std::string>& instead = {});

/// The values that `option` ("--budget") has in a stored line, in order.
std::vector<std::string> values_of(const std::string& command_line, const std::string& option);

}  // namespace ridgeline::cli
