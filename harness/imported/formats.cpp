#include "harness/imported/formats.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

#include "harness/base/error.hpp"
#include "harness/base/sha256.hpp"
#include "harness/imported/babelstream.hpp"
#include "harness/imported/dates.hpp"
#include "harness/imported/google_benchmark.hpp"
#include "harness/imported/nccl_tests.hpp"
#include "harness/imported/nvbandwidth.hpp"
#include "harness/imported/nvbench.hpp"
#include "harness/imported/pytorch.hpp"
#include "harness/imported/text_only.hpp"

namespace ridgeline::imported {
namespace {

namespace fs = std::filesystem;

struct Format {
  std::string_view name;
  Contents (*read)(std::istream& stream, const std::string& file);
};

constexpr Format all_formats[] = {
    {"google-benchmark", read_google_benchmark},
    {"nvbench", nullptr},
    {"nccl-tests", read_nccl_tests},
    {"babelstream", read_babelstream},
    {"nvbandwidth", read_nvbandwidth},
    {"pytorch", read_pytorch},
};

std::ifstream open(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) refuse(file.string(), 0, "there is no such file");
  if (!fs::is_regular_file(status))
    refuse(file.string(), 0, "it is no regular file", "write what it holds to a file first");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file.string(), 0, std::strerror(errno));
  return stream;
}

std::string written_at(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  if (error) return "1970-01-01T00:00:00Z";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(
      std::chrono::file_clock::to_sys(time).time_since_epoch());
  const std::string written = utc_of(std::int64_t{seconds.count()});
  return written.empty() ? "1970-01-01T00:00:00Z" : written;
}

}  // namespace

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const Format& format : all_formats) names.emplace_back(format.name);
  return names;
}

std::string hash_of(const fs::path& file) {
  std::ifstream stream = open(file);
  Sha256 sum;
  const auto buffer = std::make_unique<std::array<char, 1 << 16>>();
  while (stream.read(buffer->data(), static_cast<std::streamsize>(buffer->size())) ||
         stream.gcount() > 0)
    sum.add({buffer->data(), static_cast<std::size_t>(stream.gcount())});
  if (stream.bad()) refuse(file.string(), 0, "it could not be read to its end");
  return sum.hex();
}

ReadFile read_file(std::string_view name, const fs::path& file, const std::string& sha256) {
  const auto* format = std::ranges::find(all_formats, name, &Format::name);
  require(format != std::end(all_formats), "a format that there is");
  ReadFile made{file.string(), sha256, written_at(file), {}};
  std::ifstream stream = open(file);
  refuse_what_is_no_text(stream, made.name);
  made.contents = format->read != nullptr
                      ? format->read(stream, made.name)
                      : read_nvbench(stream, made.name,
                                     file.has_parent_path() ? file.parent_path() : fs::path("."));
  if (stream.bad()) refuse(made.name, 0, "it could not be read to its end");
  // What was read is what was hashed.
  if (hash_of(file) != made.sha256) refuse(made.name, 0, "it was changed while it was read");
  return made;
}

}  // namespace ridgeline::imported
