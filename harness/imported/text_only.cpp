#include "harness/imported/text_only.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/core.h>

#include "harness/imported/contents.hpp"

namespace ridgeline::imported {
namespace {

using namespace std::string_view_literals;

struct Packed {
  std::string_view begin;
  std::string_view by;
};

// First bytes of files, of RFC 1952 and 8878 and the descriptions of bzip2, xz and ZIP.
constexpr Packed packed[] = {{"\x1f\x8b"sv, "gzip"},
                             {"\x28\xb5\x2f\xfd"sv, "zstd"},
                             {"BZh"sv, "bzip2"},
                             {"\xfd\x37zXZ\x00"sv, "xz"},
                             {"PK\x03\x04"sv, "zip"}};

/// "UTF-16" or "UTF-32" by the mark that a file begins with, or because every second byte is 0, as
/// of Latin letters; empty for any other.
std::string_view wide_encoding(std::string_view head) {
  if (head.starts_with("\xff\xfe\x00\x00"sv) || head.starts_with("\x00\x00\xfe\xff"sv))
    return "UTF-32";
  if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv)) return "UTF-16";
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 2] += head[i] == '\0' ? 1 : 0;
  const auto [few, many] = std::minmax(zeros[0], zeros[1]);
  return head.size() >= 8 && few == 0 && many > head.size() / 4 ? "UTF-16" : "";
}

/// Bytes that stand in no text, nor in what steers a terminal. A few are noise of a log.
bool is_binary(std::string_view head) {
  const auto none = std::ranges::count_if(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && (byte < '\a' || byte > '\r') && byte != 0x1b;
  });
  return static_cast<std::size_t>(none) > head.size() / 20;
}

}  // namespace

void refuse_what_is_no_text(std::istream& stream, const std::string& file) {
  std::array<char, 4096> bytes{};
  stream.read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  stream.clear();
  stream.seekg(0);
  for (const auto& [begin, by] : packed)
    if (head.starts_with(begin))
      refuse(file, 0, fmt::format("it is compressed with {}", by),
             "unpack it, and import what was in it");
  if (const std::string_view encoding = wide_encoding(head); !encoding.empty())
    refuse(file, 0, fmt::format("it is text in {}, and only UTF-8 is read", encoding),
           fmt::format("write it anew with iconv -f {} -t UTF-8", encoding));
  if (is_binary(head))
    refuse(file, 0, "it is a binary file, and results are read from text",
           "name the file that the program wrote its results to");
}

}  // namespace ridgeline::imported
