#include "harness/imported/float_file.hpp"

#include <bit>
#include <cstdint>
#include <fstream>
#include <system_error>

namespace ridgeline::imported {

std::optional<std::vector<float>> float_file(const std::filesystem::path& folder,
                                             std::string_view name) {
  namespace fs = std::filesystem;
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uintmax_t most = 1'000'000;
  if (folder.empty() || name.find('\0') != std::string_view::npos) return std::nullopt;
  const fs::path named(name);
  const fs::path last = named.filename(), inner = named.parent_path().filename();
  for (const fs::path& part : {last, inner})
    if (part.empty() || part == "." || part == "..") return std::nullopt;
  std::error_code error;
  if (fs::symlink_status(folder / inner, error).type() != fs::file_type::directory)
    return std::nullopt;
  const fs::path file = folder / inner / last;
  if (fs::symlink_status(file, error).type() != fs::file_type::regular) return std::nullopt;
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (error || bytes % sizeof(float) != 0 || bytes / sizeof(float) > most) return std::nullopt;
  std::vector<float> numbers(bytes / sizeof(float));
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(bytes));
  if (!stream) return std::nullopt;
  return numbers;
}

}  // namespace ridgeline::imported
