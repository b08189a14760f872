#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {

/// A file as it was read, once.
struct ReadFile {
  std::string name;  // as the user called it
  std::string sha256;
  std::string written;  // UTC: when it was changed last
  Contents contents;
};

/// "google-benchmark", "nvbench", ...: what read_file takes.
std::vector<std::string> formats();

/// SHA-256 of a file. Throws a store Error when there is no such regular file that can be read.
std::string hash_of(const std::filesystem::path& file);

/// Reads a file of a format, which is text and has this hash before and afterwards. Throws a store
/// Error that names the file, and the line where there is one.
ReadFile read_file(std::string_view format, const std::filesystem::path& file,
                   const std::string& sha256);

}  // namespace ridgeline::imported
