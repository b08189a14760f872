#include "harness/worker/code_hash.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/device/random.hpp"

namespace ridgeline::worker {
namespace {

/// A file mapped for reading; empty when it cannot be.
class Mapped {
 public:
  explicit Mapped(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (memory != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(memory), size};
    }
    close(descriptor);
  }
  Mapped(const Mapped&) = delete;
  ~Mapped() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Absorbs bytes eight at a time into four lanes, which do not wait for one another.
class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    std::size_t i = 0;
    for (; i + 32 <= bytes.size(); i += 32)
      for (std::size_t lane = 0; lane < 4; ++lane)
        absorb(lane, word(bytes.subspan(i + 8 * lane, 8)));
    for (; i < bytes.size(); i += 8)
      absorb(0, word(bytes.subspan(i, std::min<std::size_t>(8, bytes.size() - i))));
    absorb(1, bytes.size());
  }
  std::string digits() const {
    const std::uint64_t low = mix(mix(lanes_[0]) ^ lanes_[1]),
                        high = mix(mix(lanes_[2]) ^ lanes_[3]);
    return fmt::format("{:016x}{:016x}", mix(high ^ low), mix(low ^ mix(high)));
  }

 private:
  static std::uint64_t mix(std::uint64_t value) { return device::random_bits(value, 0); }
  static std::uint64_t word(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  void absorb(std::size_t lane, std::uint64_t value) { lanes_[lane] = mix(lanes_[lane] ^ value); }

  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
};

// Constants that hold addresses are filled in by relocations when the program starts.
// A program that gates can compare has the sections of its object files (".text.startup") beside
// these.
constexpr std::array<std::string_view, 9> hashed{".text",       ".init",      ".fini",
                                                 ".init_array", ".rodata",    ".data",
                                                 ".rela.dyn",   ".nv_fatbin", "__nv_relfatbin"};

bool is_hashed(std::string_view name) {
  return std::ranges::any_of(hashed, [&](std::string_view each) {
    return name.starts_with(each) && (name.size() == each.size() || name[each.size()] == '.');
  });
}

template <class Header>
const Header* at(std::span<const std::byte> file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Header) ||
      offset % alignof(Header) != 0)
    return nullptr;
  return reinterpret_cast<const Header*>(file.data() + offset);
}

std::span<const std::byte> contents(std::span<const std::byte> file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size() ||
      section.sh_size > file.size() - section.sh_offset)
    return {};
  return file.subspan(section.sh_offset, section.sh_size);
}

}  // namespace

std::string content_hash(std::span<const std::byte> bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.digits();
}

std::string code_hash(const std::filesystem::path& program) {
  const Mapped mapped(program);
  const std::span<const std::byte> file = mapped.bytes();
  const auto* header = at<Elf64_Ehdr>(file, 0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return "unknown";
  const auto section = [&](std::size_t index) {
    return at<Elf64_Shdr>(file, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr* names = section(header->e_shstrndx);
  if (header->e_shentsize != sizeof(Elf64_Shdr) || names == nullptr) return "unknown";
  const std::span<const std::byte> text = contents(file, *names);
  Hash hash;
  bool any = false;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr* candidate = section(i);
    if (candidate == nullptr || candidate->sh_name >= text.size()) continue;
    const auto* start = reinterpret_cast<const char*>(text.data() + candidate->sh_name);
    const std::string_view name(start, strnlen(start, text.size() - candidate->sh_name));
    if (!is_hashed(name)) continue;
    hash.add(std::as_bytes(std::span(name)));
    hash.add(contents(file, *candidate));
    any = true;
  }
  return any ? hash.digits() : "unknown";
}

}  // namespace ridgeline::worker
