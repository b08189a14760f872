#include "harness/code/elf_file.hpp"

#include <cstring>
#include <fstream>

#include <elf.h>
#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::code {
namespace {

constexpr std::streamoff largest_file = std::streamoff{1} << 30;
constexpr std::size_t longest_name = 4096, most_requests = 4096;  // of libraries

template <class Value>
std::vector<Value> all_of(std::span<const std::byte> bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

std::string_view text_at(std::span<const std::byte> texts, std::uint64_t offset) {
  if (offset >= texts.size()) refuse("a name lies outside of its table");
  const auto* const begin = reinterpret_cast<const char*>(texts.data() + offset);
  const void* const end = std::memchr(begin, 0, texts.size() - offset);
  if (end == nullptr) refuse("a name has no end");
  return {begin, static_cast<const char*>(end)};
}

/// How the loader names what it is asked for; null for what only says where parts of the file lie,
/// which follows from the rest.
const char* name_of(std::int64_t tag) {
  switch (tag) {
    case DT_NEEDED:
      return "NEEDED";
    case DT_RPATH:
      return "RPATH";
    case DT_RUNPATH:
      return "RUNPATH";
    case DT_SONAME:
      return "SONAME";
    case DT_AUDIT:
      return "AUDIT";
    case DT_DEPAUDIT:
      return "DEPAUDIT";
    case DT_AUXILIARY:
      return "AUXILIARY";
    case DT_FILTER:
      return "FILTER";
    case DT_CONFIG:
      return "CONFIG";
    case DT_FLAGS:
      return "FLAGS";
    case DT_FLAGS_1:
      return "FLAGS_1";
    case DT_SYMBOLIC:
      return "SYMBOLIC";
    case DT_BIND_NOW:
      return "BIND_NOW";
    case DT_TEXTREL:
      return "TEXTREL";
    default:
      return nullptr;
  }
}

bool is_number(std::int64_t tag) {
  return tag == DT_FLAGS || tag == DT_FLAGS_1 || tag == DT_SYMBOLIC || tag == DT_BIND_NOW ||
         tag == DT_TEXTREL;
}

}  // namespace

void refuse(const std::string& what) { throw Error(ErrorKind::store, what); }

bool Section::in_memory() const { return (flags & SHF_ALLOC) != 0; }

ElfFile ElfFile::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? std::streamoff(stream.tellg()) : -1;
  if (size < 0 || !std::filesystem::is_regular_file(file))
    refuse(fmt::format("cannot read {}", file.string()));
  if (size > largest_file) refuse(fmt::format("{} is larger than any program", file.string()));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), size);
  if (stream.gcount() != size) refuse(fmt::format("cannot read all of {}", file.string()));
  return ElfFile(std::move(bytes));
}

ElfFile::ElfFile(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  Elf64_Ehdr header;
  std::memcpy(&header, part(0, sizeof header).data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64 ||
      (header.e_type != ET_DYN && header.e_type != ET_EXEC))
    refuse("it is no ELF program for x86-64");
  entry_ = header.e_entry;
  requests_.push_back(fmt::format("TYPE {}", header.e_type));
  read_sections();
  symbols_ = read_symbols(SHT_SYMTAB);
  dynamic_symbols_ = read_symbols(SHT_DYNSYM);
  read_requests();
}

std::span<const std::byte> ElfFile::part(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset) refuse("the file is cut off");
  return std::span(bytes_).subspan(offset, size);
}

void ElfFile::read_sections() {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  // A file of more sections than the header can count has them elsewhere.
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    refuse("its table of sections cannot be read");
  const auto table = all_of<Elf64_Shdr>(part(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)));
  const auto contents = [&](const Elf64_Shdr& section) {
    return section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL
               ? std::span<const std::byte>()
               : part(section.sh_offset, section.sh_size);
  };
  const std::span<const std::byte> names = contents(table[header.e_shstrndx]);
  std::uint64_t total = 0;
  for (const Elf64_Shdr& each : table) {
    sections_.push_back({text_at(names, each.sh_name), each.sh_type, each.sh_link, each.sh_info,
                         each.sh_flags, each.sh_addr, each.sh_size, each.sh_addralign,
                         contents(each)});
    total += sections_.back().bytes.size();
  }
  // What is read is bounded by the size of the file.
  if (total > bytes_.size()) refuse("its sections overlap");
  std::vector<Elf64_Phdr> segments;
  if (header.e_phnum != 0 && header.e_phentsize == sizeof(Elf64_Phdr))
    segments = all_of<Elf64_Phdr>(part(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)));
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_GNU_STACK)
      requests_.push_back(fmt::format("STACK {} {}", segment.p_flags, segment.p_memsz));
}

std::vector<Symbol> ElfFile::read_symbols(std::uint32_t type) const {
  std::vector<Symbol> symbols;
  for (const Section& table : sections_) {
    if (table.type != type) continue;
    if (!symbols.empty() || table.link >= sections_.size()) refuse("its symbols cannot be read");
    const std::span<const std::byte> names = sections_[table.link].bytes;
    for (const Elf64_Sym& each : all_of<Elf64_Sym>(table.bytes)) {
      if (each.st_shndx == SHN_XINDEX) refuse("it has more sections than can be told apart");
      symbols.push_back({each.st_name == 0 ? std::string_view() : text_at(names, each.st_name),
                         each.st_value, each.st_shndx,
                         static_cast<std::uint8_t>(ELF64_ST_TYPE(each.st_info)),
                         static_cast<std::uint8_t>(ELF64_ST_BIND(each.st_info))});
    }
  }
  return symbols;
}

std::vector<Relocation> ElfFile::relocations(const Section& table) const {
  std::vector<Relocation> found;
  for (const Elf64_Rela& each : all_of<Elf64_Rela>(table.bytes)) {
    found.push_back({each.r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(each.r_info)),
                     static_cast<std::uint32_t>(ELF64_R_SYM(each.r_info)), each.r_addend});
  }
  return found;
}

void ElfFile::read_requests() {
  for (const Section& section : sections_) {
    if (section.name == ".interp" || section.name == ".note.gnu.property")
      requests_.push_back(
          fmt::format("{} {}", section.name,
                      std::string_view(reinterpret_cast<const char*>(section.bytes.data()),
                                       section.bytes.size())));
    if (section.type != SHT_DYNAMIC) continue;
    if (section.link >= sections_.size()) refuse("its libraries cannot be read");
    for (const Elf64_Dyn& each : all_of<Elf64_Dyn>(section.bytes)) {
      if (each.d_tag == DT_NULL) break;
      const char* const name = name_of(each.d_tag);
      if (name == nullptr) continue;
      const std::string_view text =
          is_number(each.d_tag) ? "" : text_at(sections_[section.link].bytes, each.d_un.d_val);
      if (text.size() > longest_name || requests_.size() > most_requests)
        refuse("it asks too much of the loader");
      requests_.push_back(is_number(each.d_tag) ? fmt::format("{} {}", name, each.d_un.d_val)
                                                : fmt::format("{} {}", name, text));
    }
  }
}

}  // namespace ridgeline::code
