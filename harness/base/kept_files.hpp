#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ridgeline {

/// Results that processes of one program keep for each other, as files of a folder that nobody else
/// writes to. What a file does not hold whole, or for another key, is not there. Nothing throws:
/// whatever cannot be kept can be computed again.
class KeptFiles {
 public:
  KeptFiles(std::filesystem::path folder, std::uintmax_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  std::optional<std::vector<std::byte>> read(const std::string& key) const noexcept;
  /// Does nothing where the folder would hold more than `most_bytes`.
  void write(const std::string& key, std::span<const std::byte> bytes) const noexcept;

 private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
};

}  // namespace ridgeline
