#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Readers of the small text files in which Linux describes a CPU.
namespace ridgeline::device::cpu {

/// First line of a file, trimmed; empty when it cannot be read.
std::string first_line(const std::filesystem::path& file);

/// Value of the first line "key : value" or "key=value" of a file; empty when there is none.
std::string value_of(const std::filesystem::path& file, const std::string& key);

/// "0-3,8" as {0, 1, 2, 3, 8}; what cannot be read ends the list.
std::vector<int> parse_cpu_list(const std::string& text);

/// "32768K" or "2M" in bytes; 0 when it is no size.
std::uint64_t parse_size(const std::string& text);

}  // namespace ridgeline::device::cpu
