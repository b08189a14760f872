#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/code/elf_file.hpp"

namespace ridgeline::code {

inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

/// A field that holds an address, or what is made of one.
struct Reference {
  std::uint32_t offset = 0, width = 0;  // bytes, in its piece
  std::uint32_t type = 0;               // of the relocation
  std::uint32_t node = nowhere;         // that it leads to, if that is in the program
  std::uint64_t position = 0;           // in the node; wraps
  std::string_view name{};  // of a symbol that is not its file's own; else what the linker calls it
};

/// Bytes with the references in them, in order.
struct Piece {
  std::span<const std::byte> bytes;
  std::vector<Reference> references{};
};

/// Code or data that belongs together: a section of the program, or the code for GPUs that one
/// source file gave it. Of a program that is linked with -Wl,--unique a section is one of a single
/// object file.
struct Node {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, alignment = 0, size = 0;
  bool made_by_linker = false;  // follows from the rest: neither compared nor followed
  std::vector<Piece> pieces{};  // its bytes, and those of the tables that unwind it
  /// What else belongs to it: the code that registers its kernels with CUDA.
  std::vector<std::uint32_t> registers{};
};

/// The code of a program as a graph: what refers to what. It is complete where every reference
/// from one section to another left a relocation in the file (-Wl,--emit-relocs), as references
/// between sections of object files do.
class ProgramCode {
 public:
  /// Throws a store Error for a file that cannot be read, and for one that does not say what its
  /// code refers to.
  static ProgramCode read(const std::filesystem::path& file);
  /// Throws a store Error likewise.
  explicit ProgramCode(ElfFile file);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// What every execution may reach before, around and behind the code that it is asked for: the
  /// entry, what runs before and after main(), and what libraries may call.
  const std::vector<Reference>& roots() const { return roots_; }
  /// What is asked of the loader, libraries above all.
  const std::vector<std::string>& requests() const { return file_.requests(); }
  /// Where a function or an object begins that other files may name; null without one.
  const Reference* find(std::string_view symbol) const;
  /// All that find() finds, sorted.
  std::vector<std::string_view> names() const;
  /// What of a node other files may name.
  const std::vector<std::string_view>& names_in(std::uint32_t node) const { return names_[node]; }

 private:
  void make_nodes();
  void divide(std::uint32_t section);
  void add_references();
  void add_unwinding();
  void add_roots();
  void add_initialisers(const Section& array, std::vector<Relocation> entries);
  void add_registering(const Reference& function);
  Reference reference_to(const Relocation& relocation) const;
  void check(const Reference& reference, const Relocation& relocation,
             std::span<const std::byte> field) const;
  std::uint32_t node_at(std::uint64_t address) const;
  std::uint64_t address_of(std::uint32_t node) const;

  ElfFile file_;
  std::vector<Node> nodes_;  // by section; behind them the parts of those that are divided
  std::set<std::uint32_t> divided_;
  std::vector<std::vector<std::string_view>> names_;  // by node
  std::map<std::string_view, Reference> found_;
  std::map<std::uint64_t, std::uint32_t> by_address_;
  std::vector<std::uint64_t> part_addresses_;         // of the nodes behind those of the sections
  std::map<std::uint64_t, std::uint64_t> filled_in_;  // by the loader: addresses, by where they
                                                      // stand
  std::vector<Reference> roots_;
};

}  // namespace ridgeline::code
