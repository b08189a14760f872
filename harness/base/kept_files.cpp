#include "harness/base/kept_files.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <fstream>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/base/text.hpp"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

/// What a file begins with; its key and its bytes follow.
struct Head {
  char what[8] = {'r', 'i', 'd', 'g', 'e', 'k', 'f', '1'};
  std::uint64_t key_bytes = 0, bytes = 0;
  std::uint64_t sum = 0;  // of key and bytes
};

/// Of FNV's kind, a word at a time: a file may have tens of megabytes.
std::uint64_t sum_of(std::string_view key, std::span<const std::byte> bytes) {
  std::uint64_t sum = fnv1a(key);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    sum = (sum ^ word) * 0x100000001b3;
    sum ^= sum >> 29;
  }
  return sum;
}

std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t sum = 0;
  for (const fs::directory_entry& each : fs::directory_iterator(folder)) {
    std::error_code gone;  // renamed meanwhile
    const std::uintmax_t size = each.file_size(gone);
    if (!gone) sum += size;
  }
  return sum;
}

}  // namespace

fs::path KeptFiles::path_of(const std::string& key) const {
  return folder_ / fmt::format("{:016x}", fnv1a(key));
}

std::optional<std::vector<std::byte>> KeptFiles::read(const std::string& key) const noexcept {
  try {
    std::ifstream file(path_of(key), std::ios::binary);
    const auto take = [&](void* to, std::size_t size) {
      return static_cast<bool>(
          file.read(static_cast<char*>(to), static_cast<std::streamsize>(size)));
    };
    Head head;
    if (!take(&head, sizeof head) || std::memcmp(head.what, Head{}.what, sizeof head.what) != 0 ||
        head.key_bytes != key.size() || head.bytes > most_bytes_)
      return std::nullopt;
    std::string of(key.size(), '\0');
    std::vector<std::byte> bytes(head.bytes);
    if (!take(of.data(), of.size()) || of != key || !take(bytes.data(), bytes.size()) ||
        sum_of(key, bytes) != head.sum)
      return std::nullopt;
    return bytes;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void KeptFiles::write(const std::string& key, std::span<const std::byte> bytes) const noexcept {
  try {
    if (bytes.size() > most_bytes_ || bytes_in(folder_) > most_bytes_ - bytes.size()) return;
    const fs::path path = path_of(key),
                   unfinished = fmt::format("{}-{}", path.string(), ::getpid());
    Head head;
    head.key_bytes = key.size();
    head.bytes = bytes.size();
    head.sum = sum_of(key, bytes);
    std::ofstream file(unfinished, std::ios::binary);
    const auto put = [&](const void* from, std::size_t size) {
      file.write(static_cast<const char*>(from), static_cast<std::streamsize>(size));
    };
    put(&head, sizeof head);
    put(key.data(), key.size());
    put(bytes.data(), bytes.size());
    file.close();
    std::error_code ignored;
    if (file)
      fs::rename(unfinished, path, ignored);
    else
      fs::remove(unfinished, ignored);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then it is computed again
  }
}

}  // namespace ridgeline
