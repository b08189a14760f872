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
  void write(const std::string& key, std::span<const std::byte> bytes) noexcept;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  bool has_room_for(std::uintmax_t bytes);

  std::filesystem::path folder_;
  std::uintmax_t most_bytes_;
  std::optional<std::uintmax_t> seen_bytes_;  // that the folder held when it was looked through
  std::uintmax_t written_bytes_ = 0;          // by us, since then
};

/// Where the processes of a gate keep for each other what they found out about outputs; the gate
/// says so (docs/worker-protocol.md). Null: nowhere.
KeptFiles* kept_by_gate();

}  // namespace ridgeline
