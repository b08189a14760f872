#include "harness/code/conventions.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <elf.h>
#include <fmt/core.h>

namespace ridgeline::code {
namespace {

/// Sections that follow from all others, and the stamp that tells the commit.
constexpr std::array<std::string_view, 14> made_names{
    ".plt",  ".plt.got", ".plt.sec",  ".got",    ".got.plt",  ".eh_frame",  ".eh_frame_hdr",
    ".iplt", ".igot",    ".igot.plt", ".interp", ".relr.dyn", ".rela.iplt", "ridgeline_build"};

constexpr std::array<std::string_view, 24> boundaries{"_end",
                                                      "end",
                                                      "_edata",
                                                      "edata",
                                                      "_etext",
                                                      "etext",
                                                      "__etext",
                                                      "__bss_start",
                                                      "__TMC_END__",
                                                      "__data_start",
                                                      "data_start",
                                                      "__ehdr_start",
                                                      "__executable_start",
                                                      "_GLOBAL_OFFSET_TABLE_",
                                                      "_DYNAMIC",
                                                      "__GNU_EH_FRAME_HDR",
                                                      "__preinit_array_start",
                                                      "__preinit_array_end",
                                                      "__init_array_start",
                                                      "__init_array_end",
                                                      "__fini_array_start",
                                                      "__fini_array_end",
                                                      "__rela_iplt_start",
                                                      "__rela_iplt_end"};

template <std::size_t count>
bool is_among(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::uint8_t unique_binding = 10;  // STB_GNU_UNIQUE

constexpr std::uint32_t device_code_begins = 0xba55ed50;
struct DeviceCodeHeader {
  std::uint32_t begins;
  std::uint16_t version, header_size;
  std::uint64_t size;
};

}  // namespace

// A program may have names that do not begin with '_', which then are data or functions.
bool is_boundary(const Symbol& symbol) {
  return is_among(boundaries, symbol.name) &&
         (symbol.name.starts_with('_') || symbol.type == STT_NOTYPE);
}

bool is_made(const Section& section) {
  switch (section.type) {
    case SHT_DYNSYM:
    case SHT_STRTAB:
    case SHT_HASH:
    case SHT_GNU_HASH:
    case SHT_GNU_versym:
    case SHT_GNU_verneed:
    case SHT_GNU_verdef:
    case SHT_RELA:
    case SHT_DYNAMIC:
    case SHT_NOTE:
    case SHT_INIT_ARRAY:
    case SHT_FINI_ARRAY:
    case SHT_PREINIT_ARRAY:
      return true;
    default:
      return is_among(made_names, section.name);
  }
}

std::uint32_t width_of(std::uint32_t type) {
  switch (type) {
    case R_X86_64_NONE:
    case R_X86_64_TLSDESC_CALL:
      return 0;
    case R_X86_64_64:
    case R_X86_64_PC64:
    case R_X86_64_GOTOFF64:
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
      return 8;
    case R_X86_64_PC32:
    case R_X86_64_GOT32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_DTPOFF32:
    case R_X86_64_GOTTPOFF:
    case R_X86_64_TPOFF32:
    case R_X86_64_GOTPC32:
    case R_X86_64_GOTPC32_TLSDESC:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return 4;
    default:
      refuse(fmt::format("it has relocations of an unknown type, {}", type));
  }
}

bool is_seen(const Symbol& symbol) {
  return symbol.binding == STB_GLOBAL || symbol.binding == STB_WEAK ||
         symbol.binding == unique_binding;
}

std::vector<std::span<const std::byte>> device_code_parts(std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> parts;
  while (!bytes.empty()) {
    DeviceCodeHeader header;
    if (bytes.size() < sizeof header) return {};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.begins != device_code_begins || header.header_size < sizeof header ||
        header.size > bytes.size() - std::min<std::size_t>(bytes.size(), header.header_size))
      return {};
    const std::size_t size = header.header_size + header.size, padding = -size % sizeof header.size;
    parts.push_back(bytes.first(std::min(bytes.size(), size + padding)));
    bytes = bytes.subspan(parts.back().size());
  }
  return parts;
}

}  // namespace ridgeline::code
