#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::code {

/// A section of a file, with the names and numbers of the ELF standard.
struct Section {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0, address = 0, size = 0, alignment = 0;
  std::span<const std::byte> bytes;  // empty when the file has none of it

  bool in_memory() const;  // of the running program
};

struct Symbol {
  std::string_view name;
  std::uint64_t value = 0;
  std::uint32_t section = 0;
  std::uint8_t type = 0, binding = 0;
};

/// A place in memory that the linker filled in.
struct Relocation {
  std::uint64_t address = 0;
  std::uint32_t type = 0, symbol = 0;
  std::int64_t addend = 0;
};

/// A program for x86-64 as its file describes it. Files are not trusted: whatever lies outside of
/// the file, or does not fit together, is refused.
class ElfFile {
 public:
  /// Throws a store Error when the file cannot be read or is no such program.
  static ElfFile read(const std::filesystem::path& file);
  /// Throws a store Error likewise.
  explicit ElfFile(std::vector<std::byte> bytes);
  ElfFile(ElfFile&&) = default;  // what refers to the bytes stays
  ElfFile& operator=(ElfFile&&) = default;

  std::uint64_t entry() const { return entry_; }
  const std::vector<Section>& sections() const { return sections_; }
  /// Of the linker; none in a stripped file.
  const std::vector<Symbol>& symbols() const { return symbols_; }
  /// That the libraries of the program see, or give.
  const std::vector<Symbol>& dynamic_symbols() const { return dynamic_symbols_; }
  /// Of `table`, of type SHT_RELA. Their symbols may be none.
  std::vector<Relocation> relocations(const Section& table) const;
  /// What the program tells the loader that does not depend on where its parts lie: "NEEDED
  /// libm.so.6".
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const;
  void read_sections();
  std::vector<Symbol> read_symbols(std::uint32_t type) const;
  void read_requests();

  std::vector<std::byte> bytes_;
  std::uint64_t entry_ = 0;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_, dynamic_symbols_;
  std::vector<std::string> requests_;
};

/// Throws a store Error: the file is not what `what` says.
[[noreturn]] void refuse(const std::string& what);

}  // namespace ridgeline::code
